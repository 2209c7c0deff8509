//! The clipboard: extracts a selection's sound as a clip, and places clips.

use super::plan::FARTHEST_SAMPLES;
use super::{Edit, Signal, Snapshot, apply};
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::document::brushes::{Brush, Erase};
use crate::dsp::brush::Paste;
use crate::dsp::{Axis, CellRect, Clip, Grid, Selection, Transform};
use crate::engine::Engine;
use std::ops::Range;
use std::sync::Arc;

/// Largest clip over all channels: three minutes of stereo, 64 MB.
const MAX_SAMPLES: u64 = 1 << 24;

/// The sound that an erase edit removes: added to the result it restores the original. It has the channels of the
/// sound, or one if the edit affects only one.
///
/// # Errors
/// As [`apply`](fn@apply); [`Limit`](ErrorKind::Limit) for more than a clip may hold, [`Script`](ErrorKind::Script) where there is
/// nothing but silence.
pub fn lifted(snapshot: &Snapshot, edit: &Edit, engine: &Engine, progress: &Progress) -> Result<Clip> {
    let n_channels = match &edit.channels {
        super::Channels::List(list) if list.len() == 1 => 1,
        _ => snapshot.n_channels() as u64,
    };
    // Before any work, as far as the shapes tell.
    if let Some([start, end]) = edit.select.as_ref().map(Selection::extent).and_then(|extent| extent[0]) {
        let secs = (end - start).min(snapshot.n_samples() as f64 / snapshot.sample_rate_hz());
        refuse_large((secs.max(0.0) * snapshot.sample_rate_hz()) as u64 * n_channels)?;
    } else {
        refuse_large(snapshot.n_samples() * n_channels)?;
    }
    let applied = apply(snapshot, edit, engine, progress)?;
    let (Some(first), Some(last)) = (applied.changed.first(), applied.changed.last()) else {
        return Err(Error::new(ErrorKind::Script, "the selection is silent; select a sound"));
    };
    let range = first.start..last.end;
    refuse_large((range.end - range.start) * n_channels)?;
    let of = match &edit.channels {
        super::Channels::List(list) if list.len() == 1 => list.clone(),
        _ => (0..snapshot.n_channels()).collect(),
    };
    let channels = of.into_iter().map(|channel| taken(snapshot, &applied.snapshot, channel, &range));
    let channels: Vec<Vec<f32>> = channels.collect::<Result<_>>()?;
    Ok(Clip {
        sample_rate_hz: snapshot.sample_rate_hz(),
        first_sample: range.start as i64,
        channels: Arc::from(channels),
    })
}

fn taken(before: &Snapshot, after: &Snapshot, channel: usize, range: &Range<u64>) -> Result<Vec<f32>> {
    let n = (range.end - range.start) as usize;
    let (mut samples, mut left) = (vec![0.0; n], vec![0.0; n]);
    before.read(channel, range.start as i64, &mut samples)?;
    after.read(channel, range.start as i64, &mut left)?;
    samples.iter_mut().zip(&left).for_each(|(sample, left)| *sample -= left);
    Ok(samples)
}

fn refuse_large(n_samples: u64) -> Result<()> {
    if n_samples <= MAX_SAMPLES {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Limit, "the selection is too long to copy (over 16 million samples); select less time"))
}

/// Position of a clip's first sample, and the cells that it can affect; `None` if it is outside the sound.
pub(super) fn place(grid: &Grid, paste: &Paste) -> Result<Option<(i64, CellRect)>> {
    let (clip, rate_hz) = (&paste.clip, grid.sample_rate_hz);
    if clip.sample_rate_hz != rate_hz {
        let what = format!(
            "this clip has a sample rate of {} Hz and the sound one of {rate_hz} Hz; convert one of them",
            clip.sample_rate_hz
        );
        return Err(Error::new(ErrorKind::Script, what));
    }
    let by = (paste.offset[0] * rate_hz).round().clamp(-(FARTHEST_SAMPLES as f64), FARTHEST_SAMPLES as f64) as i64;
    let first = clip.first_sample.saturating_add(by);
    let end = first.saturating_add(clip.n_samples() as i64);
    let last_sample = grid.n_samples as i64;
    if end <= 0 || first >= last_sample || first >= end {
        return Ok(None);
    }
    let frames = grid.frames_over(&(first.max(0) as u64..end.min(last_sample) as u64));
    let rect = CellRect::new(frames, bins_with_a_source(grid, paste.axis, paste.offset[1]));
    Ok(Some((first, rect)))
}

/// The bins whose source is a frequency of the spectrum: the others would take its mirror image.
fn bins_with_a_source(grid: &Grid, axis: Axis, units: f64) -> Range<usize> {
    if units == 0.0 {
        return 0..grid.n_bins();
    }
    let has_source = |bin: &usize| {
        let hz = grid.hz_from_bin(*bin as f64);
        let source_hz = axis.hz_from_units(axis.units_from_hz(hz) - units);
        // To a millionth of a bin: whole bins are moved exactly.
        (axis != Axis::Log || hz > 0.0) && source_hz > -1e-6 && source_hz < grid.nyquist_hz() + 1e-6
    };
    let first = (0..grid.n_bins()).find(has_source).unwrap_or(0);
    let end = (0..grid.n_bins()).rfind(has_source).map_or(first, |last| last + 1);
    first..end
}

/// The part of a clip added to a signal: its channel, mid or side if the clip has the sound's channels; the only
/// channel of a mono clip; otherwise the mean of all channels.
pub(super) fn read(clip: &Clip, signal: Signal, n_channels: usize, first: i64, n: usize) -> Vec<f32> {
    let channel = |channel: usize| {
        let mut samples = vec![0.0; n];
        clip.read(channel, first, &mut samples);
        samples
    };
    let n_held = clip.channels.len();
    let weights: Vec<f32> = match signal {
        _ if n_held == 1 => return channel(0),
        Signal::Channel(one) if n_held == n_channels => return channel(one),
        Signal::Mid if n_held == 2 => vec![0.5, 0.5],
        Signal::Side if n_held == 2 => vec![0.5, -0.5],
        _ => vec![1.0 / n_held as f32; n_held],
    };
    let mut sum = vec![0.0; n];
    for (i, weight) in weights.into_iter().enumerate() {
        sum.iter_mut().zip(channel(i)).for_each(|(sum, sample)| *sum += weight * sample);
    }
    sum
}

/// How far past the end of the sound an edit extends, in seconds; `None` if it does not.
pub fn secs_past_end(snapshot: &Snapshot, edit: &Edit) -> Option<f64> {
    if !edit.brush.makes_sound() {
        return None;
    }
    let duration_secs = snapshot.n_samples() as f64 / snapshot.sample_rate_hz();
    let end_secs = match (&edit.brush, &edit.stroke) {
        (Brush::Paste(paste), _) => paste.clip.secs()[1] + paste.offset[0],
        // A soft edge at the end is nothing to speak of: the middle of the brush went past it.
        (_, Some(stroke)) => stroke.points.iter().map(|point| point.secs).fold(0.0, f64::max),
        _ => return None,
    };
    let limit = edit.select.as_ref().and_then(|select| select.extent()[0]).map_or(f64::INFINITY, |[_, end]| end);
    let past_secs = end_secs.min(limit) - duration_secs;
    // A window's fade is not worth lengthening the file.
    let least_secs = edit.transform.window_secs(snapshot.sample_rate_hz());
    let least_secs = if matches!(edit.brush, Brush::Paste(_)) { least_secs } else { 0.0 };
    (past_secs > least_secs).then_some(past_secs)
}

/// The edit that erases what a selection holds.
pub fn erasing(selection: Selection, channels: super::Channels, transform: Transform) -> Edit {
    Edit {
        brush: Brush::Erase(Erase),
        stroke: None,
        select: Some(selection),
        channels,
        transform,
        strength: 1.0,
        consistency_steps: None,
    }
}

//! The clipboard: extracts a selection's sound as a clip.

use crate::base::{Error, ErrorKind, Progress, Result};
use crate::document::brushes::{Brush, Erase};
use crate::dsp::{Clip, Selection, Transform};
use crate::engine::Engine;
use crate::{Applied, Channels, Edit, Snapshot, apply};
use std::ops::Range;
use std::sync::Arc;

/// Maximum size of a clip over all channels: three minutes of stereo, 64 MB.
pub const MAX_CLIP_SAMPLES: u64 = 1 << 24;

/// The sound that an erase edit removes; added to the result, it restores the original. It has the channels of the
/// sound, or one if the edit affects only one.
///
/// # Errors
/// As [`apply`](fn@apply); [`Limit`](ErrorKind::Limit) for a clip that is too large, [`Script`](ErrorKind::Script) if
/// it is silent.
pub fn lifted(snapshot: &Snapshot, edit: &Edit, engine: &Engine, progress: &Progress) -> Result<Clip> {
    lifted_off(snapshot, edit, engine, progress).map(|(clip, _)| clip)
}

/// As [`lifted`], also returning the result of the erase edit.
///
/// # Errors
/// As [`lifted`].
pub fn lifted_off(snapshot: &Snapshot, edit: &Edit, engine: &Engine, progress: &Progress) -> Result<(Clip, Applied)> {
    let n_channels = match &edit.channels {
        Channels::List(list) if list.len() == 1 => 1,
        _ => snapshot.n_channels() as u64,
    };
    // Refuses a selection whose shapes are already too large, before any work is done.
    if let Some([start, end]) = edit.select.as_ref().map(Selection::extent).and_then(|extent| extent[0]) {
        let secs = (end - start).min(snapshot.n_samples() as f64 / snapshot.sample_rate_hz());
        refuse_large((secs.max(0.0) * snapshot.sample_rate_hz()) as u64 * n_channels)?;
    } else {
        refuse_large(snapshot.n_samples() * n_channels)?;
    }
    let applied = apply(snapshot, edit, engine, progress)?;
    let (Some(first), Some(last)) = (applied.changed.first(), applied.changed.last()) else {
        return Err(Error::outcome("the selection is silent; select a sound"));
    };
    let range = first.start..last.end;
    refuse_large((range.end - range.start) * n_channels)?;
    let of = match &edit.channels {
        Channels::List(list) if list.len() == 1 => list.clone(),
        _ => (0..snapshot.n_channels()).collect(),
    };
    let channels = of.into_iter().map(|channel| taken(snapshot, &applied.snapshot, channel, &range));
    let channels: Vec<Vec<f32>> = channels.collect::<Result<_>>()?;
    let clip = Clip {
        sample_rate_hz: snapshot.sample_rate_hz(),
        first_sample: range.start as i64,
        channels: Arc::from(channels),
    };
    Ok((clip, applied))
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
    if n_samples <= MAX_CLIP_SAMPLES {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Limit, "the selection is too long to copy (over 16 million samples); select less time"))
}

/// The edit that erases a selection.
pub fn erasing(selection: Selection, channels: Channels, transform: Transform) -> Edit {
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

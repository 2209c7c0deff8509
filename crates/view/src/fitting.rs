//! Fits a passage of a donor to a hole: finds where its levels best match those around the hole, aligns it with sample
//! accuracy, and matches its level.

use super::{Analysis, ChannelView};
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::document::{Channels, Snapshot, erasing, lifted};
use crate::dsp::comparison::likeness::{Pattern, RANGE_DB, group_of, levels_db};
use crate::dsp::selections::mask;
use crate::dsp::{Axis, CellRect, Clip, Combine, Selection, Shape, Transform};
use crate::engine::Engine;
use crate::media::{Resampled, Source};
use std::ops::Range;

/// Maximum length of a hole.
const MAX_HOLE_SECS: f64 = 10.0;
/// Minimum and maximum length compared on each side of a hole. Between these limits, it equals the length of the hole.
const RING_SECS: [f64; 2] = [0.2, 0.5];
/// Maximum change of the donor's level, in dB.
const MAX_GAIN_DB: f32 = 24.0;
/// Maximum number of samples of a donor, summed over all channels.
const MAX_DONOR: u64 = 1 << 25;
/// Number of start positions compared at a time.
const CHUNK_FRAMES: usize = 512;

/// A hole to be filled.
#[derive(Debug, Clone, PartialEq)]
pub struct Hole {
    /// Selection to be filled.
    pub area: Selection,
    /// Whether it comes from a stroke rather than a selection.
    pub is_stroke: bool,
}

/// Words for a hole in messages: its noun, and the verb for making it.
#[derive(Debug, Clone, Copy)]
struct HoleWords {
    noun: &'static str,
    verb: &'static str,
}

const SELECTION: HoleWords = HoleWords { noun: "selection", verb: "select" };
const STROKE: HoleWords = HoleWords { noun: "stroke", verb: "paint" };

/// A hole and its surroundings, in seconds and hertz.
#[derive(Debug, Clone, Copy)]
pub struct HoleContext {
    hole_secs: [f64; 2],
    words: HoleWords,
    /// From the start of the context before the hole to the end of the context after it.
    pub ring_secs: [f64; 2],
    /// Frequency range; `None` for all frequencies.
    hz: Option<[f64; 2]>,
}

impl HoleContext {
    /// The surroundings of a hole.
    ///
    /// # Errors
    /// If the hole is not limited in time, is too long, or has nothing around it.
    pub fn of(hole: &Hole, snapshot: &Snapshot) -> Result<HoleContext> {
        let words = if hole.is_stroke { STROKE } else { SELECTION };
        let refuse = |what: String| Err(Error::new(ErrorKind::Script, what));
        let length = snapshot.n_samples() as f64 / snapshot.sample_rate_hz();
        let [secs, hz] = hole.area.extent();
        let Some(hole_secs) = secs.map(|secs| secs.map(|secs| secs.clamp(0.0, length))) else {
            return refuse("select a range of time or a box to be filled".into());
        };
        let hole = hole_secs[1] - hole_secs[0];
        let HoleWords { noun, verb } = words;
        if hole > MAX_HOLE_SECS {
            return refuse(format!("the {noun} is too long to be filled from another sound; {verb} 10 s at most"));
        }
        let beside = hole.clamp(RING_SECS[0], RING_SECS[1]);
        let ring_secs = [(hole_secs[0] - beside).max(0.0), (hole_secs[1] + beside).min(length)];
        if hole <= 0.0 || ring_secs == hole_secs {
            return refuse(format!("nothing surrounds the {noun}; {verb} less time"));
        }
        Ok(HoleContext { hole_secs, words, ring_secs, hz })
    }

    /// The time ranges on both sides, without the hole.
    fn sides(&self) -> Option<Selection> {
        let [ring, hole] = [self.ring_secs, self.hole_secs];
        let shape =
            |secs: [f64; 2]| Shape::Rectangle { secs: Some(secs), hz: self.hz, feather: [0.0; 2], axis: Axis::Linear };
        let sides = [[ring[0], hole[0]], [hole[1], ring[1]]].into_iter().filter(|side| side[0] < side[1]);
        sides.fold(None, |joined, side| Selection::joined(joined.as_ref(), Combine::Add, shape(side)))
    }

    /// The sound of both sides within the band, silent in the hole.
    fn lifted(&self, snapshot: &Snapshot, channels: Channels, engine: &Engine, progress: &Progress) -> Result<Clip> {
        let sides = self.sides().unwrap_or_default();
        lifted(snapshot, &erasing(sides, channels, Transform::default()), engine, progress).map_err(|error| {
            let is_silent = error.kind() == ErrorKind::Script;
            let what = || format!("what surrounds the {} is silent, so nothing fits it", self.words.noun);
            if is_silent { Error::new(ErrorKind::Script, what()) } else { error }
        })
    }

    /// The surroundings of the hole, with both sides concatenated.
    ///
    /// # Errors
    /// If they are silent; engine errors; cancelled.
    pub fn sound(
        &self,
        snapshot: &Snapshot,
        channels: Channels,
        engine: &Engine,
        progress: &Progress,
    ) -> Result<Source> {
        let clip = self.lifted(snapshot, channels, engine, progress)?;
        let samples = self.samples(clip.sample_rate_hz);
        let outside = |(at, _): &(usize, &f32)| !samples.contains(&(clip.first_sample + *at as i64));
        let side = |channel: &Vec<f32>| channel.iter().enumerate().filter(outside).map(|(_, sample)| *sample).collect();
        let channels: Vec<Vec<f32>> = clip.channels.iter().map(side).collect();
        Source::from_channels(channels, clip.sample_rate_hz as u32)
    }

    /// The samples of the hole.
    fn samples(&self, rate_hz: f64) -> Range<i64> {
        let [start, end] = self.hole_secs.map(|secs| (secs * rate_hz).round() as i64);
        start..end
    }
}

/// The sound around a hole, and its channels.
#[derive(Debug, Clone)]
pub struct HoledSound {
    /// The sound.
    pub snapshot: Snapshot,
    /// The hole.
    pub hole: Hole,
    /// The channels.
    pub channels: Channels,
}

impl HoledSound {
    /// The best-fitting passage of a donor, extended by `beyond_secs` on each side of the hole, or as far as the donor
    /// reaches.
    ///
    /// # Errors
    /// If the donor is too short or too long, or the surroundings are silent; read and engine errors; cancelled.
    pub fn fitted(&self, donor: &Source, beyond_secs: f64, engine: &Engine, progress: &Progress) -> Result<Clip> {
        let around = HoleContext::of(&self.hole, &self.snapshot)?;
        let rate_hz = self.snapshot.sample_rate_hz();
        let donor = at_rate(donor, rate_hz, progress)?;
        if (donor.n_samples() as f64) < (around.ring_secs[1] - around.ring_secs[0]) * rate_hz {
            let what = format!("is shorter than the {} with its surroundings", around.words.noun);
            return Err(Error::new(ErrorKind::Script, what));
        }
        let mut fit = best_fit(&around, &self.snapshot, &donor, engine, progress)?;
        fit.shift += refined(&around, self, &donor, fit, engine, progress)?;
        let beyond = (beyond_secs * rate_hz).round() as i64;
        let hole = around.samples(rate_hz);
        let first = (hole.start - beyond).max(hole.start.min(-fit.shift));
        let end = (hole.end + beyond).min((donor.n_samples() as i64 - fit.shift).max(hole.end));
        let mut channels = vec![vec![0.0; (end - first) as usize]; donor.channels.len()];
        for (index, samples) in channels.iter_mut().enumerate() {
            donor.read(index, first + fit.shift, samples);
            samples.iter_mut().for_each(|sample| *sample *= fit.gain);
        }
        Ok(Clip { sample_rate_hz: rate_hz, first_sample: first, channels: channels.into() })
    }
}

/// A whole sound at another rate; NaN samples become silence.
fn at_rate(source: &Source, rate_hz: f64, progress: &Progress) -> Result<Clip> {
    let info = source.info();
    let from_hz = f64::from(info.sample_rate_hz);
    let n_wanted = (info.n_samples as f64 * rate_hz / from_hz).ceil();
    if n_wanted.max(info.n_samples as f64) * info.n_channels as f64 > MAX_DONOR as f64 {
        let what = "is too long to repair with (over 33 million samples); open it and copy a part of it";
        return Err(Error::new(ErrorKind::Limit, what));
    }
    let mut at = 0i64;
    let mut read = |n: usize| {
        progress.check()?;
        let channel = |channel: usize| {
            let mut samples = vec![0.0; n];
            source.read(channel, at, &mut samples)?;
            samples.iter_mut().filter(|sample| !sample.is_finite()).for_each(|sample| *sample = 0.0);
            Ok(samples)
        };
        let read = (0..info.n_channels).map(channel).collect::<Result<Vec<_>>>();
        at += n as i64;
        read
    };
    let channels = match from_hz == rate_hz {
        true => read(info.n_samples as usize)?,
        false => Resampled::new(from_hz, rate_hz, info.n_channels)?.next(n_wanted as usize, &mut read)?,
    };
    Ok(Clip { sample_rate_hz: rate_hz, first_sample: 0, channels: channels.into() })
}

/// Position and gain of a donor.
#[derive(Debug, Clone, Copy)]
struct Fit {
    /// Offset from a sample of the sound to the donor's sample that replaces it.
    shift: i64,
    /// Gain that matches the donor's level to the surroundings.
    gain: f32,
    /// Uncertainty of the position, in samples.
    within: i64,
}

/// The position, to the nearest frame, at which the donor's levels best match those around the hole, and the gain that
/// matches their power, within `MAX_GAIN_DB`.
fn best_fit(
    around: &HoleContext,
    snapshot: &Snapshot,
    donor: &Clip,
    engine: &Engine,
    progress: &Progress,
) -> Result<Fit> {
    let rate_hz = snapshot.sample_rate_hz();
    let sound = Snapshot::new(Source::from_channels(donor.channels.to_vec(), rate_hz as u32)?);
    let view =
        |sound: &Snapshot| Analysis::new(sound, ChannelView::All, engine.plans().view(&Transform::default(), rate_hz)?);
    let (here, there) = (view(snapshot)?, view(&sound)?);
    let ring = Selection::rectangle(Some(around.ring_secs), around.hz, [0.0; 2], Axis::Linear);
    let bounds = mask::bounds(here.grid(), None, Some(&ring));
    let group = group_of(bounds.bins.len());
    let n_bands = bounds.bins.len().div_ceil(group);
    let magnitudes = |analysis: &Analysis, frames: Range<usize>| -> Result<Vec<f32>> {
        let rect = CellRect::new(frames.clone(), bounds.bins.clone());
        Ok(analysis.region(frames)?.crop(&rect).into_magnitude())
    };
    let hole = around.samples(rate_hz);
    let hole_frames = here.grid().frames_over(&(hole.start.max(0).unsigned_abs()..hole.end.max(0).unsigned_abs()));
    let counts = |frame: usize| if hole_frames.contains(&frame) { 0.0f32 } else { 1.0 };
    let cells = magnitudes(&here, bounds.frames.clone())?;
    let rows = cells.chunks(bounds.bins.len().max(1)).zip(bounds.frames.clone());
    let loudest =
        rows.map(|(row, frame)| row.iter().fold(0.0, |a: f32, &b| a.max(b)) * counts(frame)).fold(0.0, f32::max);
    let floor_db = 20.0 * loudest.max(1e-9).log10() - RANGE_DB;
    let levels = levels_db(&cells, bounds.bins.len(), group, floor_db);
    let weights: Vec<f32> =
        bounds.frames.clone().flat_map(|frame| std::iter::repeat_n(counts(frame), n_bands)).collect();
    let Some(pattern) = Pattern::new(&levels, &weights, n_bands) else {
        let HoleWords { noun, verb } = around.words;
        let what = format!("what surrounds the {noun} is silent or too short to be compared; {verb} less time");
        return Err(Error::new(ErrorKind::Script, what));
    };
    // At least one, since the donor is at least as long as the hole with its surroundings.
    let n_starts = (there.grid().n_frames() + 1).saturating_sub(pattern.n_frames()).max(1);
    let mut best = (f64::NEG_INFINITY, 0, 0.0);
    for from in (0..n_starts).step_by(CHUNK_FRAMES) {
        progress.step(from as u64, n_starts as u64)?;
        let until = ((from + CHUNK_FRAMES).min(n_starts) + pattern.n_frames() - 1).min(there.grid().n_frames());
        let theirs = levels_db(&magnitudes(&there, from..until)?, bounds.bins.len(), group, floor_db);
        for (at, score) in pattern.scores(&theirs).into_iter().enumerate() {
            if score > best.0 {
                best = (score, from + at, difference_db(&levels, &theirs[at * n_bands..], &weights));
            }
        }
    }
    let away = here.grid().secs_in_frames(best.1 as f64 - bounds.frames.start as f64);
    let gain_db: f32 = best.2;
    Ok(Fit {
        shift: (away * rate_hz).round() as i64,
        gain: 10f32.powf(gain_db.clamp(-MAX_GAIN_DB, MAX_GAIN_DB) / 20.0),
        within: (here.grid().secs_in_frames(1.0) * rate_hz).ceil() as i64,
    })
}

/// Difference in total power between `levels` and `others`, in decibels, with each cell weighted by `weights`.
fn difference_db(levels: &[f32], others: &[f32], weights: &[f32]) -> f32 {
    let power = |levels: &[f32]| -> f64 {
        levels
            .iter()
            .zip(weights)
            .map(|(level, weight)| f64::from(*weight) * 10f64.powf(f64::from(*level) / 10.0))
            .sum()
    };
    (10.0 * (power(levels) / power(others).max(f64::MIN_POSITIVE)).log10()) as f32
}

/// Correction to the shift of `fit`, in samples, at which the donor's waveform best matches the surroundings.
fn refined(
    around: &HoleContext,
    order: &HoledSound,
    donor: &Clip,
    fit: Fit,
    engine: &Engine,
    progress: &Progress,
) -> Result<i64> {
    let sides = around.lifted(&order.snapshot, order.channels.clone(), engine, progress)?;
    let mixed = |clip: &Clip, first: i64, n: usize| {
        let mut sum = vec![0.0f32; n];
        let mut samples = vec![0.0; n];
        for channel in 0..clip.channels.len() {
            clip.read(channel, first, &mut samples);
            sum.iter_mut().zip(&samples).for_each(|(sum, sample)| *sum += sample);
        }
        sum
    };
    let n = sides.n_samples();
    let target = mixed(&sides, 0, n);
    let first = sides.first_sample + fit.shift - fit.within;
    let theirs = mixed(donor, first, n + 2 * fit.within as usize);
    let product = |lag: usize| -> f64 {
        let pairs = target.chunks(1 << 10).zip(theirs[lag..].chunks(1 << 10));
        pairs.map(|(a, b)| f64::from(a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>())).sum()
    };
    let mut best = (f64::NEG_INFINITY, fit.within);
    for lag in 0..=2 * fit.within {
        progress.check()?;
        let product = product(lag as usize);
        if product > best.0 {
            best = (product, lag);
        }
    }
    Ok(best.1 - fit.within)
}

//! Collects frames, and computes the network's input.

use super::features::FeatureMaker;
use super::frames::SpeechCells;
use super::speech_network::SpeechFeatures;
use super::{DELAY_FRAMES, N_BINS};
use rustfft::num_complex::Complex32;
use std::collections::VecDeque;
use std::ops::Range;

/// Target level of the network's input, and the lowest level that is raised to it, in dB.
const LEVEL_DB: f64 = -32.0;
const MIN_LEVEL_DB: f64 = -75.0;
/// Number of frames on each side of a frame over which its level is averaged: 3 s, together 6 s.
pub(super) const LEVEL_FRAMES: usize = 300;
/// Minimum ratio of the power of the channels' mean to the mean of their powers; below it the channels cancel out, and
/// the network's input is the first channel.
const MIN_SHARE: f64 = 0.01;

/// Collects consecutive frames of linked channels, and converts them to features.
#[derive(Debug)]
pub struct SpeechListener {
    /// The stored frames, and the index of the first.
    kept: VecDeque<Vec<SpeechCells>>,
    first_kept: usize,
    /// Cumulative powers: element `i` is the sum over the first `i` frames.
    sums: Vec<Powers>,
    is_ended: bool,
    /// Number of frames converted to features. Frames after the last one count as silence.
    n_audible: usize,
    features: FeatureMaker,
}

/// Powers of a frame.
#[derive(Debug, Clone, Copy, Default)]
struct Powers {
    of_mean: f64,
    of_first: f64,
    of_channels: f64,
}

/// A listener before its first frame.
impl Default for SpeechListener {
    fn default() -> SpeechListener {
        SpeechListener {
            kept: VecDeque::new(),
            first_kept: 0,
            sums: vec![Powers::default()],
            is_ended: false,
            n_audible: 0,
            features: FeatureMaker::new(),
        }
    }
}

impl SpeechListener {
    /// Adds the next frame: the cells of each channel, at least one.
    pub fn push(&mut self, channels: Vec<SpeechCells>) {
        let of_mean = power(&mean_cells(&channels));
        let of_first = channels.first().map_or(0.0, |cells| power(cells));
        let of_channels = channels.iter().map(|cells| power(cells)).sum::<f64>() / channels.len().max(1) as f64;
        let before = self.sums.last().copied().unwrap_or_default();
        self.sums.push(Powers {
            of_mean: before.of_mean + of_mean,
            of_first: before.of_first + of_first,
            of_channels: before.of_channels + of_channels,
        });
        self.kept.push_back(channels);
    }

    /// Ends the input.
    pub fn end(&mut self) {
        self.is_ended = true;
    }

    /// Number of frames added so far.
    pub fn n_frames(&self) -> usize {
        self.sums.len() - 1
    }

    /// Number of frames converted to features so far.
    pub fn n_audible(&self) -> usize {
        self.n_audible
    }

    /// Number of frames that can be converted so far.
    pub fn n_available(&self) -> usize {
        match self.is_ended {
            true => self.n_frames() + DELAY_FRAMES,
            false => self.n_frames().saturating_sub(LEVEL_FRAMES),
        }
    }

    /// A stored frame; `None` before the first and after the last.
    pub fn frame(&self, frame: usize) -> Option<&[SpeechCells]> {
        self.kept.get(frame.checked_sub(self.first_kept)?).map(Vec::as_slice)
    }

    /// The features of the frames up to `end`, starting after the last converted one; they must be available.
    pub fn features_until(&mut self, end: usize) -> SpeechFeatures {
        for frame in self.n_audible..end {
            match self.kept.get(frame - self.first_kept) {
                Some(channels) => {
                    let (gain, hears_mean) = self.level(frame);
                    match channels.first().filter(|_| !hears_mean) {
                        Some(first) => self.features.push(first, gain),
                        None => self.features.push(&mean_cells(channels), gain),
                    }
                }
                None => self.features.push(&[Complex32::default(); N_BINS], 1.0),
            }
        }
        self.n_audible = self.n_audible.max(end);
        self.features.take()
    }

    /// The gain of the network's input for a frame, and whether the input is the mean of the channels.
    fn level(&self, frame: usize) -> (f32, bool) {
        let Range { start, end } = frame.saturating_sub(LEVEL_FRAMES)..(frame + LEVEL_FRAMES + 1).min(self.n_frames());
        let mean = |of: fn(&Powers) -> f64| (of(&self.sums[end]) - of(&self.sums[start])) / (end - start).max(1) as f64;
        let (of_mean, of_channels) = (mean(|powers| powers.of_mean), mean(|powers| powers.of_channels));
        let hears_mean = of_mean >= MIN_SHARE * of_channels;
        let heard = if hears_mean { of_mean } else { mean(|powers| powers.of_first) };
        let level_db = 10.0 * heard.max(f64::MIN_POSITIVE).log10();
        (10f64.powf((LEVEL_DB - level_db.max(MIN_LEVEL_DB)) / 20.0) as f32, hears_mean)
    }

    /// Drops the frames before frame `before`.
    pub fn forget(&mut self, before: usize) {
        let n = before.saturating_sub(self.first_kept).min(self.kept.len());
        self.kept.drain(..n);
        self.first_kept += n;
    }
}

/// The mean square of a frame's samples: four times the sum of the cells' squares, since the window and the one-sided
/// spectrum each halve it.
fn power(cells: &[Complex32]) -> f64 {
    4.0 * cells.iter().map(|cell| f64::from(cell.norm_sqr())).sum::<f64>()
}

/// The mean of all channels.
fn mean_cells(channels: &[SpeechCells]) -> SpeechCells {
    let mut mean = channels.first().cloned().unwrap_or_default();
    for channel in channels.iter().skip(1) {
        mean.iter_mut().zip(channel).for_each(|(mean, cell)| *mean += cell);
    }
    if channels.len() > 1 {
        mean.iter_mut().for_each(|mean| *mean /= channels.len() as f32);
    }
    mean
}

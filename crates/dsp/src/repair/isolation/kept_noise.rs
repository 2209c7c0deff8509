//! Keeps sound that exceeds a learnt noise, even if it is not speech.

use super::frames::{SpeechCells, window};
use super::listener::SpeechListener;
use super::{FRAME_SAMPLES, N_BINS, RATE_HZ};
use crate::dsp::kernels::NoiseReduction;
use crate::dsp::repair::denoise::WindowLeaks;
use crate::dsp::{CellRect, Denoise, Grid, NoiseProfile, NoiseSignal, NoiseSource, Region, StftParams, Window};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Attenuation of the learnt noise, in dB.
const REDUCTION_DB: f64 = 24.0;
/// Frames and bins around a cell, including itself, over which the ratio of power to noise is averaged.
const CONTEXT_SIZE: [usize; 2] = [5, 7];
/// Maximum ratio of a single cell, the mean ratio above which sound begins to be kept, and the further increase at
/// which it is kept completely.
const MAX_RATIO: f32 = 100.0;
const MIN_KEPT_RATIO: f32 = 3.0;
const KEPT_RATIO_SPAN: f32 = 3.0;
/// Number of bins on each side of a cell over which the power of the speech is compared with that of the sound to be
/// kept, and the ratios of speech to kept sound between which the latter fades out: where speech dominates, the sound
/// that stands out is the voice itself.
const SPEECH_REACH: usize = 10;
const SPEECH_PARTS: [f64; 2] = [0.3, 0.9];

/// A learnt noise on the frames used for isolation.
#[derive(Debug, Clone)]
pub struct IsolationNoise {
    reduction: NoiseReduction,
}

impl IsolationNoise {
    /// The noise of a profile on isolation frames: that of one signal, or for `None` the mean power of all channels.
    pub fn new(profile: &Arc<NoiseProfile>, signal: Option<NoiseSignal>) -> IsolationNoise {
        let grid = Grid::new(StftParams::of_size(FRAME_SAMPLES, 2, Window::Sine), RATE_HZ, 0);
        // The squares of the window add up to half the frame length, and spectra are divided by the frame length.
        let window_power = 0.5 / FRAME_SAMPLES as f64;
        let leaks = WindowLeaks::of(&window());
        let denoise = Denoise { reduction_db: REDUCTION_DB, ..Denoise::even(NoiseSource::Profile(profile.clone())) };
        // No channel has this number, so the mean of all is used.
        let of = signal.unwrap_or(NoiseSignal::Channel(usize::MAX));
        IsolationNoise { reduction: denoise.kernel_of_frames(profile, of, &grid, window_power, &leaks) }
    }

    /// Number of frames before and after the requested ones that affect their gains.
    pub fn halo_frames(&self) -> usize {
        self.reduction.halo()[0].max(CONTEXT_SIZE[0] / 2)
    }

    /// The minimum gains of all bins in some frames.
    pub(super) fn min_gains(&self, listener: &SpeechListener, frames: Range<usize>) -> Vec<f32> {
        let halo = self.halo_frames();
        let first = frames.start.saturating_sub(halo);
        let wide = CellRect::new(first..(frames.end + halo).min(listener.n_frames()).max(frames.end), 0..N_BINS);
        let mut before = Region::zeros(wide.clone());
        for (frame, row) in wide.frames.clone().zip(before.magnitude.chunks_exact_mut(N_BINS)) {
            let Some(channels) = listener.frame(frame) else { continue };
            for channel in channels {
                row.iter_mut().zip(channel).for_each(|(sum, cell)| *sum += cell.norm_sqr() / channels.len() as f32);
            }
            row.iter_mut().for_each(|power| *power = power.sqrt());
        }
        let mut gains = self.reduction.gains(&before, &CellRect::new(frames.clone(), 0..N_BINS));
        let ratios = self.ratios(&before);
        gains.par_chunks_mut(N_BINS).enumerate().for_each(|(i, gains)| {
            let row = frames.start - first + i;
            let rows = row.saturating_sub(CONTEXT_SIZE[0] / 2)..(row + CONTEXT_SIZE[0] / 2 + 1).min(wide.frames.len());
            for (bin, gain) in gains.iter_mut().enumerate() {
                let bins = bin.saturating_sub(CONTEXT_SIZE[1] / 2)..(bin + CONTEXT_SIZE[1] / 2 + 1).min(N_BINS);
                let of_row = |row: usize| ratios[row * N_BINS..][bins.clone()].iter().sum::<f32>();
                let mean = rows.clone().map(of_row).sum::<f32>() / (rows.len() * bins.len()) as f32;
                *gain *= ((mean - MIN_KEPT_RATIO) / KEPT_RATIO_SPAN).clamp(0.0, 1.0);
            }
        });
        gains
    }

    /// The ratio of power to noise in each cell, at most `MAX_RATIO`; bins without noise get the maximum.
    fn ratios(&self, cells: &Region) -> Vec<f32> {
        let inverse = self.reduction.inverse_noise.iter().cycle();
        let ratio = |(magnitude, inverse): (&f32, &f32)| match *inverse {
            inverse if inverse > 0.0 => (magnitude * magnitude * inverse).min(MAX_RATIO),
            _ => MAX_RATIO,
        };
        cells.magnitude.iter().zip(inverse).map(ratio).collect()
    }
}

/// Replaces each cell of the speech by the sound times its minimum gain where that is louder, except where the speech
/// around it makes up most of that sound.
pub(super) fn keep_beside_speech(min: &[f32], cells: &[SpeechCells], speech: &mut [SpeechCells]) {
    let n_bins = min.len();
    // Cumulative sums over the bins of the power of the speech, and of the sound to be kept.
    let mut sums = vec![[0.0f64; 2]; n_bins + 1];
    for bin in 0..n_bins {
        let mut powers = [0.0; 2];
        for (cells, speech) in cells.iter().zip(&*speech) {
            powers[0] += f64::from(speech[bin].norm_sqr());
            powers[1] += f64::from((cells[bin] * min[bin]).norm_sqr());
        }
        sums[bin + 1] = [0, 1].map(|k| sums[bin][k] + powers[k]);
    }
    for bin in 0..n_bins {
        let (start, end) = (bin.saturating_sub(SPEECH_REACH), (bin + SPEECH_REACH + 1).min(n_bins));
        let [spoken, kept] = [0, 1].map(|k| sums[end][k] - sums[start][k]);
        let [all, none] = SPEECH_PARTS.map(|part| part * kept);
        // Nothing to keep there.
        if none <= all {
            continue;
        }
        let gain = min[bin] * ((none - spoken) / (none - all)).clamp(0.0, 1.0) as f32;
        for (cells, speech) in cells.iter().zip(&mut *speech) {
            let kept = cells[bin] * gain;
            if kept.norm_sqr() > speech[bin].norm_sqr() {
                speech[bin] = kept;
            }
        }
    }
}

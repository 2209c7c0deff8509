//! The STFT's parameters, and the grid of frames and bins that they lay over a signal.

use super::Window;
use crate::base::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Size, hop and window of an STFT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StftParams {
    /// Samples per frame, a power of two, 64 to 32,768.
    pub n_fft: usize,
    /// Samples between frames: `n_fft` divided by 2, 4, 8 or 16.
    pub hop: usize,
    /// Analysis and synthesis window.
    pub window: Window,
}

impl Default for StftParams {
    fn default() -> StftParams {
        StftParams { n_fft: 2048, hop: 512, window: Window::Hann }
    }
}

impl StftParams {
    /// Smallest and largest `n_fft`.
    pub const SIZES: std::ops::RangeInclusive<usize> = 64..=32_768;

    /// The studio's default for a rate: some 46 ms, rounded to a power of two, with hop `n_fft / 4`.
    pub fn for_rate(sample_rate_hz: f64) -> StftParams {
        let exponent = (0.046 * sample_rate_hz).log2().round().clamp(6.0, 15.0);
        let n_fft = 1usize << exponent as u32;
        StftParams { n_fft, hop: n_fft / 4, window: Window::Hann }
    }

    /// The parameters, if they are allowed.
    ///
    /// # Errors
    /// [`ErrorKind::Script`] with the reason: size, hop, or a pair of window and hop whose `sum(w^2)` comes too close
    /// to 0 to divide by.
    pub fn validated(self) -> Result<StftParams> {
        let refuse = |why: String| Err(Error::new(ErrorKind::Script, why));
        if !self.n_fft.is_power_of_two() || !StftParams::SIZES.contains(&self.n_fft) {
            return refuse(format!("n_fft {} is not a power of two from 64 to 32768", self.n_fft));
        }
        if ![2, 4, 8, 16].iter().any(|overlap| self.hop * overlap == self.n_fft) {
            return refuse(format!("hop {} is not n_fft / 2, / 4, / 8 or / 16", self.hop));
        }
        let weight = self.weight_period();
        let (least, most) = weight.iter().fold((f64::MAX, 0.0f64), |(a, b), &w| (a.min(w), b.max(w)));
        if least < 1e-3 * most {
            return refuse(format!(
                "window {} with hop n_fft / {} cannot be inverted; use a smaller hop",
                self.window.name(),
                self.n_fft / self.hop
            ));
        }
        Ok(self)
    }

    /// After so many frames every bin's centre has turned a whole number of times: `n_fft / hop`.
    pub fn frames_per_turn(&self) -> usize {
        self.n_fft / self.hop
    }

    /// How far a tone at a bin's centre has turned by a frame since frame 0, in turns from 0 up to 1. Phase less this
    /// stands still where the tone does not move.
    pub fn turns_of_bin(&self, frame: usize, bin: usize) -> f32 {
        let period = self.frames_per_turn();
        ((frame % period) * (bin % period) % period) as f32 / period as f32
    }

    /// `n_fft / 2 + 1`: DC first, Nyquist last.
    pub fn n_bins(&self) -> usize {
        self.n_fft / 2 + 1
    }

    /// One period, `hop` values, of `sum(w^2)` over all frames of an endless grid; entry `i` is for samples whose
    /// distance to a frame's first sample is `i` modulo `hop`.
    pub fn weight_period(&self) -> Vec<f64> {
        let window = self.window.samples(self.n_fft);
        (0..self.hop).map(|i| window[i..].iter().step_by(self.hop).map(|w| w * w).sum()).collect()
    }
}

/// The cells that an STFT lays over a signal: frame `n` is centred on sample `n * hop`, bin `m` on `m * rate / n_fft`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// Size, hop, window.
    pub stft: StftParams,
    /// Samples per second.
    pub sample_rate_hz: f64,
    /// Length of the signal.
    pub n_samples: u64,
}

impl Grid {
    /// Frames `0 ..= ceil(n_samples / hop)`.
    pub fn n_frames(&self) -> usize {
        self.n_samples.div_ceil(self.stft.hop as u64) as usize + 1
    }

    /// `n_fft / 2 + 1`.
    pub fn n_bins(&self) -> usize {
        self.stft.n_bins()
    }

    /// Centre of a frame; fractional frames lie between.
    pub fn secs_from_frame(&self, frame: f64) -> f64 {
        frame * self.stft.hop as f64 / self.sample_rate_hz
    }

    /// The fractional frame at a time.
    pub fn frame_from_secs(&self, secs: f64) -> f64 {
        secs * self.sample_rate_hz / self.stft.hop as f64
    }

    /// Centre of a bin; fractional bins lie between.
    pub fn hz_from_bin(&self, bin: f64) -> f64 {
        bin * self.sample_rate_hz / self.stft.n_fft as f64
    }

    /// The fractional bin at a frequency.
    pub fn bin_from_hz(&self, hz: f64) -> f64 {
        hz * self.stft.n_fft as f64 / self.sample_rate_hz
    }

    /// Half the sample rate.
    pub fn nyquist_hz(&self) -> f64 {
        self.sample_rate_hz / 2.0
    }

    /// The samples under a run of frames, clipped to the signal.
    pub fn samples_under(&self, frames: &Range<usize>) -> Range<u64> {
        if frames.is_empty() {
            return 0..0;
        }
        let half = self.stft.n_fft as u64 / 2;
        let first = (frames.start as u64 * self.stft.hop as u64).saturating_sub(half);
        let end = (frames.end as u64 - 1) * self.stft.hop as u64 + half;
        first.min(self.n_samples)..end.min(self.n_samples)
    }

    /// The frames whose window reaches one of `samples`, clipped to the grid.
    pub fn frames_over(&self, samples: &Range<u64>) -> Range<usize> {
        if samples.is_empty() {
            return 0..0;
        }
        let (hop, half) = (self.stft.hop as i64, self.stft.n_fft as i64 / 2);
        // n hop + half > start  and  n hop - half < end
        let first = (samples.start as i64 - half).div_euclid(hop) + 1;
        let end = (samples.end as i64 + half - 1).div_euclid(hop) + 1;
        first.max(0) as usize..(end.max(0) as usize).min(self.n_frames())
    }
}

//! Transforms as data: what a script, a view and an edit say of the cells they work on.

use super::Window;
use crate::base::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};

/// What lays cells over a sound: data that an edit, a view and a session keep. Cheap to clone.
///
/// What only an STFT can do matches on it without a wildcard, so that a second transform is a list of places to decide.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Transform {
    /// The short-time Fourier transform.
    Stft(StftParams),
}

impl Default for Transform {
    fn default() -> Transform {
        Transform::Stft(StftParams::default())
    }
}

impl From<StftParams> for Transform {
    fn from(params: StftParams) -> Transform {
        Transform::Stft(params)
    }
}

impl From<&StftParams> for Transform {
    fn from(params: &StftParams) -> Transform {
        Transform::Stft(*params)
    }
}

impl From<&Transform> for Transform {
    fn from(transform: &Transform) -> Transform {
        transform.clone()
    }
}

impl Transform {
    /// The studio's default for a rate.
    pub fn for_rate(sample_rate_hz: f64) -> Transform {
        Transform::Stft(StftParams::for_rate(sample_rate_hz))
    }

    /// The transform, if it is allowed.
    ///
    /// # Errors
    /// [`ErrorKind::Script`] with the reason.
    pub fn validated(self) -> Result<Transform> {
        match self {
            Transform::Stft(params) => params.validated().map(Transform::Stft),
        }
    }

    /// The parameters of an STFT; none of another transform.
    pub fn as_stft(&self) -> Option<&StftParams> {
        match self {
            Transform::Stft(params) => Some(params),
        }
    }

    /// The transform for moving sound through time: see [`StftParams::for_moves`].
    #[must_use]
    pub fn for_moves(&self) -> Transform {
        match self {
            Transform::Stft(params) => Transform::Stft(params.for_moves()),
        }
    }

    /// The transform whose frames are `times / over` as long, with as many of them to a window; none where that is not
    /// allowed.
    pub fn resized(&self, times: usize, over: usize) -> Option<Transform> {
        match self {
            Transform::Stft(params) => {
                let (n_fft, hop) = (params.n_fft * times / over, params.hop * times / over);
                StftParams { n_fft, hop, ..*params }.validated().ok().map(Transform::Stft)
            }
        }
    }

    /// How many frames of `finer`, a transform [for moves](Transform::for_moves) of this one, come to one of ours.
    pub fn frames_of_finer(&self, finer: &Transform) -> usize {
        match (self, finer) {
            (Transform::Stft(params), Transform::Stft(finer)) => params.hop / finer.hop,
        }
    }

    /// How much time one frame reads at most, in seconds.
    pub fn window_secs(&self, sample_rate_hz: f64) -> f64 {
        match self {
            Transform::Stft(params) => params.n_fft as f64 / sample_rate_hz,
        }
    }

    /// A name for caches on disk: another string for every transform, and another version of it whenever the same
    /// parameters come to mean other cells.
    pub fn cache_key(&self) -> String {
        match self {
            Transform::Stft(StftParams { n_fft, hop, window }) => format!("stft-1 {n_fft} {hop} {}", window.name()),
        }
    }
}

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

    /// So many samples per frame, and so many frames per window.
    pub fn of_size(n_fft: usize, overlap: usize, window: Window) -> StftParams {
        StftParams { n_fft, hop: n_fft / overlap, window }
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

    /// The transform for moving sound through time: at least eight frames per window.
    #[must_use]
    pub fn for_moves(self) -> StftParams {
        StftParams { hop: self.hop.min(self.n_fft / 8), ..self }
    }

    /// Samples that one frame reads.
    pub fn window_len(&self) -> usize {
        self.n_fft
    }

    /// The window's samples.
    pub fn window_samples(&self) -> Vec<f64> {
        self.window.samples(self.n_fft)
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
        let window = self.window_samples();
        (0..self.hop).map(|i| window[i..].iter().step_by(self.hop).map(|w| w * w).sum()).collect()
    }
}

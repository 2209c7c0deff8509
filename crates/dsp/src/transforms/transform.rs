//! Transforms as data, as stored in scripts, views and edits.

use super::rows::{RowBank, RowsParams};
use crate::Window;
use crate::base::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize, Serializer};

/// A time-frequency transform, as stored in edits, views and sessions. Cheap to clone.
///
/// Code that supports only the STFT still matches every variant, without a wildcard, so that adding a transform causes
/// a compile error wherever a decision is needed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Transform {
    /// The short-time Fourier transform.
    Stft(StftParams),
    /// Rows at the frequencies of a scale: constant-Q, variable-Q, mel, bark, or a list.
    Rows(RowsParams),
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

impl From<RowsParams> for Transform {
    fn from(params: RowsParams) -> Transform {
        Transform::Rows(params)
    }
}

/// Serialises a transform in the format of scripts.
impl Serialize for Transform {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct OfKind<'a> {
            kind: &'static str,
            #[serde(flatten)]
            params: &'a StftParams,
        }
        match self {
            Transform::Stft(params) => OfKind { kind: "stft", params }.serialize(serializer),
            Transform::Rows(params) => params.serialize(serializer),
        }
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

    /// Returns the transform if it is valid.
    ///
    /// # Errors
    /// [`ErrorKind::Script`] with the reason.
    pub fn validated(self) -> Result<Transform> {
        match self {
            Transform::Stft(params) => params.validated().map(Transform::Stft),
            Transform::Rows(params) => params.validated().map(Transform::Rows),
        }
    }

    /// Returns the transform if it is valid at a sample rate.
    ///
    /// # Errors
    /// [`ErrorKind::Script`] with the reason.
    pub fn validated_at(self, sample_rate_hz: f64) -> Result<Transform> {
        match self {
            Transform::Stft(params) => params.validated().map(Transform::Stft),
            Transform::Rows(params) => params.validated_at(sample_rate_hz).map(Transform::Rows),
        }
    }

    /// The parameters of an STFT; `None` for other transforms.
    pub fn as_stft(&self) -> Option<&StftParams> {
        match self {
            Transform::Stft(params) => Some(params),
            Transform::Rows(_) => None,
        }
    }

    /// The parameters of an STFT, where an STFT is required.
    ///
    /// # Errors
    /// [`ErrorKind::Script`] for other transforms.
    pub fn stft(&self) -> Result<StftParams> {
        let refused = || Error::new(ErrorKind::Script, "this works on an STFT only; choose an FFT size");
        self.as_stft().copied().ok_or_else(refused)
    }

    /// The parameters of an STFT, or the default ones, where only an STFT is meaningful.
    pub fn stft_or_default(&self) -> StftParams {
        self.as_stft().copied().unwrap_or_default()
    }

    /// The transform for moving sound through time: see [`StftParams::for_moves`]. Rows keep their transform, and are
    /// moved on a grid with a smaller hop.
    #[must_use]
    pub fn for_moves(&self) -> Transform {
        match self {
            Transform::Stft(params) => Transform::Stft(params.for_moves()),
            Transform::Rows(_) => self.clone(),
        }
    }

    /// The transform with frames `times / over` as long and the same overlap, or for rows with `times / over` as many
    /// rows; `None` if the result is not valid.
    pub fn resized(&self, times: usize, over: usize) -> Option<Transform> {
        match self {
            Transform::Stft(params) => {
                let (n_fft, hop) = (params.n_fft * times / over, params.hop * times / over);
                StftParams { n_fft, hop, ..*params }.validated().ok().map(Transform::Stft)
            }
            Transform::Rows(params) => {
                params.with_rows(times as u32, over as u32)?.validated().ok().map(Transform::Rows)
            }
        }
    }

    /// An STFT with frames of `n_samples`, with this window and overlap, or the default ones for rows; `None` if that
    /// is not valid.
    pub fn with_frames_of(&self, n_samples: usize) -> Option<Transform> {
        let params = self.stft_or_default();
        let hop = n_samples * params.hop / params.n_fft;
        StftParams { n_fft: n_samples, hop, ..params }.validated().ok().map(Transform::Stft)
    }

    /// Number of hops of `finer`, this transform's version [for moves](Transform::for_moves), per hop of this one.
    pub fn frames_of_finer(&self, finer: &Transform) -> usize {
        match (self, finer) {
            (Transform::Stft(params), Transform::Stft(finer)) => params.hop / finer.hop,
            (Transform::Rows(_), _) | (_, Transform::Rows(_)) => 1,
        }
    }

    /// Duration of the widest cell: the length of the window, or for rows the longest reach on both sides of a cell; 0
    /// for rows that are invalid at the rate.
    pub fn window_secs(&self, sample_rate_hz: f64) -> f64 {
        match self {
            Transform::Stft(params) => params.n_fft as f64 / sample_rate_hz,
            Transform::Rows(params) => {
                RowBank::outline(params, sample_rate_hz).map_or(0.0, |(_, len)| len as f64 / 2.0 / sample_rate_hz)
            }
        }
    }

    /// The magnitude of a cell at a level; 0 dB is a full-scale sine at the centre of its bin.
    pub fn magnitude_from_db(&self, level_db: f64) -> f64 {
        match self {
            Transform::Stft(params) => 10f64.powf(level_db / 20.0) * params.window.sum(params.n_fft) / 2.0,
            // Cells of rows are amplitudes.
            Transform::Rows(_) => 10f64.powf(level_db / 20.0),
        }
    }

    /// A unique, versioned string for caches on disk. Increase the version if the same parameters produce different
    /// cells.
    pub fn cache_key(&self) -> String {
        match self {
            Transform::Stft(StftParams { n_fft, hop, window }) => format!("stft-1 {n_fft} {hop} {}", window.name()),
            Transform::Rows(params) => format!("rows-1 {}", serde_json::to_string(params).unwrap_or_default()),
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

    /// An STFT with `n_fft` samples per frame and hop `n_fft / overlap`.
    pub fn of_size(n_fft: usize, overlap: usize, window: Window) -> StftParams {
        StftParams { n_fft, hop: n_fft / overlap, window }
    }

    /// Returns the parameters if they are valid.
    ///
    /// # Errors
    /// [`ErrorKind::Script`] with the reason: size, hop, or a pair of window and hop whose `sum(w^2)` comes too close
    /// to 0 to divide by.
    pub fn validated(self) -> Result<StftParams> {
        let refuse = |why: String| Err(Error::new(ErrorKind::Script, why));
        if !self.n_fft.is_power_of_two() || !StftParams::SIZES.contains(&self.n_fft) {
            return refuse(format!("n_fft {} is not a power of two from 64 to 32768", self.n_fft));
        }
        if ![2, 4, 8, 16].iter().any(|&overlap| self.hop.checked_mul(overlap) == Some(self.n_fft)) {
            return refuse(format!("hop {} is not n_fft / 2, / 4, / 8 or / 16", self.hop));
        }
        let weight = self.weight_period();
        let (min, max) = weight.iter().fold((f64::MAX, 0.0f64), |(a, b), &w| (a.min(w), b.max(w)));
        if min < 1e-3 * max {
            return refuse(format!(
                "window {} with hop n_fft / {} cannot be inverted; use a smaller hop",
                self.window.name(),
                self.n_fft / self.hop
            ));
        }
        Ok(self)
    }

    /// The transform used to move sound in time: at least eight frames per window.
    #[must_use]
    pub fn for_moves(self) -> StftParams {
        StftParams { hop: self.hop.min(self.n_fft / 8), ..self }
    }

    /// Samples per frame.
    pub fn window_len(&self) -> usize {
        self.n_fft
    }

    /// The window's samples.
    pub fn window_samples(&self) -> Vec<f64> {
        self.window.samples(self.n_fft)
    }

    /// `sum(w)` and `sum(w^2)` of the window.
    pub fn window_sums(&self) -> [f64; 2] {
        let window = self.window_samples();
        [window.iter().sum(), window.iter().map(|w| w * w).sum()]
    }

    /// Frames after which every bin's centre has turned a whole number of times: `n_fft / hop`.
    pub fn frames_per_turn(&self) -> usize {
        self.n_fft / self.hop
    }

    /// Rotation of a tone at a bin's centre from frame 0 to a frame, in turns from 0 up to 1. Relative to this, the
    /// phase of a steady tone is constant.
    pub fn turns_of_bin(&self, frame: usize, bin: usize) -> f32 {
        let period = self.frames_per_turn();
        ((frame % period) * (bin % period) % period) as f32 / period as f32
    }

    /// Number of bins, `n_fft / 2 + 1`: DC first, Nyquist last.
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

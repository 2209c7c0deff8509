//! Time stretching: a phase vocoder with identity phase locking that resets phases at onsets.
//!
//! Sources: Laroche and Dolson, IEEE Transactions on Speech and Audio Processing 7(3), 1999 (identity phase locking);
//! Puckette, WASPAA 1995 (two analyses one step apart give the phase advance without unwrapping).

mod attack_parts;
mod attacks;
mod locking;
mod scan;
mod stretcher;
mod time_map;

pub use scan::onsets_in;
pub use stretcher::Stretcher;
pub use time_map::TimeMap;

use crate::base::Result;
use crate::dsp::{StftParams, Window};

/// Reads samples of every channel of the input, given the first sample and the number of samples; 0 outside the sound.
pub type ReadInput<'a> = dyn FnMut(i64, usize) -> Result<Vec<Vec<f32>>> + 'a;

/// The transform for stretching at a sample rate: its window is as long as the studio's default, with eight frames per
/// window.
pub fn stretch_transform(rate_hz: f64) -> StftParams {
    let exponent = (0.046 * rate_hz).log2().round().clamp(6.0, 15.0);
    StftParams::of_size(1 << exponent as u32, 8, Window::Hann)
}

/// Length of `n_samples` samples stretched to `percent` of their length.
pub fn stretched_length(n_samples: u64, percent: f64) -> u64 {
    (n_samples as f64 * percent / 100.0).round() as u64
}

//! Repairs by gains on frames: sibilants, plosives and late reverberation.
//!
//! Frames overlap by three quarters, with the square root of a Hann window before and after the FFT. All linked
//! channels get the same gains, from the mean of their powers, which leave phases unchanged; only the multichannel
//! prediction (`wpe`) also changes phases. A repair returns the cells that it adds to a frame, so samples under
//! untouched frames remain bit-identical. `tests/reference/rooms.py` is a NumPy version.

mod band_levels;
mod band_reduction;
mod decay;
mod frames;
mod late;
mod plosives;
mod sibilants;
mod wpe;

pub use band_levels::BandLevels;
pub use band_reduction::BandReduction;
pub use decay::DecaySearch;
pub use frames::{FrameCells, FrameEdit, GainFrames};
pub use late::LateReverb;
pub use plosives::PlosiveSearch;
pub use sibilants::{SibilantExcess, SibilantSearch};
pub use wpe::{MultichannelPrediction, PredictionFit};

/// Value added to a power before the logarithm.
const MIN_POWER: f64 = 1e-30;

/// Smooths values with weights 1/4, 1/2, 1/4; the first and last are repeated beyond the ends.
fn smoothed(values: &[f64]) -> Vec<f64> {
    let at = |i: usize| values[i.min(values.len() - 1)];
    (0..values.len()).map(|i| (at(i.saturating_sub(1)) + 2.0 * values[i] + at(i + 1)) / 4.0).collect()
}

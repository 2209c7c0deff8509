//! The pitch line of a sound: fundamental and confidence, every 16 ms, by SwiftF0 (Nieradzik, 2025) with YIN as a
//! check.
//!
//! The network sees three spectrograms of the sound at 16,000 Hz in 128 rows of a log axis, and says which of 95
//! pitches from 47 to 2,094 Hz sounds, and how likely any does. It is wrong below 70 Hz, and may read another harmonic
//! where odd ones are alone: there YIN decides. There is no twin in `shaders/`: see
//! [`network`](crate::dsp::numeric::network).

mod log_spectra;
mod pitch_network;
mod pitch_tracker;

pub use pitch_network::PitchNetwork;
pub use pitch_tracker::{PitchPoint, PitchTracker};

/// Samples per second of the sound that the network knows.
pub const RATE_HZ: f64 = 16_000.0;
/// Samples from a point to the next; the first is at the first sample.
pub const STEP_SAMPLES: usize = 256;
/// The lowest and the highest pitch, in hertz.
pub const RANGE_HZ: [f64; 2] = [46.875, 2_093.75];
/// Points of at least this confidence have a pitch.
pub const VOICED: f64 = 0.5;
/// Rows of the spectrograms.
const N_ROWS: usize = 128;
/// The windows of the spectrograms, in samples.
const WINDOWS: [usize; 3] = [1_024, 2_048, 512];
/// The longest window.
const MAX: usize = 2_048;
/// Frames on either side that a result depends on.
const CONTEXT_FRAMES: usize = 7;

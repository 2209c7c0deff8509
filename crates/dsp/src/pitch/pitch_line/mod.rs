//! The pitch line of a sound: fundamental and confidence, every 16 ms, by SwiftF0 (Nieradzik, 2025) with YIN as a
//! check.
//!
//! The network's input is three spectrograms of the sound at 16,000 Hz, with 128 rows on a logarithmic axis; its output
//! is the likelihood of each of 95 pitches from 47 to 2,094 Hz, and the probability that there is a pitch. It is often
//! wrong below 70 Hz, and may pick another harmonic of a sound with only odd ones: in these cases YIN decides. There is
//! no twin in `shaders/`: see [`network`](crate::dsp::numeric::network).

mod log_spectra;
mod pitch_network;
mod pitch_tracker;

pub use pitch_network::PitchNetwork;
pub use pitch_tracker::{PitchPoint, PitchTracker};

/// Sample rate of the network's input.
pub const RATE_HZ: f64 = 16_000.0;
/// Samples between points; the first point is at the first sample.
pub const STEP_SAMPLES: usize = 256;
/// The lowest and the highest pitch, in hertz.
pub const RANGE_HZ: [f64; 2] = [46.875, 2_093.75];
/// Minimum confidence of a voiced point.
pub const VOICED: f64 = 0.5;
/// Number of rows of each spectrogram.
const N_ROWS: usize = 128;
/// The windows of the spectrograms, in samples.
const WINDOWS: [usize; 3] = [1_024, 2_048, 512];
/// The longest window.
const MAX: usize = 2_048;
/// Number of frames on either side of a frame that affect its result.
const CONTEXT_FRAMES: usize = 7;

//! Speech isolation by DeepFilterNet3 (Schröter and others, 2023): a network estimates the fraction of speech in each
//! cell from earlier sound and a lookahead of 20 ms.
//!
//! Frames have 960 samples at 48,000 Hz, 480 apart. The network estimates a gain for each of 32 bands, and a filter
//! over five frames for each of the 96 lowest bins. It ignores quiet sound, so its input, and only that, is first
//! scaled to a fixed level. There is no twin in `shaders/`: see [`network`](crate::dsp::numeric::network).
//! `tests/reference/isolation.py` is a NumPy version.

mod features;
mod frames;
mod isolator;
mod kept_noise;
mod listener;
mod presence;
mod speech_map;
mod speech_network;
mod weighted_level;

pub use frames::{IsolationFrames, SpeechCells};
pub use isolator::{IsolatedFrame, IsolatedSide, IsolationSettings, SpeechIsolator};
pub use kept_noise::IsolationNoise;
pub use listener::SpeechListener;
pub use presence::{BEGINS_DB, ENDS_DB, SpeechMeter, speech_runs};
pub use speech_map::{SpeechMap, SpeechShares};
pub use speech_network::{SpeechFeatures, SpeechNetwork, SpeechOutput, SpeechState};
pub use weighted_level::WeightedLevel;

/// Sample rate of the network in hertz.
pub const RATE_HZ: f64 = 48_000.0;
/// Samples per frame.
pub const FRAME_SAMPLES: usize = 960;
/// Samples from the start of one frame to the next.
pub const STEP_SAMPLES: usize = 480;
/// Bins of a frame, 50 Hz apart.
pub const N_BINS: usize = FRAME_SAMPLES / 2 + 1;
/// Number of the lowest bins, which are filtered.
pub const N_FILTERED: usize = 96;
/// Filter length in frames, centred.
pub const N_TAPS: usize = 5;
/// Bins of each band that has a gain.
pub const BAND_BINS: [usize; N_BANDS] =
    [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 5, 5, 7, 7, 8, 10, 12, 13, 15, 18, 20, 24, 28, 31, 37, 42, 50, 56, 67];
/// Number of bands.
pub const N_BANDS: usize = 32;
/// Delay of the network's output, in frames.
pub const DELAY_FRAMES: usize = 2;

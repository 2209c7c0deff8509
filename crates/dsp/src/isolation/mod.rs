//! Speech isolation by DeepFilterNet3 (Schröter and others, 2023): a network estimates the fraction of speech in each
//! cell from earlier sound and a lookahead of 20 ms.
//!
//! Frames of 960 samples at 48,000 Hz, 480 apart. The network gives 32 bands a gain, and each of the 96 lowest bins a
//! filter over five frames. It is deaf to quiet sound, so its input, and nothing else, is first brought to one level.
//! There is no twin in `shaders/`: see [`network`](crate::dsp::network). `tests/reference/isolation.py` states the same
//! in NumPy.

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

/// Samples per second of the sound that the network knows.
pub const RATE_HZ: f64 = 48_000.0;
/// Samples of a frame, and from one to the next.
pub const FRAME_SAMPLES: usize = 960;
/// Samples from a frame to the next.
pub const STEP_SAMPLES: usize = 480;
/// Bins of a frame, 50 Hz apart.
pub const N_BINS: usize = FRAME_SAMPLES / 2 + 1;
/// The lowest bins, which are filtered.
pub const N_FILTERED: usize = 96;
/// Filter length in frames, centred.
pub const N_TAPS: usize = 5;
/// Bins of each band that has a gain.
pub const BAND_BINS: [usize; N_BANDS] =
    [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 5, 5, 7, 7, 8, 10, 12, 13, 15, 18, 20, 24, 28, 31, 37, 42, 50, 56, 67];
/// Number of bands.
pub const N_BANDS: usize = 32;
/// Steps of the network that pass before it gives the result of a frame.
pub const DELAY_FRAMES: usize = 2;

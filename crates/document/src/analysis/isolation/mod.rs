//! Speech in a sound of any sample rate: isolating and finding it.

mod finding;
mod frame_source;
mod isolating;
mod mapping;
mod model;
mod top_band;

pub(crate) use finding::{SpeechSurvey, survey_speech};
pub(crate) use isolating::Isolation;
pub(crate) use mapping::speech_cells;
pub(crate) use model::speech_network;
pub use model::{SPEECH_MODEL, read_speech_model};

/// Number of frames that the network processes at a time: 10 s.
const BLOCK_FRAMES: usize = 1000;
/// Number of frames per second.
const FRAMES_PER_SEC: usize = 100;
/// Minimum sample rate in hertz; below it too little of a voice remains.
pub const MIN_RATE_HZ: f64 = 8000.0;

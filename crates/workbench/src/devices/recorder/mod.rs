//! Recording from an input into a new document.

mod audio_recorder;
mod card;
mod meters;

pub use audio_recorder::AudioRecorder;
pub use card::{RecordAnswer, RecordOptions, RecordedChannels, RecordingShown};
pub use meters::InputMeters;

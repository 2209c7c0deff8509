//! Recording from an input into a new document.

mod card;
mod meters;
mod recorder;

pub use card::{RecordAnswer, RecordOptions, RecordedChannels, RecordingShown};
pub use meters::InputMeters;
pub use recorder::AudioRecorder;

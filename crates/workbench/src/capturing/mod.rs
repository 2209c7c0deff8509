//! Recording from an input into a new document.

mod card;
mod meters;
mod recorder;

pub use card::{RecordAnswer, RecordWish, RecordedChannels, RecordingShown};
pub use meters::InputMeters;
pub use recorder::Capturing;

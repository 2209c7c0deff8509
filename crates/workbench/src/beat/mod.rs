//! The beat grid of a document: set on a card, typed, tapped, or found in the sound.

mod acting;
mod finder;
mod found;
mod options;
mod taps;

pub(super) use acting::{answer, perform_beat};
pub use finder::BeatFinder;
pub use found::FoundBeat;
pub use options::{BeatAnswer, BeatOptions};
pub use taps::BeatTaps;

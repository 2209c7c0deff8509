//! The beat grid of a document: set on a card, typed, tapped, or found in the sound.

mod acting;
mod finding;
mod found;
mod taps;
mod wish;

pub(super) use acting::{answer, perform_beat};
pub use finding::BeatFinder;
pub use found::FoundBeat;
pub use taps::BeatTaps;
pub use wish::{BeatAnswer, BeatOptions};

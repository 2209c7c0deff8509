//! Declip: the tops of waves that were cut off, from the samples between them.
//!
//! What is left between the clipping levels, and that the rest lies beyond them, leaves the sound with the fewest
//! neighbourhoods of cells in an STFT (`social`); then linear prediction draws each top closer to the samples around it
//! (`prediction`). The mean of both is better than either. Both are iterative and sequential: one function on the CPU serves
//! both engines, without a twin in `shaders/`.

mod levels;
mod prediction;
mod restoring;
mod social;

pub use levels::{ClipDetector, ClipLevels, ClipPeaks, DetectedBy, DetectedLevels};
pub use prediction::predict_clipped;
pub use restoring::{ClippedSignal, DeclipQuality, LEAST_RELIABLE, restore_clipped};
pub use social::{SocialSchedule, restore_socially};

//! Declip: restores peaks that were cut off, from the samples between them.
//!
//! The known samples, and the constraint that clipped ones lie beyond the clipping levels, select the sound with the
//! fewest strong neighbourhoods of cells in an STFT (`social`); linear prediction then brings each peak closer to the
//! samples around it (`prediction`). The mean of both is better than either. Both are iterative and sequential: one
//! function on the CPU serves both engines, without a twin in `shaders/`.

mod levels;
mod prediction;
mod restoring;
mod social;

pub use levels::{ClipDetector, ClipLevels, ClipPeaks, DetectedBy, DetectedLevels};
pub use prediction::predict_clipped;
pub use restoring::{ClippedSignal, DeclipQuality, MIN_RELIABLE_SHARE, restore_clipped};
pub use social::{SocialSchedule, restore_socially};

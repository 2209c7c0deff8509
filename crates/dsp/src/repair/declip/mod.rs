//! Declip: restores peaks that were cut off, from the samples between them.
//!
//! Of all signals that match the known samples and lie beyond the clipping levels elsewhere, `social` finds the one
//! with the fewest strong neighbourhoods of STFT cells. Linear prediction (`prediction`) then refits the clipped
//! samples to those around them. The mean of both is better than either. Both are iterative and sequential: one
//! function on the CPU serves both engines, without a twin in `shaders/`.

mod levels;
mod prediction;
mod restoring;
mod social;

pub use levels::{ClipDetector, ClipLevels, ClipPeaks, DetectedBy, DetectedLevels};
pub use prediction::predict_clipped;
pub use restoring::{ClippedSignal, DeclipQuality, MIN_RELIABLE_SHARE, restore_clipped};
pub use social::{SocialSchedule, restore_socially};

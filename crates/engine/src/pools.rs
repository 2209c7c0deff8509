//! Memory of voices between two renderings.

use crate::base::lock;
use crate::dsp::voices::VoicePool;
use std::sync::{Arc, Mutex};

/// How many wait at most: as many phrases as are rendered at once. What is touched of each is as much as its scores
/// needed.
const MOST_WAITING: usize = 10;

/// What one rendering needs.
#[derive(Debug, Default)]
pub struct VoiceMemory {
    pub pool: VoicePool,
    /// Left and right samples of a block, of any length.
    pub sides: [Vec<f32>; 2],
}

/// Unused memory for rendering. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct VoicePools(Arc<Mutex<Vec<VoiceMemory>>>);

impl VoicePools {
    /// One of them, or a new one.
    pub fn take(&self) -> VoiceMemory {
        // Made outside the lock.
        let waiting = lock(&self.0).pop();
        waiting.unwrap_or_default()
    }

    /// Keeps one for the next.
    pub fn put(&self, memory: VoiceMemory) {
        let mut waiting = lock(&self.0);
        if waiting.len() < MOST_WAITING {
            waiting.push(memory);
        }
    }
}

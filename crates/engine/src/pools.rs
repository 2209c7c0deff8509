//! Reuses the memory of voices between renderings.

use crate::base::lock;
use crate::dsp::voices::VoicePool;
use std::sync::{Arc, Mutex};

/// Maximum number of pooled memories: one for each phrase that may be rendered concurrently. A memory occupies only
/// what its scores have used.
const MAX_POOLED_MEMORIES: usize = 10;

/// Memory of one rendering.
#[derive(Debug, Default)]
pub struct VoiceMemory {
    pub pool: VoicePool,
    /// Left and right samples of a block of any length.
    pub sides: [Vec<f32>; 2],
}

/// Unused memory for rendering. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct VoicePools(Arc<Mutex<Vec<VoiceMemory>>>);

impl VoicePools {
    /// Takes a pooled memory, or creates one.
    pub fn take(&self) -> VoiceMemory {
        // A new memory is created outside the lock.
        let waiting = lock(&self.0).pop();
        waiting.unwrap_or_default()
    }

    /// Returns a memory to the pool.
    pub fn put(&self, memory: VoiceMemory) {
        let mut waiting = lock(&self.0);
        if waiting.len() < MAX_POOLED_MEMORIES {
            waiting.push(memory);
        }
    }
}

//! Memory of voices between two renderings.

use crate::base::lock;
use crate::dsp::voices::VoicePool;
use std::sync::{Arc, Mutex};

/// Pools that wait at most: as many as render at once, now and then.
const MOST_WAITING: usize = 4;

/// Pools that nobody renders with now. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct VoicePools(Arc<Mutex<Vec<VoicePool>>>);

impl VoicePools {
    /// One of them, or a new one.
    pub fn take(&self) -> VoicePool {
        // Made outside the lock.
        let waiting = lock(&self.0).pop();
        waiting.unwrap_or_default()
    }

    /// Keeps one for the next.
    pub fn put(&self, pool: VoicePool) {
        let mut waiting = lock(&self.0);
        if waiting.len() < MOST_WAITING {
            waiting.push(pool);
        }
    }
}

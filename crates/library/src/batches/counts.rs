//! Counts of batched work.

use std::time::Duration;

/// Counts of batched work on an engine.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BatchCounts {
    /// Batches computed.
    pub batches: u64,
    /// Items in them.
    pub items: u64,
    /// Items that the CPU took over from the GPU.
    pub fallbacks: u64,
    /// Batches halved for lack of memory.
    pub shrunk: u64,
    /// Milliseconds, summed over threads.
    pub busy_ms: f64,
    /// Size of the largest batch.
    pub largest: u64,
    /// Bytes transferred to and from a device, where counted.
    pub moved_bytes: u64,
}

impl BatchCounts {
    /// Counts a batch of `n_items`.
    pub fn add(&mut self, n_items: usize, took: Duration) {
        self.batches += 1;
        self.items += n_items as u64;
        self.busy_ms += took.as_secs_f64() * 1e3;
        self.largest = self.largest.max(n_items as u64);
    }

    /// Adds other counts.
    pub fn merge(&mut self, other: &BatchCounts) {
        self.batches += other.batches;
        self.items += other.items;
        self.fallbacks += other.fallbacks;
        self.shrunk += other.shrunk;
        self.busy_ms += other.busy_ms;
        self.largest = self.largest.max(other.largest);
        self.moved_bytes += other.moved_bytes;
    }
}

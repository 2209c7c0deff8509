//! Batches on a device, limited by its memory.

use super::batch_size::BatchSize;
use super::counts::BatchCounts;
use crate::base::{Error, ErrorKind, Result};
use crate::engine::Engine;
use std::time::Instant;

/// Size limits of a batch on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BatchLimits {
    /// Maximum number of items, 1 to [`MAX_BATCH`](super::MAX_BATCH).
    pub items: Option<usize>,
    /// Memory on the device; the default and maximum is a quarter of its largest buffer.
    pub bytes: Option<u64>,
}

/// Result of a batch.
pub enum BatchAttempt<T> {
    /// Computed.
    Done(T),
    /// Out of memory: the next batch has half as many items.
    Halved,
    /// The device cannot compute it.
    Failed(Error),
}

/// An engine for batches, and the size of the next one.
#[derive(Debug)]
pub struct BatchDevice {
    /// The engine.
    pub engine: Engine,
    size: BatchSize,
    budget_bytes: u64,
}

impl BatchDevice {
    /// A device whose batches take at most `max_bytes`, even if it has more memory.
    pub fn new(engine: &Engine, limits: BatchLimits, max_bytes: u64) -> BatchDevice {
        let quarter = engine.gpu().map_or(max_bytes, |gpu| gpu.largest_buffer_bytes() / 4).min(max_bytes);
        let budget_bytes = limits.bytes.map_or(quarter, |requested| requested.min(quarter));
        BatchDevice { engine: engine.clone(), size: BatchSize::new(limits.items, budget_bytes), budget_bytes }
    }

    /// Maximum number of items per batch.
    pub fn max_items(&self) -> usize {
        self.size.requested()
    }

    /// Whether waiting items, with their total bytes, fill a batch.
    pub fn is_full(&self, n_items: usize, n_bytes: u64) -> bool {
        n_items >= self.size.requested() || n_bytes >= self.budget_bytes
    }

    /// Number of items in the next batch, at least 1, given the bytes of the waiting ones.
    pub fn next(&self, bytes: impl IntoIterator<Item = u64>) -> usize {
        self.size.next(bytes)
    }

    /// Computes a batch of `n_items`, and counts it.
    pub fn attempt<T>(
        &mut self,
        n_items: usize,
        counts: &mut BatchCounts,
        work: impl FnOnce(&Engine) -> Result<T>,
    ) -> BatchAttempt<T> {
        let began = Instant::now();
        match work(&self.engine) {
            Ok(done) => {
                self.size.note_good();
                counts.add(n_items, began.elapsed());
                BatchAttempt::Done(done)
            }
            Err(error) if is_of_size(&error) && self.size.note_failed(n_items) => {
                counts.shrunk += 1;
                if let Some(gpu) = self.engine.gpu() {
                    gpu.note_halved(&error);
                }
                BatchAttempt::Halved
            }
            Err(error) => BatchAttempt::Failed(error),
        }
    }
}

/// Whether an error means that a batch was too large for the device, rather than that the device is lost.
pub fn is_of_size(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::GpuMemory | ErrorKind::Limit)
}

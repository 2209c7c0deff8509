//! Batches on a device: as many items as it bears, fewer where its memory ends.

use super::batch_size::BatchSize;
use super::counts::BatchCounts;
use crate::base::{Error, ErrorKind, Result};
use crate::engine::Engine;
use std::time::Instant;

/// How large a batch on a device may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BatchLimits {
    /// The most items, 1 to [`MOST_BATCH`](super::MOST_BATCH).
    pub items: Option<usize>,
    /// Memory on the device; by default a quarter of its largest buffer, which is the limit as well.
    pub bytes: Option<u64>,
}

/// What came of a batch.
pub enum BatchAttempt<T> {
    /// It was computed.
    Done(T),
    /// It found no memory: the next one has half as many items.
    Halved,
    /// It cannot be computed there.
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
    /// A batch takes at most `most_bytes`, however much the device has.
    pub fn new(engine: &Engine, limits: BatchLimits, most_bytes: u64) -> BatchDevice {
        let quarter = engine.gpu().map_or(most_bytes, |gpu| gpu.largest_buffer_bytes() / 4).min(most_bytes);
        let budget_bytes = limits.bytes.map_or(quarter, |asked| asked.min(quarter));
        BatchDevice { engine: engine.clone(), size: BatchSize::new(limits.items, budget_bytes), budget_bytes }
    }

    /// The most items that a batch may have.
    pub fn most_items(&self) -> usize {
        self.size.asked()
    }

    /// Whether items that wait, with the bytes that they take together, are a batch.
    pub fn is_full(&self, n_items: usize, n_bytes: u64) -> bool {
        n_items >= self.size.asked() || n_bytes >= self.budget_bytes
    }

    /// Items of the next batch, 1 at least, from the bytes of those that wait.
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

/// Whether a batch was too large for the device, rather than the device lost.
pub fn is_of_size(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::GpuMemory | ErrorKind::Limit)
}

//! The number of items in a batch: as many as fit, fewer after running out of memory, and gradually more again.

/// Maximum batch size of an order.
pub const MAX_BATCH: usize = 4_096;
/// Default maximum batch size.
const DEFAULT_BATCH: usize = 256;
/// Number of batches without a failure after which the size grows by half.
const GOOD_BATCHES: u32 = 16;
/// Number of upcoming items whose size is considered.
const ITEMS_AHEAD: usize = 64;

/// The size of the next batch, adapted to the memory of the device.
#[derive(Debug, Clone)]
pub struct BatchSize {
    requested: usize,
    budget_bytes: u64,
    /// Current limit after failures, at most `requested`.
    now: usize,
    /// The smallest batch that failed.
    failed: usize,
    n_good: u32,
}

impl BatchSize {
    /// Batches of at most `requested` items and `budget_bytes`.
    pub fn new(requested: Option<usize>, budget_bytes: u64) -> BatchSize {
        let requested = requested.unwrap_or(DEFAULT_BATCH).clamp(1, MAX_BATCH);
        BatchSize { requested, budget_bytes, now: requested, failed: usize::MAX, n_good: 0 }
    }

    /// Maximum number of items per batch.
    pub fn requested(&self) -> usize {
        self.requested
    }

    /// Number of items in the next batch, at least 1, given the bytes of the waiting ones.
    pub fn next(&self, bytes: impl IntoIterator<Item = u64>) -> usize {
        let largest = bytes.into_iter().take(ITEMS_AHEAD).max().unwrap_or(0).max(1);
        let fitting = usize::try_from(self.budget_bytes / largest).unwrap_or(usize::MAX);
        fitting.clamp(1, self.requested).min(self.now)
    }

    /// Halves the next batches after a batch of `n` items ran out of memory. False for a batch of one item, which
    /// cannot be halved.
    pub fn note_failed(&mut self, n: usize) -> bool {
        self.n_good = 0;
        self.failed = self.failed.min(n);
        self.now = (n / 2).max(1);
        n > 1
    }

    /// Records a successful batch.
    pub fn note_good(&mut self) {
        self.n_good += 1;
        if self.n_good >= GOOD_BATCHES {
            self.n_good = 0;
            let larger = self.now + (self.now / 2).max(1);
            self.now = larger.min(self.failed - 1).min(self.requested).max(1);
        }
    }
}

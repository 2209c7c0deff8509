//! Device failures: whether the CPU may take over, and counters of the steps taken.

use super::faults::FaultCounts;
use crate::base::{Error, Result};
use crate::gpu::Gpu;
use std::sync::atomic::Ordering::Relaxed;

impl Gpu {
    /// Whether the CPU engine may take over if this device fails; allowed by default.
    pub fn may_fall_back(&self) -> bool {
        !self.faults.refuses_cpu.load(Relaxed)
    }

    /// Allows or forbids the fallback.
    pub fn set_may_fall_back(&self, may: bool) {
        self.faults.refuses_cpu.store(!may, Relaxed);
    }

    /// Counts an edit that is retried in smaller pieces.
    pub fn note_halved(&self, error: &Error) {
        tracing::warn!("{error}: once more in smaller pieces");
        self.faults.n_halved.fetch_add(1, Relaxed);
    }

    /// Leaves a failed operation to the CPU and counts it.
    ///
    /// # Errors
    /// The device's error, with advice, if the CPU may not take over.
    pub fn leave_to_cpu(&self, error: &Error) -> Result<()> {
        if !self.may_fall_back() {
            let message = format!("{}; use the CPU engine (--engine cpu)", error.message());
            return Err(Error::new(error.kind(), message));
        }
        tracing::warn!("{error}: the CPU engine takes over");
        self.faults.n_on_cpu.fetch_add(1, Relaxed);
        Ok(())
    }

    /// Counters of the steps taken so far.
    pub fn fault_counts(&self) -> FaultCounts {
        self.faults.counts()
    }

    /// Number of allocations requested so far.
    pub fn allocations(&self) -> u64 {
        self.memory.n_requested()
    }

    /// Makes the allocations with these numbers, counted from now on, fail as if memory had run out. For tests.
    #[cfg(feature = "hooks")]
    pub fn fail_allocations(&self, numbers: std::ops::Range<u64>) {
        self.memory.fail(numbers);
    }
}

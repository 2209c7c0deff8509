//! What to do when the device fails: whether the CPU may take over, and what was done so far.

use super::Gpu;
use super::faults::FaultCounts;
use crate::base::Error;
use std::sync::atomic::Ordering::Relaxed;

impl Gpu {
    /// Whether the CPU engine may take over where this device fails; it may, unless it was said that it may not.
    pub fn may_fall_back(&self) -> bool {
        !self.faults.refuses_cpu.load(Relaxed)
    }

    /// Says whether it may.
    pub fn set_may_fall_back(&self, may: bool) {
        self.faults.refuses_cpu.store(!may, Relaxed);
    }

    /// An edit is tried again in smaller pieces.
    pub fn note_halved(&self, error: &Error) {
        tracing::warn!("{error}: once more in smaller pieces");
        self.faults.n_halved.fetch_add(1, Relaxed);
    }

    /// An edit is computed on the CPU.
    pub fn note_on_cpu(&self, error: &Error) {
        tracing::warn!("{error}: the CPU engine takes over for this edit");
        self.faults.n_on_cpu.fetch_add(1, Relaxed);
    }

    /// What had to be done so far.
    pub fn fault_counts(&self) -> FaultCounts {
        self.faults.counts()
    }

    /// Allocations asked for so far.
    pub fn allocations(&self) -> u64 {
        self.memory.n_asked()
    }

    /// For tests: the allocations of these numbers, counted from now on, fail as if memory had ended.
    #[cfg(feature = "hooks")]
    pub fn fail_allocations(&self, numbers: std::ops::Range<u64>) {
        self.memory.fail(numbers);
    }
}

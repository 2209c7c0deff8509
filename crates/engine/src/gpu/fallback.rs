//! What to do when the device fails: whether the CPU may take over, and what was done so far.

use super::Gpu;
use super::faults::FaultCounts;
use crate::base::{Error, Result};
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

    /// Leaves to the CPU what this device failed at, and counts it.
    ///
    /// # Errors
    /// The device's error, with advice, where the CPU may not take over.
    pub fn leave_to_cpu(&self, error: &Error) -> Result<()> {
        if !self.may_fall_back() {
            let message = format!("{}; use the CPU engine (--engine cpu)", error.message());
            return Err(Error::new(error.kind(), message));
        }
        tracing::warn!("{error}: the CPU engine takes over");
        self.faults.n_on_cpu.fetch_add(1, Relaxed);
        Ok(())
    }

    /// What had to be done so far.
    pub fn fault_counts(&self) -> FaultCounts {
        self.faults.counts()
    }

    /// Allocations requested so far.
    pub fn allocations(&self) -> u64 {
        self.memory.n_asked()
    }

    /// For tests: the allocations of these numbers, counted from now on, fail as if memory had ended.
    #[cfg(feature = "hooks")]
    pub fn fail_allocations(&self, numbers: std::ops::Range<u64>) {
        self.memory.fail(numbers);
    }
}

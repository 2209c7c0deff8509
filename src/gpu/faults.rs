//! What happens when the device fails, and how often it did.

use super::Gpu;
use crate::base::Error;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Whether another engine may take over, and what had to be done so far.
#[derive(Debug, Default)]
pub(super) struct Faults {
    refuses_cpu: AtomicBool,
    n_trimmed: AtomicU64,
    n_halved: AtomicU64,
    n_on_cpu: AtomicU64,
}

/// How often each step against a failing device was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FaultCounts {
    /// What was cached was given back, and it was tried once more.
    pub n_trimmed: u64,
    /// An edit was tried again in pieces of half the size.
    pub n_halved: u64,
    /// An edit was computed on the CPU.
    pub n_on_cpu: u64,
}

impl Faults {
    pub fn count_trim(&self) {
        self.n_trimmed.fetch_add(1, Relaxed);
    }
}

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
        let Faults { n_trimmed, n_halved, n_on_cpu, .. } = &self.faults;
        let [n_trimmed, n_halved, n_on_cpu] = [n_trimmed, n_halved, n_on_cpu].map(|n| n.load(Relaxed));
        FaultCounts { n_trimmed, n_halved, n_on_cpu }
    }

    /// Allocations asked for so far.
    pub fn allocations(&self) -> u64 {
        self.memory.n_asked()
    }

    /// For tests: the allocations of these numbers, counted from now on, fail as if memory had ended.
    pub fn fail_allocations(&self, numbers: Range<u64>) {
        self.memory.fail(numbers);
    }
}

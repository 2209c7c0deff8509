//! Counters of device failures.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Whether another engine may take over, and counters of the steps taken.
#[derive(Debug, Default)]
pub(super) struct Faults {
    pub refuses_cpu: AtomicBool,
    pub n_trimmed: AtomicU64,
    pub n_halved: AtomicU64,
    pub n_on_cpu: AtomicU64,
}

/// Number of times that each step against a failing device was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FaultCounts {
    /// Cached memory was freed, and the step was tried again.
    pub n_trimmed: u64,
    /// An edit was tried again in pieces of half the size.
    pub n_halved: u64,
    /// An edit was computed on the CPU.
    pub n_on_cpu: u64,
}

impl Faults {
    pub fn counts(&self) -> FaultCounts {
        let Faults { n_trimmed, n_halved, n_on_cpu, .. } = self;
        let [n_trimmed, n_halved, n_on_cpu] = [n_trimmed, n_halved, n_on_cpu].map(|n| n.load(Relaxed));
        FaultCounts { n_trimmed, n_halved, n_on_cpu }
    }
}

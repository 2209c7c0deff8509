//! Counters of device failures.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Whether another engine may take over, and counters of the steps taken.
#[derive(Debug, Default)]
pub(in crate::gpu) struct Faults {
    pub refuses_cpu: AtomicBool,
    pub n_trimmed: AtomicU64,
    pub n_halved: AtomicU64,
    pub n_on_cpu: AtomicU64,
}

/// Counters of the steps taken against device failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FaultCounts {
    /// Retries after freeing cached memory.
    pub n_trimmed: u64,
    /// Retries of an edit in pieces of half the size.
    pub n_halved: u64,
    /// Edits computed on the CPU.
    pub n_on_cpu: u64,
}

impl Faults {
    pub fn counts(&self) -> FaultCounts {
        let Faults { n_trimmed, n_halved, n_on_cpu, .. } = self;
        let [n_trimmed, n_halved, n_on_cpu] = [n_trimmed, n_halved, n_on_cpu].map(|n| n.load(Relaxed));
        FaultCounts { n_trimmed, n_halved, n_on_cpu }
    }
}

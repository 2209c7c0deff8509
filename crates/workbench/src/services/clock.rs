//! Monotonic clocks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// A monotonic clock.
pub trait Clock: Send + Sync {
    /// Seconds since an arbitrary origin.
    fn now_secs(&self) -> f64;
}

/// The system's clock, starting at 0.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock(Instant);

impl SystemClock {
    /// A clock that starts at 0.
    pub fn new() -> SystemClock {
        SystemClock(Instant::now())
    }
}

impl Default for SystemClock {
    fn default() -> SystemClock {
        SystemClock::new()
    }
}

impl Clock for SystemClock {
    fn now_secs(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// A clock that tests set; clones share the time.
#[derive(Debug, Clone, Default)]
pub struct SetClock(Arc<AtomicU64>);

impl SetClock {
    /// Advances the time.
    pub fn advance(&self, secs: f64) {
        self.0.store((self.now_secs() + secs).to_bits(), Relaxed);
    }
}

impl Clock for SetClock {
    fn now_secs(&self) -> f64 {
        f64::from_bits(self.0.load(Relaxed))
    }
}

//! A cache of real FFT plans.

use super::real_fft::real_ffts;
use crate::base::lock;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Maximum FFT length whose plan is cached. Longer plans need much memory, and take longer to run than to create.
const MAX_CACHED_LEN: usize = 1 << 16;

/// Both directions of an FFT of one length.
#[derive(Clone)]
pub struct RealFfts {
    /// Real to complex.
    pub forward: Arc<dyn RealToComplex<f32>>,
    /// Complex to real, not normalised.
    pub inverse: Arc<dyn ComplexToReal<f32>>,
}

/// A cache of FFT plans, with a count of created ones. Clones share it.
#[derive(Clone, Default)]
pub struct FftPlans(Arc<FftCache>);

#[derive(Default)]
struct FftCache {
    kept: Mutex<HashMap<usize, RealFfts>>,
    n_made: AtomicU64,
}

impl std::fmt::Debug for FftPlans {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FftPlans").field("n_made", &self.n_made()).finish_non_exhaustive()
    }
}

impl FftPlans {
    /// The plans for a length, at least 2.
    pub fn get(&self, length: usize) -> RealFfts {
        if let Some(ffts) = lock(&self.0.kept).get(&length) {
            return ffts.clone();
        }
        self.note_made();
        // A new planner for each length, so that a plan never depends on which lengths were planned before.
        let (forward, inverse) = if length.is_multiple_of(4) {
            real_ffts(length)
        } else {
            let mut planner = RealFftPlanner::new();
            (planner.plan_fft_forward(length), planner.plan_fft_inverse(length))
        };
        let ffts = RealFfts { forward, inverse };
        if length <= MAX_CACHED_LEN {
            lock(&self.0.kept).insert(length, ffts.clone());
        }
        ffts
    }

    /// Creates the plans of all powers of two that are cached.
    pub fn ready(&self) {
        (1..=MAX_CACHED_LEN.ilog2()).for_each(|exponent| drop(self.get(1 << exponent)));
    }

    /// Counts a table that was created along with a plan.
    pub fn note_made(&self) {
        self.0.n_made.fetch_add(1, Relaxed);
    }

    /// Number of plans and tables created so far.
    pub fn n_made(&self) -> u64 {
        self.0.n_made.load(Relaxed)
    }
}

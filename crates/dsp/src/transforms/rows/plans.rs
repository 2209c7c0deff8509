//! FFT plans of slices, and reusable scratch buffers.

use crate::base::lock;
use crate::dsp::FftPlans;
use crate::dsp::transforms::fft_plans::RealFfts;
use rustfft::num_complex::Complex32;
use rustfft::{Fft, FftPlanner};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Trace span of the FFTs of slices: shows the work that a GPU engine leaves to the CPU.
pub(super) const ON_CPU: &str = "cpu rows";

/// The FFTs of a group: real FFTs of slices, and complex FFTs of a row's places in a slice.
#[derive(Clone)]
pub(super) struct SlicePlans {
    /// FFTs of `slice_len` samples.
    pub samples: RealFfts,
    /// FFTs of `n_places` values.
    pub places: PlaceFfts,
}

/// Both directions of a complex FFT, not normalised.
#[derive(Clone)]
pub(super) struct PlaceFfts {
    pub forward: Arc<dyn Fft<f32>>,
    pub inverse: Arc<dyn Fft<f32>>,
}

/// The plans of a bank, keyed by slice length and by number of places.
pub(super) struct SlicePlanCache {
    ffts: FftPlans,
    samples: Mutex<HashMap<usize, RealFfts>>,
    places: Mutex<HashMap<usize, PlaceFfts>>,
}

impl SlicePlanCache {
    pub fn new(ffts: &FftPlans) -> SlicePlanCache {
        SlicePlanCache { ffts: ffts.clone(), samples: Mutex::default(), places: Mutex::default() }
    }

    /// The shared FFT plans.
    pub fn ffts(&self) -> &FftPlans {
        &self.ffts
    }

    pub fn get(&self, slice_len: usize, n_places: usize) -> SlicePlans {
        // `FftPlans` does not cache the longest plans.
        let samples = lock(&self.samples).entry(slice_len).or_insert_with(|| self.ffts.get(slice_len)).clone();
        let made = || {
            self.ffts.note_made();
            // A new planner for each length, so that a plan never depends on which lengths were planned before.
            let mut planner = FftPlanner::new();
            PlaceFfts { forward: planner.plan_fft_forward(n_places), inverse: planner.plan_fft_inverse(n_places) }
        };
        let places = lock(&self.places).entry(n_places).or_insert_with(made).clone();
        SlicePlans { samples, places }
    }
}

/// Buffers for one slice at a time; each grows to the largest size required so far.
#[derive(Default)]
pub(super) struct SliceScratch {
    /// The slice's samples, and their spectrum.
    pub samples: Vec<f32>,
    pub spectrum: Vec<Complex32>,
    /// Places of all rows, row by row.
    pub cells: Vec<Complex32>,
    /// The rows of one column.
    pub column: Vec<Complex32>,
    /// Scratch buffer of the FFTs.
    pub fft: Vec<Complex32>,
}

/// The first `n` values of a buffer that may grow.
pub(super) fn first<T: Copy + Default>(buffer: &mut Vec<T>, n: usize) -> &mut [T] {
    if buffer.len() < n {
        buffer.resize(n, T::default());
    }
    &mut buffer[..n]
}

/// A pool of unused buffers, at most as many as threads have worked concurrently.
#[derive(Default)]
pub(super) struct SliceScratchPool(Mutex<Vec<SliceScratch>>);

/// A buffer in use, returned to the pool when dropped.
pub(super) struct BorrowedScratch<'a> {
    pool: &'a SliceScratchPool,
    pub scratch: SliceScratch,
}

impl SliceScratchPool {
    pub fn borrow(&self) -> BorrowedScratch<'_> {
        BorrowedScratch { pool: self, scratch: lock(&self.0).pop().unwrap_or_default() }
    }
}

impl Drop for BorrowedScratch<'_> {
    fn drop(&mut self) {
        lock(&self.pool.0).push(std::mem::take(&mut self.scratch));
    }
}

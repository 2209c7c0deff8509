//! Modulation filter brush: a Butterworth filter of the magnitude's modulation frequencies along frames or bins. Twin:
//! `shaders/modulation_filter.wgsl`.
//!
//! With `along: both` the response is the product of those of both axes, and mirroring one axis does not affect the
//! other, so the axes are filtered one after the other.

use super::blur_mix;
use crate::dsp::strokes::brush::Butterworth;
use crate::dsp::transforms::fft_plans::RealFfts;
use crate::dsp::{FftPlans, Mask, Region};
use rayon::prelude::*;
use rustfft::num_complex::Complex32;

/// Padded length of an axis of `n` cells: the smallest power of two of at least `2 n`.
pub fn padded_length(n: usize) -> usize {
    (2 * n).next_power_of_two()
}

/// The cell of an axis of `n` cells at index `place` of the padded axis: mirrored at both ends with the last cell
/// repeated, floor and ceil of half the padding before and after (NumPy `pad(mode="symmetric")`).
pub fn mirrored(place: usize, n: usize, padded: usize) -> usize {
    let before = (padded - n) / 2;
    // Adds a multiple of the period 2n so that the difference cannot be negative.
    let around = (place + 2 * n * before.div_ceil(2 * n) - before) % (2 * n);
    if around < n { around } else { 2 * n - 1 - around }
}

/// The response at `|k| = 0 ..= P/2`, divided by the padded length `P` to normalise the inverse transform. `step` is
/// the modulation frequency of `k = 1`.
pub fn modulation_response(filter: &Butterworth, padded: usize, step: f64) -> Vec<f32> {
    (0..=padded / 2).map(|k| (filter.response(k as f64 * step) / padded as f64) as f32).collect()
}

/// Filter along one axis.
struct AxisFilter<'a> {
    response: &'a [f32],
    n: usize,
    ffts: RealFfts,
}

impl AxisFilter<'_> {
    fn new<'a>(plans: &FftPlans, response: &'a [f32], n: usize) -> AxisFilter<'a> {
        AxisFilter { response, n, ffts: plans.get(padded_length(n)) }
    }

    fn buffers(&self) -> (Vec<f32>, Vec<Complex32>, Vec<Complex32>) {
        let scratch = self.ffts.forward.get_scratch_len().max(self.ffts.inverse.get_scratch_len());
        (self.ffts.forward.make_input_vec(), self.ffts.forward.make_output_vec(), vec![Complex32::default(); scratch])
    }

    /// Filters a line in place.
    fn run(&self, line: &mut [f32], (padded, spectrum, scratch): &mut (Vec<f32>, Vec<Complex32>, Vec<Complex32>)) {
        let length = padded.len();
        for (place, value) in padded.iter_mut().enumerate() {
            *value = line[mirrored(place, self.n, length)];
        }
        let scratch_length = self.ffts.forward.get_scratch_len();
        self.ffts.forward.process_with_scratch(padded, spectrum, &mut scratch[..scratch_length]).ok();
        for (x, response) in spectrum.iter_mut().zip(self.response) {
            *x *= response;
        }
        let scratch_length = self.ffts.inverse.get_scratch_len();
        self.ffts.inverse.process_with_scratch(spectrum, padded, &mut scratch[..scratch_length]).ok();
        line.copy_from_slice(&padded[(length - self.n) / 2..][..self.n]);
    }
}

/// The filtered magnitudes of the patch, which is all of `before`; not clamped yet.
pub fn modulation_filter(
    plans: &FftPlans,
    frame_response: Option<&[f32]>,
    bin_response: Option<&[f32]>,
    before: &Region,
) -> Vec<f32> {
    let (n_frames, n_bins) = (before.n_frames(), before.n_bins());
    let mut patch = before.magnitude.clone();
    if let Some(response) = frame_response {
        let filter = AxisFilter::new(plans, response, n_frames);
        let mut transposed = transpose(&patch, n_frames, n_bins);
        transposed
            .par_chunks_mut(n_frames)
            .for_each_init(|| filter.buffers(), |buffers, line| filter.run(line, buffers));
        patch = transpose(&transposed, n_bins, n_frames);
    }
    if let Some(response) = bin_response {
        let filter = AxisFilter::new(plans, response, n_bins);
        patch.par_chunks_mut(n_bins).for_each_init(|| filter.buffers(), |buffers, line| filter.run(line, buffers));
    }
    patch
}

/// Transposes in blocks that fit the cache.
fn transpose(plane: &[f32], n_rows: usize, n_columns: usize) -> Vec<f32> {
    const SIDE_BINS: usize = 32;
    let mut out = vec![0.0; plane.len()];
    out.par_chunks_mut(n_rows * SIDE_BINS).enumerate().for_each(|(band, out)| {
        let columns = band * SIDE_BINS..(band * SIDE_BINS + SIDE_BINS).min(n_columns);
        for first_row in (0..n_rows).step_by(SIDE_BINS) {
            for column in columns.clone() {
                for row in first_row..(first_row + SIDE_BINS).min(n_rows) {
                    out[(column - columns.start) * n_rows + row] = plane[row * n_columns + column];
                }
            }
        }
    });
    out
}

/// As [`modulation_filter`], over the cells of a mask: `|E| = lerp(|O|, max(0, filtered), M)`.
pub(super) fn run(
    plans: &FftPlans,
    frame_response: Option<&[f32]>,
    bin_response: Option<&[f32]>,
    before: &Region,
    mask: &Mask,
    after: &mut Region,
) {
    let filtered = modulation_filter(plans, frame_response, bin_response, before);
    let cells = after.magnitude.iter_mut().zip(&filtered).zip(&mask.values);
    for ((magnitude, filtered), m) in cells.filter(|(_, m)| **m != 0.0) {
        *magnitude = blur_mix(*magnitude, filtered.max(0.0), *m);
    }
}

//! How far a sound's own cells are from what was painted, and the step that brings them nearer.
//! Twins: `shaders/retarget.wgsl`, `shaders/distance.wgsl`.

use crate::dsp::polar::cos_sin_turns;
use crate::dsp::{Mask, Region};
use rayon::prelude::*;
use rustfft::num_complex::Complex32;

/// The painted magnitude on the sound's own phase where the mask is above 0, the sound's own cell elsewhere. All three
/// cover the same cells.
pub fn retarget(now: &Region, painted: &Region, mask: &Mask) -> Region {
    let mut target = now.clone();
    let cells = target.magnitude.iter_mut().zip(&painted.magnitude).zip(&mask.values);
    for ((magnitude, painted), _) in cells.filter(|(_, m)| **m > 0.0) {
        *magnitude = *painted;
    }
    target
}

/// `||now - painted||^2` and `||painted - before||^2` over the cells where the mask is above 0. `now` and `painted`
/// cover the cells of the mask, `before` these and perhaps more.
pub fn distance_squares(before: &Region, painted: &Region, now: &Region, mask: &Mask) -> [f64; 2] {
    let n_bins = mask.rect.bins.len().max(1);
    let cell = |region: &Region, i: usize| {
        let [cos, sin] = cos_sin_turns(region.phase[i]);
        Complex32::new(region.magnitude[i] * cos, region.magnitude[i] * sin)
    };
    let row_squares = |(row, mask_row): (usize, &[f32])| {
        let in_before = before.index(mask.rect.frames.start + row, mask.rect.bins.start);
        let mut squares = [0.0, 0.0];
        for (column, _) in mask_row.iter().enumerate().filter(|(_, m)| **m > 0.0) {
            let i = row * n_bins + column;
            let wanted = cell(painted, i);
            squares[0] += f64::from((cell(now, i) - wanted).norm_sqr());
            squares[1] += f64::from((wanted - cell(before, in_before + column)).norm_sqr());
        }
        squares
    };
    let rows: Vec<[f64; 2]> = mask.values.par_chunks(n_bins).enumerate().map(row_squares).collect();
    // Summed in order, so that the number does not depend on the threads.
    rows.iter().fold([0.0; 2], |sum, row| [sum[0] + row[0], sum[1] + row[1]])
}

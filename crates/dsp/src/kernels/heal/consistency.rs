//! Consistency: the distance between the painted cells and the STFT of the resulting signal, and the target of the step
//! that reduces it. Twins: `shaders/retarget.wgsl`, `shaders/distance.wgsl`.

use crate::dsp::cells::polar::complex_from_polar;
use crate::dsp::{Mask, Region};
use rayon::prelude::*;

/// The target of a consistency step: the magnitude of `painted` with the phase of `now` where the mask is above 0, and
/// the cell of `now` elsewhere. All three cover the same cells.
pub fn retarget(now: &Region, painted: &Region, mask: &Mask) -> Region {
    let mut target = now.clone();
    let n_bins = mask.rect.bins.len().max(1);
    let rows = target.magnitude.par_chunks_mut(n_bins).zip(painted.magnitude.par_chunks(n_bins));
    rows.zip(mask.values.par_chunks(n_bins)).with_min_len(16).for_each(|((magnitude, painted), mask)| {
        for ((magnitude, painted), m) in magnitude.iter_mut().zip(painted).zip(mask) {
            *magnitude = if *m > 0.0 { *painted } else { *magnitude };
        }
    });
    target
}

/// `||now - painted||^2` and `||painted - before||^2` over the cells where the mask is above 0. `now` and `painted`
/// cover the cells of the mask, `before` at least these.
pub fn distance_squares(before: &Region, painted: &Region, now: &Region, mask: &Mask) -> [f64; 2] {
    let n_bins = mask.rect.bins.len().max(1);
    let row_squares = |(row, mask_row): (usize, &[f32])| {
        if mask_row.iter().all(|m| *m <= 0.0) {
            return [0.0; 2];
        }
        let in_before = before.index(mask.rect.frames.start + row, mask.rect.bins.start);
        let cells = |region: &Region, first: usize| {
            let (mut re, mut im) = (vec![0.0; mask_row.len()], vec![0.0; mask_row.len()]);
            let at = first..first + mask_row.len();
            complex_from_polar(&region.magnitude[at.clone()], &region.phase[at], &mut re, &mut im);
            [re, im]
        };
        let [before, wanted, now] = [cells(before, in_before), cells(painted, row * n_bins), cells(now, row * n_bins)];
        let mut squares = [0.0, 0.0];
        for i in (0..mask_row.len()).filter(|&i| mask_row[i] > 0.0) {
            let apart = |a: &[Vec<f32>; 2], b: &[Vec<f32>; 2]| {
                let [re, im] = [a[0][i] - b[0][i], a[1][i] - b[1][i]];
                f64::from(re * re + im * im)
            };
            squares = [squares[0] + apart(&now, &wanted), squares[1] + apart(&wanted, &before)];
        }
        squares
    };
    let rows: Vec<[f64; 2]> = mask.values.par_chunks(n_bins).enumerate().map(row_squares).collect();
    // Summed in order, so that the result does not depend on the number of threads.
    rows.iter().fold([0.0; 2], |sum, row| [sum[0] + row[0], sum[1] + row[1]])
}

//! Two regions made one, as complex numbers: what noise and tone add, and what clone and smudge put in place.
//! Twin: `shaders/combine.wgsl`.

use crate::dsp::polar::{cos_sin_turns, magnitude_from_complex, turns_from_complex};
use crate::dsp::{Mask, Region};
use rayon::prelude::*;

/// `E = O (1 - M (1 - kept)) + M Z`: `kept` 1 adds `Z`, 0 puts it in place of `O`. Gives the cells of `mask.rect`, which
/// `other` (`Z`) covers exactly and `before` (`O`) at least. Where the mask is 0 cells are copied.
pub fn combine(before: &Region, other: &Region, mask: &Mask, kept: f32) -> Region {
    let mut after = before.crop(&mask.rect);
    let n_bins = mask.rect.bins.len().max(1);
    let rows = after.magnitude.par_chunks_mut(n_bins).zip(after.phase.par_chunks_mut(n_bins));
    rows.enumerate().for_each(|(row, (magnitudes, phases))| {
        for (column, (magnitude, phase)) in magnitudes.iter_mut().zip(phases).enumerate() {
            let i = row * n_bins + column;
            let m = mask.values[i];
            if m != 0.0 {
                let own = *magnitude * (1.0 - m * (1.0 - kept));
                let others = other.magnitude[i] * m;
                let ([a, b], [c, d]) = (cos_sin_turns(*phase), cos_sin_turns(other.phase[i]));
                let (re, im) = (own * a + others * c, own * b + others * d);
                *magnitude = magnitude_from_complex(re, im);
                *phase = turns_from_complex(re, im);
            }
        }
    });
    after
}

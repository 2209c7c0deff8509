//! Combines two regions as complex numbers: noise and tone add, clone and smudge replace. Twin: `shaders/combine.wgsl`.

use crate::dsp::cells::polar::{cos_sin_small, polar_from_parts};
use crate::dsp::numeric::vectors::vectorized;
use crate::dsp::{Mask, Region};
use rayon::prelude::*;

/// `E = O (1 - M (1 - kept)) + M Z`: `kept` 1 adds `Z`, 0 replaces `O`. Returns the cells of `mask.rect`, which `other`
/// (`Z`) covers exactly; `before` (`O`) may be larger. Cells with a mask of 0 are copied.
pub fn combine(before: &Region, other: &Region, mask: &Mask, kept: f32) -> Region {
    let mut after = before.crop(&mask.rect);
    let n_bins = mask.rect.bins.len().max(1);
    let own = after.magnitude.par_chunks_mut(n_bins).zip(after.phase.par_chunks_mut(n_bins));
    let others = other.magnitude.par_chunks(n_bins).zip(other.phase.par_chunks(n_bins));
    own.zip(others).zip(mask.values.par_chunks(n_bins)).with_min_len(8).for_each(|((own, others), mask)| {
        if mask.iter().any(|m| *m != 0.0) {
            combine_row(own, others, mask, kept);
        }
    });
    after
}

vectorized! {
    fn combine_row(own: (&mut [f32], &mut [f32]), others: (&[f32], &[f32]), mask: &[f32], kept: f32) {
        let cells = own.0.iter_mut().zip(own.1).zip(others.0.iter().zip(others.1)).zip(mask);
        for (((magnitude, phase), (other, other_phase)), m) in cells {
            let ([a, b], [c, d]) = (cos_sin_small(*phase), cos_sin_small(*other_phase));
            let own = *magnitude * (1.0 - m * (1.0 - kept));
            let other = other * m;
            let new = polar_from_parts(own * a + other * c, own * b + other * d);
            [*magnitude, *phase] = if *m != 0.0 { new } else { [*magnitude, *phase] };
        }
    }
}

//! Sharpen brush: adds more of what a blur would remove. Twin: `shaders/sharpen.wgsl`.

use super::blur;
use crate::dsp::{Mask, Region};

/// `|E| = lerp(|O|, max(0, |O| + amount (|O| - G)), M)`.
pub fn sharpen_mix(magnitude: f32, blurred: f32, amount: f32, mask: f32) -> f32 {
    let sharp = (magnitude + amount * (magnitude - blurred)).max(0.0);
    magnitude + (sharp - magnitude) * mask
}

/// [`blur`](fn@blur) and [`sharpen_mix`] over the cells of a mask.
pub(super) fn run(frame_taps: &[f32], bin_taps: &[f32], amount: f32, before: &Region, mask: &Mask, after: &mut Region) {
    let blurred = blur(frame_taps, bin_taps, before, &mask.rect);
    let cells = after.magnitude.iter_mut().zip(&blurred).zip(&mask.values);
    for ((magnitude, blurred), m) in cells.filter(|(_, m)| **m != 0.0) {
        *magnitude = sharpen_mix(*magnitude, *blurred, amount, *m);
    }
}

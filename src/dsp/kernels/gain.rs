//! Gain brush. Twin: `shaders/gain.wgsl`.

use crate::dsp::exp2::exp2;

/// `|E| = |O| * 10^(gain_db * M / 20)`, as `exp2(log2_gain * M)`; exactly `|O|` where `M` is 0.
#[inline(always)]
pub fn gain(log2_gain: f32, magnitude: f32, mask: f32) -> f32 {
    magnitude * exp2(log2_gain * mask)
}

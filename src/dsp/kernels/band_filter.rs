//! Band filter brush. Twin: `shaders/band_filter.wgsl`.

/// `|E| = |O| * lerp(1, B, M)`.
#[inline(always)]
pub fn band_filter(response: f32, magnitude: f32, mask: f32) -> f32 {
    magnitude * (1.0 + (response - 1.0) * mask)
}

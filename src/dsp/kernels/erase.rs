//! Erase brush. Twin: `shaders/erase.wgsl`.

/// `|E| = |O| * (1 - M)`; exactly 0 where `M` is 1.
#[inline(always)]
pub fn erase(magnitude: f32, mask: f32) -> f32 {
    magnitude * (1.0 - mask)
}

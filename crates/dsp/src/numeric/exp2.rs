//! Powers of 2 by a polynomial that WGSL evaluates in the same order and with the same coefficients (`exp2_poly` in
//! `shaders/common/exp2.wgsl`): WGSL allows its built-in `exp2` an error of `3 + 2 |x|` ULP, so that engines would
//! differ visibly.
//!
//! Source: the Taylor series of `2^f` up to `f^7` on [-0.5, 0.5], with a truncation error below 6e-9.

/// Coefficients of `f` to `f^7`; the constant term is 1.
#[expect(clippy::approx_constant, reason = "the first is ln 2 to the digits of f32, as the others are to theirs")]
pub const COEFFICIENTS: [f32; 7] =
    [0.693_147_2, 0.240_226_5, 0.055_504_11, 0.009_618_129, 0.001_333_355_8, 1.540_353e-4, 1.525_273e-5];

/// `2^x`, exactly 1 at 0, relative error below 2e-7 over [-20, 4]; `x` is clamped to [-126, 127].
#[inline(always)]
pub fn exp2(x: f32) -> f32 {
    // The low bits of the shifted number are those of the nearest integer, ties to even.
    const SHIFT: f32 = 12_582_912.0;
    let u = if x > -126.0 { x } else { -126.0 };
    let u = if u < 127.0 { u } else { 127.0 };
    let shifted = u + SHIFT;
    let n = shifted - SHIFT;
    let f = u - n;
    const C: [f32; 7] = COEFFICIENTS;
    let p = 1.0 + f * (C[0] + f * (C[1] + f * (C[2] + f * (C[3] + f * (C[4] + f * (C[5] + f * C[6]))))));
    p * f32::from_bits(shifted.to_bits().wrapping_add(127) << 23)
}

//! Logarithms by a polynomial that WGSL evaluates in the same order and with the same coefficients (`log2_poly` in
//! `shaders/common/log2.wgsl`): WGSL allows its built-in `log2` an absolute error of 2^-21 between 0.5 and 2.
//!
//! Source: `log2(m) = 2 / ln 2 (s + s^3/3 + s^5/5 + ...)`, `s = (m - 1)/(m + 1)`, on `[sqrt(1/2), sqrt(2)]`, where the
//! first omitted term is below 1e-9.

/// Coefficients of `s`, `s^3`, `s^5`, `s^7` and `s^9`.
pub const COEFFICIENTS: [f32; 5] = [2.885_39, 0.961_796_7, 0.577_078_04, 0.412_198_57, 0.320_598_9];

/// Minimum argument, 2^-100; smaller ones are raised to it.
pub const MIN_ARGUMENT: f32 = 7.888_609e-31;

/// `log2(x)` of a normal `x` above 0, absolute error below 2^-20 of the result plus 2e-7. Arguments below
/// [`MIN_ARGUMENT`] count as [`MIN_ARGUMENT`].
#[inline(always)]
pub fn log2(x: f32) -> f32 {
    const C: [f32; 5] = COEFFICIENTS;
    let bits = if x > MIN_ARGUMENT { x } else { MIN_ARGUMENT }.to_bits() as i32;
    // The exponent that leaves a mantissa between sqrt(1/2) and sqrt(2).
    let exponent = bits.wrapping_sub(0x3f35_04f3) >> 23;
    let m = f32::from_bits(bits.wrapping_sub(exponent << 23) as u32);
    let s = (m - 1.0) / (m + 1.0);
    let y = s * s;
    let p = s * (C[0] + y * (C[1] + y * (C[2] + y * (C[3] + y * C[4]))));
    exponent as f32 + p
}

//! Logarithms by a polynomial that WGSL evaluates in the same order and with the same coefficients (`log2_poly` in
//! `shaders/common/log2.wgsl`): a shading language may be wrong by 2^-21 near 1.
//!
//! Source: `log2(m) = 2 / ln 2 (s + s^3/3 + s^5/5 + ...)`, `s = (m - 1)/(m + 1)`, on `[sqrt(1/2), sqrt(2)]`, where the
//! first term left out is below 4e-10.

/// Coefficients of `s`, `s^3`, `s^5`, `s^7` and `s^9`.
pub(crate) const COEFFICIENTS: [f32; 5] = [2.885_39, 0.961_796_7, 0.577_078_04, 0.412_198_57, 0.320_598_9];

/// What is smaller counts as this: 2^-100.
pub(crate) const LEAST: f32 = 7.888_609e-31;

/// `log2(x)` of a normal `x` above 0, absolute error below 2^-20 of the result plus 2e-7; whatever is smaller than
/// 2^-100 counts as that.
#[inline(always)]
pub fn log2(x: f32) -> f32 {
    const C: [f32; 5] = COEFFICIENTS;
    let bits = if x > LEAST { x } else { LEAST }.to_bits() as i32;
    // The exponent that leaves a mantissa between sqrt(1/2) and sqrt(2).
    let exponent = bits.wrapping_sub(0x3f35_04f3) >> 23;
    let m = f32::from_bits(bits.wrapping_sub(exponent << 23) as u32);
    let s = (m - 1.0) / (m + 1.0);
    let y = s * s;
    let p = s * (C[0] + y * (C[1] + y * (C[2] + y * (C[3] + y * C[4]))));
    exponent as f32 + p
}

#[cfg(test)]
mod tests {
    use super::log2;

    fn largest_error(f: impl Fn(f32) -> f32) -> f64 {
        let error = |k: i32| {
            let x = (f64::from(k) / 5_000.0).exp2() as f32;
            let exact = f64::from(x).log2();
            (f64::from(f(x)) - exact).abs() / (exact.abs() * 2f64.powi(-20) + 2e-7)
        };
        (-100 * 5_000..20 * 5_000).map(error).fold(0.0, f64::max)
    }

    #[test]
    fn undoes_two_to_the_power() {
        assert!(largest_error(log2) <= 1.0);
        assert_eq!([log2(1.0), log2(2.0), log2(0.25), log2(1024.0)], [0.0, 1.0, -2.0, 10.0]);
        assert_eq!(log2(0.0), -100.0);
        // Control: the comparison notices an error of five roundings.
        assert!(largest_error(|x| log2(x) + 1e-6) > 1.0);
    }
}

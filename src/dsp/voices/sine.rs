//! The sine of a phase that is a whole number of 2^-32 turns, by a polynomial that WGSL evaluates in the same order and
//! with the same coefficients (`sine` in `shaders/voices.wgsl`).

/// Coefficients of `y^0` to `y^5`, `y` the square of the phase in turns, after the factor `u (1/4 - y)`, which makes the
/// result exactly 0 at 0 and half a turn.
pub(crate) const COEFFICIENTS: [f32; 6] = [25.132_742, -64.835_82, 67.076_76, -38.498_417, 14.065_504, -3.193_371_8];

/// `sin(2 pi phase / 2^32)`, absolute error below 3e-7.
#[inline(always)]
pub fn sine(phase: u32) -> f32 {
    const C: [f32; 6] = COEFFICIENTS;
    let u = phase as i32 as f32 * (1.0 / 4_294_967_296.0);
    let y = u * u;
    let v = C[0] + y * (C[1] + y * (C[2] + y * (C[3] + y * (C[4] + y * C[5]))));
    u * (0.25 - y) * v
}

#[cfg(test)]
mod tests {
    use super::sine;
    use std::f64::consts::TAU;

    fn largest_error(f: impl Fn(u32) -> f32) -> f64 {
        let error = |k: u32| {
            let phase = k.wrapping_mul(4093);
            (f64::from(f(phase)) - (f64::from(phase) / 4_294_967_296.0 * TAU).sin()).abs()
        };
        (0..1 << 20).map(error).fold(0.0, f64::max)
    }

    #[test]
    fn is_the_sine() {
        assert!(largest_error(sine) <= 3e-7, "{}", largest_error(sine));
        assert_eq!([sine(0), sine(1 << 31)], [0.0, 0.0]);
        // Control: the comparison notices an error of four roundings.
        assert!(largest_error(|phase| sine(phase) * (1.0 + 4.0 * f32::EPSILON)) > 3e-7);
    }
}

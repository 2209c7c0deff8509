//! The sine of a phase that is a whole number of 2^-32 turns, by a polynomial that WGSL evaluates in the same order and
//! with the same coefficients (`sine` in `shaders/voices.wgsl`).

/// Coefficients of `y^0` to `y^5`, `y` the square of the phase in turns, after the factor `u (1/4 - y)`, which makes
/// the result exactly 0 at 0 and half a turn.
pub const COEFFICIENTS: [f32; 6] = [25.132_742, -64.835_82, 67.076_76, -38.498_417, 14.065_504, -3.193_371_8];

/// `sin(2 pi phase / 2^32)`, absolute error below 3e-7.
#[inline(always)]
pub fn sine(phase: u32) -> f32 {
    const C: [f32; 6] = COEFFICIENTS;
    let u = phase as i32 as f32 * (1.0 / 4_294_967_296.0);
    let y = u * u;
    let v = C[0] + y * (C[1] + y * (C[2] + y * (C[3] + y * (C[4] + y * C[5]))));
    u * (0.25 - y) * v
}

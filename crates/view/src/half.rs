//! Half precision, used only for drawing: samples are never converted.

/// Factor from an amplitude (1 is 0 dB) to the texels of level 1 and up, chosen so that -140 dB is still a normal
/// number.
pub const PEAK_SCALE: f32 = 1024.0;

/// Rounds to the nearest half-precision number, ties to even. Negative numbers and NaN become 0; values above 65,504,
/// the largest half, are clamped to it.
pub fn half_from_f32(value: f32) -> u16 {
    const MAX: f32 = 65504.0;
    if value.is_nan() || value <= 0.0 {
        return 0;
    }
    let bits = value.min(MAX).to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    let mantissa = (bits & 0x7f_ffff) | 0x80_0000;
    // Bits to drop: 13 for normal halves, more for those below 2^-14.
    let (drop, base) = if exponent >= -14 { (13, (exponent + 15) as u32) } else { (13 + (-14 - exponent) as u32, 0) };
    if drop > 24 {
        return 0;
    }
    let (kept, rest, middle) = (mantissa >> drop, mantissa & ((1 << drop) - 1), 1u32 << (drop - 1));
    let rounded = kept + u32::from(rest > middle || (rest == middle && kept & 1 == 1));
    // A normal half's hidden bit adds one to the exponent field; so does a carry.
    (if base > 0 { ((base - 1) << 10) + rounded } else { rounded }) as u16
}

/// The value of a half.
pub fn f32_from_half(half: u16) -> f32 {
    let exponent = i32::from(half >> 10);
    let mantissa = f32::from(half & 0x3ff);
    if exponent == 0 { mantissa * 2f32.powi(-24) } else { (1024.0 + mantissa) * 2f32.powi(exponent - 25) }
}

//! Between complex and polar cells, by polynomials that WGSL evaluates in the same order (`shaders/common/polar.wgsl`):
//! a shading language may round its own `sin` to 2^-11, which is 74 dB.
//!
//! Sources: minimax polynomials fitted for this project; largest errors 8.7e-8 (sine, cosine) and 3.0e-8 turns (angle).

/// To the nearest whole, ties to even. Adding and taking away 1.5 x 2^23 does so for all but huge numbers, in two
/// instructions; without SSE 4.1 `round_ties_even` is a call.
#[inline]
fn rounded(x: f32) -> f32 {
    const SHIFT: f32 = 12_582_912.0;
    if x.abs() < 4_194_304.0 { (x + SHIFT) - SHIFT } else { x.round_ties_even() }
}

/// Cosine and sine of an angle in turns.
#[inline]
pub fn cos_sin_turns(turns: f32) -> [f32; 2] {
    let u = turns - rounded(turns);
    let q = rounded(u * 4.0);
    let r = u - q * 0.25;
    let y = r * r;
    let s = r * (6.283_185_5 + y * (-41.341_663 + y * (81.592_55 + y * -75.402_07)));
    let c = 1.0 + y * (-19.739_208 + y * (64.939_316 + y * (-85.442_856 + y * 59.220_406)));
    match q as i32 & 3 {
        0 => [c, s],
        1 => [-s, c],
        2 => [-c, -s],
        _ => [s, -c],
    }
}

/// [`cos_sin_turns`] of four angles side by side, to the same bits, without a branch: compilers make vectors of it.
/// Angles must be under 2^20 turns.
#[inline]
pub fn cos_sin_turns_4(turns: [f32; 4]) -> [[f32; 4]; 2] {
    const SHIFT: f32 = 12_582_912.0;
    let (mut cos, mut sin) = ([0.0; 4], [0.0; 4]);
    for i in 0..4 {
        let u = turns[i] - ((turns[i] + SHIFT) - SHIFT);
        let shifted = u * 4.0 + SHIFT;
        // The lowest bits of a shifted number are those of the whole that it holds.
        let quarter = shifted.to_bits();
        let r = u - (shifted - SHIFT) * 0.25;
        let y = r * r;
        let s = r * (6.283_185_5 + y * (-41.341_663 + y * (81.592_55 + y * -75.402_07)));
        let c = 1.0 + y * (-19.739_208 + y * (64.939_316 + y * (-85.442_856 + y * 59.220_406)));
        let swap = (quarter & 1).wrapping_neg();
        let (s, c) = (s.to_bits(), c.to_bits());
        cos[i] = f32::from_bits(((c & !swap) | (s & swap)) ^ ((quarter.wrapping_add(1) & 2) << 30));
        sin[i] = f32::from_bits(((s & !swap) | (c & swap)) ^ ((quarter & 2) << 30));
    }
    [cos, sin]
}

/// The angle of `re + i im` in turns, [-0.5, 0.5); 0 for 0.
#[inline]
pub fn turns_from_complex(re: f32, im: f32) -> f32 {
    let (x, y) = (re.abs(), im.abs());
    let (most, least) = (x.max(y), x.min(y));
    if most == 0.0 {
        return 0.0;
    }
    let t = least / most;
    let v = t * t;
    let mut p = t
        * (0.159_154_94
            + v * (-0.053_051_267
                + v * (0.031_819_932
                    + v * (-0.022_611_352
                        + v * (0.016_957_432
                            + v * (-0.011_990_188
                                + v * (0.006_849_892_4 + v * (-0.002_591_499_1 + v * 0.000_462_109_16))))))));
    if y > x {
        p = 0.25 - p;
    }
    if re < 0.0 {
        p = 0.5 - p;
    }
    if im < 0.0 {
        p = -p;
    }
    if p >= 0.5 { -0.5 } else { p }
}

/// Magnitude of `re + i im`.
#[inline]
pub fn magnitude_from_complex(re: f32, im: f32) -> f32 {
    (re * re + im * im).sqrt()
}

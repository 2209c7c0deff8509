//! Conversion between complex and polar cells by polynomials that WGSL evaluates in the same order and with the same
//! coefficients (`shaders/common/polar.wgsl`): WGSL allows its built-in `sin` an absolute error of 2^-11.
//!
//! Sources: minimax polynomials fitted for this project; largest errors 8.7e-8 (sine, cosine) and 3.0e-8 turns (angle).

use crate::numeric::vectors::vectorized;

/// Sine of `r` turns, at most an eighth: coefficients of `r`, `r^3`, `r^5` and `r^7`.
pub const SINE: [f32; 4] = [6.283_185_5, -41.341_663, 81.592_55, -75.402_07];

/// Cosine of `r` turns, at most an eighth: coefficients of `r^2`, `r^4`, `r^6` and `r^8`; the constant term is 1.
pub const COSINE: [f32; 4] = [-19.739_208, 64.939_316, -85.442_856, 59.220_406];

/// Arctangent of `t`, at most 1, in turns: coefficients of the odd powers from `t` to `t^17`.
pub const ANGLE: [f32; 9] = [
    0.159_154_94,
    -0.053_051_267,
    0.031_819_932,
    -0.022_611_352,
    0.016_957_432,
    -0.011_990_188,
    0.006_849_892_4,
    -0.002_591_499_1,
    0.000_462_109_16,
];

/// Sine and cosine of `r` turns, from -1/8 to 1/8.
#[inline(always)]
fn sine_cosine(r: f32) -> [f32; 2] {
    const S: [f32; 4] = SINE;
    const C: [f32; 4] = COSINE;
    let y = r * r;
    let s = r * (S[0] + y * (S[1] + y * (S[2] + y * S[3])));
    let c = 1.0 + y * (C[0] + y * (C[1] + y * (C[2] + y * C[3])));
    [s, c]
}

/// Arctangent of `t`, 0 to 1, in turns.
#[inline(always)]
fn angle(t: f32) -> f32 {
    const A: [f32; 9] = ANGLE;
    let v = t * t;
    let upper = A[4] + v * (A[5] + v * (A[6] + v * (A[7] + v * A[8])));
    t * (A[0] + v * (A[1] + v * (A[2] + v * (A[3] + v * upper))))
}

/// Rounds to the nearest integer, ties to even. Adding and subtracting 1.5 x 2^23 does this in two instructions for all
/// but huge numbers; without SSE 4.1 `round_ties_even` is a function call.
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
    let [s, c] = sine_cosine(r);
    match q as i32 & 3 {
        0 => [c, s],
        1 => [-s, c],
        2 => [-c, -s],
        _ => [s, -c],
    }
}

/// Branch-free [`cos_sin_turns`], bit-identical, so that compilers vectorise loops over it. Angles must be under 2^20
/// turns.
#[inline(always)]
pub fn cos_sin_small(turns: f32) -> [f32; 2] {
    const SHIFT: f32 = 12_582_912.0;
    let u = turns - ((turns + SHIFT) - SHIFT);
    let shifted = u * 4.0 + SHIFT;
    // The low bits of the shifted number are those of the rounded integer.
    let quarter = shifted.to_bits();
    let r = u - (shifted - SHIFT) * 0.25;
    let [s, c] = sine_cosine(r);
    let swap = (quarter & 1).wrapping_neg();
    let (s, c) = (s.to_bits(), c.to_bits());
    [
        f32::from_bits(((c & !swap) | (s & swap)) ^ ((quarter.wrapping_add(1) & 2) << 30)),
        f32::from_bits(((s & !swap) | (c & swap)) ^ ((quarter & 2) << 30)),
    ]
}

/// Branch-free [`magnitude_from_complex`] and [`turns_from_complex`], bit-identical.
#[inline(always)]
pub fn polar_from_parts(re: f32, im: f32) -> [f32; 2] {
    let (x, y) = (re.abs(), im.abs());
    let (largest, smallest) = if x > y { (x, y) } else { (y, x) };
    let t = smallest / largest;
    let p = angle(t);
    let p = if y > x { 0.25 - p } else { p };
    let p = if re < 0.0 { 0.5 - p } else { p };
    let p = if im < 0.0 { -p } else { p };
    let p = if p >= 0.5 { -0.5 } else { p };
    // For 0, `t` is 0 / 0, which is NaN.
    [(re * re + im * im).sqrt(), if largest == 0.0 { 0.0 } else { p }]
}

vectorized! {
    /// Converts polar cells to separate real and imaginary parts. Phases must be under 2^20 turns.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn complex_from_polar(magnitude: &[f32], turns: &[f32], re: &mut [f32], im: &mut [f32]) {
        assert!([turns.len(), re.len(), im.len()] == [magnitude.len(); 3], "a cell has two of each");
        let cells = magnitude.iter().zip(turns).zip(re.iter_mut().zip(im.iter_mut()));
        for ((magnitude, turns), (re, im)) in cells {
            let [cos, sin] = cos_sin_small(*turns);
            (*re, *im) = (magnitude * cos, magnitude * sin);
        }
    }
}

vectorized! {
    /// Converts separate real and imaginary parts to polar cells.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn polar_from_complex(re: &[f32], im: &[f32], magnitude: &mut [f32], turns: &mut [f32]) {
        assert!([im.len(), magnitude.len(), turns.len()] == [re.len(); 3], "a cell has two of each");
        let cells = magnitude.iter_mut().zip(turns.iter_mut()).zip(re.iter().zip(im));
        for ((magnitude, turns), (re, im)) in cells {
            [*magnitude, *turns] = polar_from_parts(*re, *im);
        }
    }
}

/// The angle of `re + i im` in turns, [-0.5, 0.5); 0 for 0.
#[inline]
pub fn turns_from_complex(re: f32, im: f32) -> f32 {
    let (x, y) = (re.abs(), im.abs());
    let (largest, smallest) = (x.max(y), x.min(y));
    if largest == 0.0 {
        return 0.0;
    }
    let t = smallest / largest;
    let mut p = angle(t);
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
#[inline(always)]
pub fn magnitude_from_complex(re: f32, im: f32) -> f32 {
    (re * re + im * im).sqrt()
}

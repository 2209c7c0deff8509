//! The step of a real FFT of `N` samples that converts between its spectrum and that of the complex FFT of length `N/2`
//! whose real and imaginary parts are the even and odd samples. Bins `k` and `N/2 - k` are computed together; the upper
//! bins are traversed from last to first.
//!
//! With `A = l + conj(h)`, `B = l - conj(h)` and `T = B (sin - i cos)`, forwards both are `A / 2 + T` and
//! `conj(A / 2 - T)`, backwards `A - T` and `conj(A + T)`.

use crate::dsp::numeric::vectors::vectorized;
use rustfft::num_complex::Complex32;
use std::f64::consts::TAU;

/// `sin - i cos` of the angle of each bin from 1 to below a quarter of the length, arranged for SIMD: `same` holds the
/// factors of a number's real and imaginary parts, `interchanged` the factors of these parts swapped.
pub(super) struct Twiddles {
    same: Vec<[f32; 2]>,
    interchanged: Vec<[f32; 2]>,
}

impl Twiddles {
    /// Twiddles of a transform of `length` values: `sign` is -1 forwards and 1 backwards, `scale` multiplies all
    /// factors.
    pub(super) fn new(length: usize, sign: f64, scale: f32) -> Twiddles {
        let angle = |k: usize| sign * TAU / length as f64 * k as f64;
        let bins = 1..length / 4;
        let interchanged = |k: usize| angle(k).cos() as f32 * scale;
        Twiddles {
            same: bins.clone().map(|k| [angle(k).sin() as f32 * scale; 2]).collect(),
            interchanged: bins.map(|k| [interchanged(k), -interchanged(k)]).collect(),
        }
    }
}

vectorized! {
    /// Even and odd samples as real and imaginary parts.
    pub(super) fn pack(samples: &[f32], pairs: &mut [Complex32]) {
        for (z, [even, odd]) in pairs.iter_mut().zip(samples.as_chunks().0) {
            *z = Complex32::new(*even, *odd);
        }
    }
}

vectorized! {
    /// The inverse of `pack`.
    pub(super) fn unpack(pairs: &[Complex32], samples: &mut [f32]) {
        for ([even, odd], z) in samples.as_chunks_mut().0.iter_mut().zip(pairs) {
            (*even, *odd) = (z.re, z.im);
        }
    }
}

vectorized! {
    /// The bins of real values, from those of the transform of half the length.
    pub(super) fn separate(twiddles: &Twiddles, low: &mut [Complex32], high: &mut [Complex32]) {
        separate_pairs([&twiddles.same, &twiddles.interchanged], low, high);
    }
    avx2 {
        avx2::pairs::<true>(twiddles, low, high);
    }
}

vectorized! {
    /// The inverse of `separate`, scaled by two.
    pub(super) fn join(twiddles: &Twiddles, low: &mut [Complex32], high: &mut [Complex32]) {
        join_pairs([&twiddles.same, &twiddles.interchanged], low, high);
    }
    avx2 {
        avx2::pairs::<false>(twiddles, low, high);
    }
}

#[inline(always)]
fn separate_pairs(twiddles: [&[[f32; 2]]; 2], low: &mut [Complex32], high: &mut [Complex32]) {
    for ((low, high), ([sin, _], [cos, _])) in pairs(twiddles, low, high) {
        let (sum, difference) = (*low + *high, *low - *high);
        let t = turned(sum, difference, *cos, *sin);
        let a = Complex32::new(0.5 * sum.re, 0.5 * difference.im);
        *low = Complex32::new(a.re + t.re, a.im + t.im);
        *high = Complex32::new(a.re - t.re, t.im - a.im);
    }
}

#[inline(always)]
fn join_pairs(twiddles: [&[[f32; 2]]; 2], low: &mut [Complex32], high: &mut [Complex32]) {
    for ((low, high), ([sin, _], [cos, _])) in pairs(twiddles, low, high) {
        let (sum, difference) = (*low + *high, *low - *high);
        let t = turned(sum, difference, *cos, *sin);
        *low = Complex32::new(sum.re - t.re, difference.im - t.im);
        *high = Complex32::new(sum.re + t.re, -t.im - difference.im);
    }
}

/// Two bins, and the two forms of their twiddle.
type Pair<'a> = ((&'a mut Complex32, &'a mut Complex32), (&'a [f32; 2], &'a [f32; 2]));

#[inline(always)]
fn pairs<'a>(
    twiddles: [&'a [[f32; 2]]; 2],
    low: &'a mut [Complex32],
    high: &'a mut [Complex32],
) -> impl Iterator<Item = Pair<'a>> {
    low.iter_mut().zip(high.iter_mut().rev()).zip(twiddles[0].iter().zip(twiddles[1]))
}

#[inline(always)]
fn turned(sum: Complex32, difference: Complex32, cos: f32, sin: f32) -> Complex32 {
    Complex32::new(sum.im * cos + difference.re * sin, sum.im * sin - difference.re * cos)
}

/// Four pairs at a time, with interleaved real and imaginary parts. Each part is computed as above, except that
/// operands of sums may be swapped and differences computed as sums with the negative, with identical results.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Twiddles, join_pairs, separate_pairs};
    use rustfft::num_complex::Complex32;
    use std::arch::x86_64::*;

    /// Complex numbers per vector.
    const LANES: usize = 4;

    /// Separates or joins all pairs.
    #[target_feature(enable = "avx2")]
    pub(super) fn pairs<const SEPARATES: bool>(twiddles: &Twiddles, low: &mut [Complex32], high: &mut [Complex32]) {
        let (same, same_rest) = twiddles.same.as_chunks();
        let (interchanged, interchanged_rest) = twiddles.interchanged.as_chunks();
        let (low, low_rest) = low.as_chunks_mut();
        let (high_rest, high) = high.as_rchunks_mut();
        let (imaginary, real) = (signs(0.0, -0.0), signs(-0.0, 0.0));
        for ((low, high), (same, interchanged)) in
            low.iter_mut().zip(high.iter_mut().rev()).zip(same.iter().zip(interchanged))
        {
            let (l, h) = (loaded(low), _mm256_xor_ps(reversed(loaded(high)), imaginary));
            let (a, b) = (_mm256_add_ps(l, h), _mm256_sub_ps(l, h));
            let turned = _mm256_permute_ps::<0b10_11_00_01>(b);
            let t = _mm256_add_ps(_mm256_mul_ps(b, factors(same)), _mm256_mul_ps(turned, factors(interchanged)));
            let (l, h) = if SEPARATES {
                let a = _mm256_mul_ps(a, _mm256_set1_ps(0.5));
                (_mm256_add_ps(a, t), _mm256_add_ps(_mm256_xor_ps(a, imaginary), _mm256_xor_ps(t, real)))
            } else {
                (_mm256_sub_ps(a, t), _mm256_xor_ps(_mm256_add_ps(a, t), imaginary))
            };
            store(l, low);
            store(reversed(h), high);
        }
        if SEPARATES {
            separate_pairs([same_rest, interchanged_rest], low_rest, high_rest);
        } else {
            join_pairs([same_rest, interchanged_rest], low_rest, high_rest);
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn loaded(z: &[Complex32; LANES]) -> __m256 {
        let [a, b, c, d] = z;
        _mm256_setr_ps(a.re, a.im, b.re, b.im, c.re, c.im, d.re, d.im)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn factors(parts: &[[f32; 2]; LANES]) -> __m256 {
        bytemuck::cast(*parts)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn store(z: __m256, out: &mut [Complex32; LANES]) {
        let [a, b, c, d]: [[f32; 2]; LANES] = bytemuck::cast(z);
        let complex = |[re, im]: [f32; 2]| Complex32::new(re, im);
        *out = [complex(a), complex(b), complex(c), complex(d)];
    }

    /// The four complex numbers in reverse order.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn reversed(z: __m256) -> __m256 {
        _mm256_castpd_ps(_mm256_permute4x64_pd::<0b00_01_10_11>(_mm256_castps_pd(z)))
    }

    /// A mask that flips the signs of real or imaginary parts, where `re` or `im` is -0.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn signs(re: f32, im: f32) -> __m256 {
        _mm256_setr_ps(re, im, re, im, re, im, re, im)
    }
}

//! Sums of frames under a rotation that advances from frame to frame, for several speeds at once.

use crate::numeric::vectors::vectorized;
use rustfft::num_complex::Complex64;

/// Number of speeds summed together.
const LANES: usize = 8;

/// The power of the sum of frames at each speed: frame `i` is multiplied by the `i`-th power of an element of `turns`,
/// a complex number of magnitude 1.
pub(super) fn powers(frames: &[Complex64], turns: &[Complex64]) -> Vec<f64> {
    let mut powers = Vec::with_capacity(turns.len());
    for some in turns.chunks(LANES) {
        let [mut re, mut im] = [[0.0; LANES]; 2];
        for ((re, im), turn) in re.iter_mut().zip(&mut im).zip(some) {
            (*re, *im) = (turn.re, turn.im);
        }
        let [sums_re, sums_im] = sums(frames, &re, &im);
        powers.extend(sums_re.iter().zip(&sums_im).map(|(re, im)| re * re + im * im).take(some.len()));
    }
    powers
}

vectorized! {
    /// Sums by Horner's rule, real and imaginary parts.
    fn sums(frames: &[Complex64], turns_re: &[f64; LANES], turns_im: &[f64; LANES]) -> [[f64; LANES]; 2] {
        let [mut sums_re, mut sums_im] = [[0.0; LANES]; 2];
        for z in frames.iter().rev() {
            let turns = turns_re.iter().zip(turns_im);
            for ((re, im), (turn_re, turn_im)) in sums_re.iter_mut().zip(&mut sums_im).zip(turns) {
                let (a, b) = (*re, *im);
                *re = a * turn_re - b * turn_im + z.re;
                *im = a * turn_im + b * turn_re + z.im;
            }
        }
        [sums_re, sums_im]
    }
}

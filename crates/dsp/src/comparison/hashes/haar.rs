//! wHash: the picture without its mean, reduced to 8 x 8 by Haar wavelets.
//!
//! ImageHash transforms the picture down to one value with PyWavelets, sets it to 0, transforms back, and then down to
//! 8 x 8, all in f64. In flat parts of a picture the bits depend on the order of these operations, so this code keeps
//! the order. Values are combined only within their own block, so the eight blocks of a strip are processed in parallel
//! lanes, in place.

use super::bits::{SIDE_BITS, hash_from_bits};
use crate::dsp::numeric::vectors::vectorized;

/// One value of each of the eight blocks of a strip.
type Lanes = [f64; SIDE_BITS];

/// The only coefficient of the filter.
const R: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Grey levels from 0 to 1.
const LEVELS: [f64; 256] = {
    let mut levels = [0.0; 256];
    let mut level = 0;
    while level < 256 {
        levels[level] = level as f64 / 255.0;
        level += 1;
    }
    levels
};

/// Reusable memory for a strip of eight blocks.
#[derive(Debug, Default)]
pub(super) struct Haar {
    strip: Vec<Lanes>,
}

impl Haar {
    /// wHash of a square picture whose side is a power of two, at least 8.
    pub(super) fn whash(&mut self, pixels: &[u8], side: usize) -> u64 {
        let block = side / SIDE_BITS;
        // First the 8 x 8 low coefficients of the whole picture, then the same coefficients without the mean.
        let mut lows = Vec::with_capacity(SIDE_BITS * SIDE_BITS);
        for strip in pixels.chunks_exact(block * side) {
            self.load(strip, block);
            lower(&mut self.strip, block);
            lows.extend(self.strip[0]);
        }
        let mut top: Vec<Lanes> = lows.iter().map(|&low| [low; SIDE_BITS]).collect();
        split(&mut top, SIDE_BITS);
        top[0] = [0.0; SIDE_BITS];
        join(&mut top, SIDE_BITS);
        lows.clear();
        for (index, strip) in pixels.chunks_exact(block * side).enumerate() {
            self.load(strip, block);
            split(&mut self.strip, block);
            self.strip[0] = std::array::from_fn(|lane| top[index * SIDE_BITS + lane][0]);
            join(&mut self.strip, block);
            lower(&mut self.strip, block);
            lows.extend(self.strip[0]);
        }
        let mut sorted = lows.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let median = (sorted[SIDE_BITS * SIDE_BITS / 2 - 1] + sorted[SIDE_BITS * SIDE_BITS / 2]) / 2.0;
        hash_from_bits(lows.iter().map(|&low| low > median))
    }

    /// Loads the pixels of a strip, scaled to 0 to 1, with one lane per block.
    fn load(&mut self, pixels: &[u8], block: usize) {
        self.strip.clear();
        self.strip.resize(block * block, [0.0; SIDE_BITS]);
        for (row, lanes) in pixels.chunks_exact(block * SIDE_BITS).zip(self.strip.chunks_exact_mut(block)) {
            for (lane, part) in row.chunks_exact(block).enumerate() {
                lanes.iter_mut().zip(part).for_each(|(lanes, &pixel)| lanes[lane] = LEVELS[usize::from(pixel)]);
            }
        }
    }
}

#[inline(always)]
fn pairwise(a: &Lanes, b: &Lanes, each: impl Fn(f64, f64) -> f64) -> Lanes {
    let mut out = [0.0; SIDE_BITS];
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = each(*a, *b);
    }
    out
}

/// `r b + r a`: the low coefficient of a transform, or the first value of its inverse.
#[inline(always)]
fn sum(a: &Lanes, b: &Lanes) -> Lanes {
    pairwise(a, b, |a, b| R * b + R * a)
}

/// `r a - r b`: the high coefficient of a transform, or the second value of its inverse.
#[inline(always)]
fn difference(a: &Lanes, b: &Lanes) -> Lanes {
    pairwise(a, b, |a, b| R * a - R * b)
}

vectorized! {
    /// Transforms all levels in place. Each quad of a level becomes `[low, horizontal; vertical, diagonal]`.
    fn split(block: &mut [Lanes], side: usize) {
        let mut step = 1;
        while step < side {
            for y in (0..side).step_by(2 * step) {
                for x in (0..side).step_by(2 * step) {
                    let at = y * side + x;
                    let quad = [at, at + step, at + step * side, at + step * side + step];
                    let [a, b, c, d] = quad.map(|at| block[at]);
                    // Columns first, then rows.
                    let (low, high) = ([sum(&a, &c), sum(&b, &d)], [difference(&a, &c), difference(&b, &d)]);
                    block[quad[0]] = sum(&low[0], &low[1]);
                    block[quad[1]] = difference(&low[0], &low[1]);
                    block[quad[2]] = sum(&high[0], &high[1]);
                    block[quad[3]] = difference(&high[0], &high[1]);
                }
            }
            step *= 2;
        }
    }
}

vectorized! {
    /// The inverse of `split`.
    fn join(block: &mut [Lanes], side: usize) {
        let mut step = side / 2;
        while step > 0 {
            for y in (0..side).step_by(2 * step) {
                for x in (0..side).step_by(2 * step) {
                    let at = y * side + x;
                    let quad = [at, at + step, at + step * side, at + step * side + step];
                    let [a, b, c, d] = quad.map(|at| block[at]);
                    // Rows first, then columns.
                    let (low, high) = ([sum(&a, &b), difference(&a, &b)], [sum(&c, &d), difference(&c, &d)]);
                    block[quad[0]] = sum(&low[0], &high[0]);
                    block[quad[1]] = sum(&low[1], &high[1]);
                    block[quad[2]] = difference(&low[0], &high[0]);
                    block[quad[3]] = difference(&low[1], &high[1]);
                }
            }
            step /= 2;
        }
    }
}

vectorized! {
    /// Computes only the low coefficients, each stored in the first element of its quad.
    fn lower(block: &mut [Lanes], side: usize) {
        let mut step = 1;
        while step < side {
            for y in (0..side).step_by(2 * step) {
                for x in (0..side).step_by(2 * step) {
                    let at = y * side + x;
                    let [a, b, c, d] = [at, at + step, at + step * side, at + step * side + step].map(|at| block[at]);
                    block[at] = sum(&sum(&a, &c), &sum(&b, &d));
                }
            }
            step *= 2;
        }
    }
}

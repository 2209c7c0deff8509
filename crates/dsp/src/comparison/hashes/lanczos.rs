//! Pillow's Lanczos filter on 8-bit grey pictures: integer weights of 22 bits, a horizontal and then a vertical pass
//! (for tall pictures the vertical one first), rounded to 8 bits in between.

use super::grey_picture::GreyPicture;
use crate::dsp::numeric::vectors::vectorized;
use std::collections::HashMap;
use std::f64::consts::PI;
use std::sync::Arc;

/// Number of fractional bits of the weights.
const PRECISION_BITS: u32 = 22;
/// Value added to round a sum to the nearest pixel.
const HALF: i32 = 1 << (PRECISION_BITS - 1);
/// Half the filter's width in output pixels.
const SUPPORT: f64 = 3.0;
/// Number of rows processed together in the horizontal pass.
const LANES: usize = 16;
/// Ratio of height to width above which a picture is tall.
const TALL_RATIO: usize = 100;
/// Maximum number of cached pairs of lengths, after which the cache is cleared.
const MAX_CACHED: usize = 256;

/// The weights of each output pixel along one side.
#[derive(Debug)]
pub(super) struct Taps {
    /// For each output pixel, its first input pixel, and the start and end of its weights.
    places: Vec<[usize; 3]>,
    weights: Vec<i32>,
}

impl Taps {
    /// Computes weights in f64 and in the same order as Pillow's `precompute_coeffs`, since the last bit of a weight
    /// can affect a pixel.
    fn new(n_in: usize, n_out: usize) -> Taps {
        let scale = n_in as f64 / n_out as f64;
        let filter_scale = scale.max(1.0);
        let (reach, inverse) = (SUPPORT * filter_scale, 1.0 / filter_scale);
        let mut taps = Taps { places: Vec::with_capacity(n_out), weights: Vec::new() };
        let mut exact = Vec::new();
        for out in 0..n_out {
            let centre = (out as f64 + 0.5) * scale;
            // Both are truncated toward 0, as by a cast in C.
            let first = ((centre - reach + 0.5) as i64).max(0) as usize;
            let end = ((centre + reach + 0.5) as usize).min(n_in);
            exact.clear();
            exact.extend((first..end).map(|at| lanczos((at as f64 - centre + 0.5) * inverse)));
            let sum = exact.iter().fold(0.0, |sum, weight| sum + weight);
            let start = taps.weights.len();
            taps.weights.extend(exact.iter().map(|weight| rounded(weight / sum)));
            taps.places.push([first, start, taps.weights.len()]);
        }
        taps
    }

    /// Taps that leave a line unchanged.
    pub(super) fn identity(n: usize) -> Taps {
        Taps { places: (0..n).map(|at| [at, at, at + 1]).collect(), weights: vec![1 << PRECISION_BITS; n] }
    }

    /// For each output pixel, its first input pixel, and the start and end of its weights.
    pub(super) fn places(&self) -> &[[usize; 3]] {
        &self.places
    }

    /// The weights of all output pixels.
    pub(super) fn weights(&self) -> &[i32] {
        &self.weights
    }
}

/// Whether Pillow resizes the height first, as it does to reduce the height of a tall picture.
pub(super) fn is_tall(picture: &GreyPicture, to_height: usize) -> bool {
    picture.height() > TALL_RATIO * picture.width() && to_height < picture.height()
}

/// Converts a weight to an integer with [`PRECISION_BITS`] fractional bits, rounding halves away from 0.
fn rounded(weight: f64) -> i32 {
    let scaled = weight * f64::from(1u32 << PRECISION_BITS);
    (if scaled < 0.0 { scaled - 0.5 } else { scaled + 0.5 }) as i32
}

fn lanczos(at: f64) -> f64 {
    if (-SUPPORT..SUPPORT).contains(&at) { sinc(at) * sinc(at / SUPPORT) } else { 0.0 }
}

fn sinc(at: f64) -> f64 {
    if at == 0.0 {
        return 1.0;
    }
    let at = at * PI;
    at.sin() / at
}

/// Resizes a picture to several sizes, reusing weights and memory for the next picture.
#[derive(Debug, Default)]
pub(super) struct Lanczos {
    taps: HashMap<[usize; 2], Arc<Taps>>,
    /// [`LANES`] rows of the picture, transposed: one array per column.
    band: Vec<[i32; LANES]>,
    narrow: Vec<[u8; LANES]>,
    /// The picture in each size after the horizontal pass, and after both passes.
    across: [Vec<u8>; 3],
    done: [Vec<u8>; 3],
    sums: Vec<i32>,
}

impl Lanczos {
    /// The picture in three sizes `[width, height]`, row by row.
    pub(super) fn resized(&mut self, picture: &GreyPicture, sizes: [[usize; 2]; 3]) -> [&[u8]; 3] {
        let [width, height] = [picture.width(), picture.height()];
        self.pass_across(picture.pixels(), width, sizes.map(|[to, _]| to));
        let mut done = std::mem::take(&mut self.done);
        for (index, (size, done)) in sizes.into_iter().zip(&mut done).enumerate() {
            if is_tall(picture, size[1]) {
                self.down_and_across(picture, size, done);
                continue;
            }
            let across = std::mem::take(&mut self.across[index]);
            self.pass_down(if size[0] == width { picture.pixels() } else { &across }, [size[0], height], size[1], done);
            self.across[index] = across;
        }
        self.done = done;
        self.done.each_ref().map(Vec::as_slice)
    }

    /// Resizes a tall picture to one size, the height first.
    fn down_and_across(&mut self, picture: &GreyPicture, [to_width, to_height]: [usize; 2], done: &mut Vec<u8>) {
        let mut down = Vec::new();
        self.pass_down(picture.pixels(), [picture.width(), picture.height()], to_height, &mut down);
        let mut lanczos = Lanczos::default();
        lanczos.pass_across(&down, picture.width(), [to_width; 3]);
        done.clear();
        done.extend_from_slice(if to_width == picture.width() { &down } else { &lanczos.across[0] });
    }

    /// Resizes the height; an unchanged height needs no pass.
    fn pass_down(&mut self, from: &[u8], [width, height]: [usize; 2], to_height: usize, done: &mut Vec<u8>) {
        done.clear();
        if to_height == height {
            done.extend_from_slice(from);
            return;
        }
        let taps = self.taps(height, to_height);
        done.resize(width * to_height, 0);
        self.sums.clear();
        self.sums.resize(width, 0);
        shorten(from, &taps, &mut self.sums, done);
    }

    /// The weights for resizing one length to another.
    pub(super) fn taps(&mut self, n_in: usize, n_out: usize) -> Arc<Taps> {
        if self.taps.len() >= MAX_CACHED {
            self.taps.clear();
        }
        self.taps.entry([n_in, n_out]).or_insert_with(|| Arc::new(Taps::new(n_in, n_out))).clone()
    }

    /// Resizes to all widths, reading the picture once; an unchanged width needs no pass.
    fn pass_across(&mut self, pixels: &[u8], width: usize, widths: [usize; 3]) {
        let taps = widths.map(|to| (to != width).then(|| self.taps(width, to)));
        let height = pixels.len() / width;
        for (across, to) in self.across.iter_mut().zip(widths) {
            across.clear();
            across.resize(to * height, 0);
        }
        self.band.clear();
        self.band.resize(width, [0; LANES]);
        for (index, band) in pixels.chunks(LANES * width).enumerate() {
            for (lane, row) in band.chunks_exact(width).enumerate() {
                self.band.iter_mut().zip(row).for_each(|(lanes, &pixel)| lanes[lane] = i32::from(pixel));
            }
            for ((taps, across), to) in taps.iter().zip(&mut self.across).zip(widths) {
                let Some(taps) = taps else { continue };
                self.narrow.clear();
                self.narrow.resize(to, [0; LANES]);
                narrow_band(&self.band, taps, &mut self.narrow);
                let rows = across[index * LANES * to..].chunks_exact_mut(to).take(LANES);
                for (lane, row) in rows.enumerate() {
                    row.iter_mut().zip(&self.narrow).for_each(|(pixel, lanes)| *pixel = lanes[lane]);
                }
            }
        }
    }
}

/// Converts a sum to a pixel. Sums stay below 2^31, since all weights sum to 2^22, and the negative ones to less than a
/// third of that.
#[inline(always)]
fn pixel_from_sum(sum: i32) -> u8 {
    (sum >> PRECISION_BITS).clamp(0, 255) as u8
}

vectorized! {
    fn narrow_band(band: &[[i32; LANES]], taps: &Taps, out: &mut [[u8; LANES]]) {
        for (&[first, start, end], out) in taps.places.iter().zip(out) {
            let mut sums = [HALF; LANES];
            for (pixels, &weight) in band[first..].iter().zip(&taps.weights[start..end]) {
                for (sum, &pixel) in sums.iter_mut().zip(pixels) {
                    *sum = sum.wrapping_add(pixel.wrapping_mul(weight));
                }
            }
            for (out, sum) in out.iter_mut().zip(sums) {
                *out = pixel_from_sum(sum);
            }
        }
    }
}

vectorized! {
    fn shorten(from: &[u8], taps: &Taps, sums: &mut [i32], out: &mut [u8]) {
        let width = sums.len();
        for (&[first, start, end], out) in taps.places.iter().zip(out.chunks_exact_mut(width)) {
            sums.fill(HALF);
            for (row, &weight) in from[first * width..].chunks_exact(width).zip(&taps.weights[start..end]) {
                for (sum, &pixel) in sums.iter_mut().zip(row) {
                    *sum = sum.wrapping_add(i32::from(pixel).wrapping_mul(weight));
                }
            }
            for (out, &sum) in out.iter_mut().zip(&*sums) {
                *out = pixel_from_sum(sum);
            }
        }
    }
}

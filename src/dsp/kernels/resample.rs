//! Resampling for warps: every acting cell is taken from elsewhere in the plane. Twin: `shaders/resample.wgsl`.

use crate::dsp::Region;
use crate::dsp::displacement::Displacement;
use crate::dsp::polar::{cos_sin_turns, magnitude_from_complex, turns_from_complex};
use rayon::prelude::*;
use rustfft::num_complex::Complex32;

/// Catmull-Rom weights of the cells -1, 0, 1 and 2 around a place `t` of the way from cell 0 to cell 1.
pub fn catmull_rom(t: f32) -> [f32; 4] {
    [
        t * (-0.5 + t * (1.0 - 0.5 * t)),
        1.0 + t * t * (-2.5 + 1.5 * t),
        t * (0.5 + t * (2.0 - 1.5 * t)),
        t * t * (-0.5 + 0.5 * t),
    ]
}

/// The turns by which a tap in bin `bin` is turned for the part of a frame between it and the place read:
/// `bin * fraction / overlap` modulo 1, multiplied in wrapping integers so that high bins lose nothing.
pub fn tap_turns(bin: i32, frame_fraction: f32, overlap: u32) -> f32 {
    let fixed = (frame_fraction * (4_294_967_296.0 / overlap as f32)) as u32;
    (fixed.wrapping_mul(bin as u32) as i32) as f32 * (1.0 / 4_294_967_296.0)
}

/// The displaced cells: a region of the displacement's rectangle. Cells that do not act are copied.
///
/// Around each source place the 4 x 4 stencil of taps `(m', n')` is taken as `X[m',n'] exp(2 pi i m' (ns - n') / R)`,
/// weighted, summed, and turned by the gained phase. Frames outside `before` are 0; bins outside 0 to Nyquist are
/// conjugate mirrors; DC and Nyquist keep their real part.
pub fn resample(displacement: &Displacement, overlap: u32, nyquist_bin: u32, before: &Region) -> Region {
    let rect = &displacement.rect;
    let plane = complex_plane(before);
    // exp(-2 pi i j / R): the whole frames between a tap and the place read, exact.
    let roots: Vec<Complex32> = (0..overlap)
        .map(|j| {
            let angle = -2.0 * std::f64::consts::PI * f64::from(j) / f64::from(overlap);
            Complex32::new(angle.cos() as f32, angle.sin() as f32)
        })
        .collect();
    let mut after = before.crop(rect);
    let n_bins = rect.bins.len().max(1);
    let rows = after.magnitude.par_chunks_mut(n_bins).zip(after.phase.par_chunks_mut(n_bins));
    rows.enumerate().for_each(|(row, (magnitude, phase))| {
        for column in 0..magnitude.len() {
            let i = row * n_bins + column;
            if displacement.acts[i] == 0 {
                continue;
            }
            let bin = (rect.bins.start + column) as i32;
            let frame = (rect.frames.start + row) as i32;
            let fraction = displacement.frame_fraction[i];
            let first_frame = frame + displacement.whole_frames[i] - 1;
            let first_bin = bin + displacement.whole_bins[i] - 1;
            let frame_weights = catmull_rom(fraction);
            let bin_weights = catmull_rom(displacement.bin_fraction[i]);
            let mut sum = Complex32::default();
            for (tap_bin, bin_weight) in (first_bin..).zip(bin_weights) {
                let mut row_sum = Complex32::default();
                for (j, frame_weight) in frame_weights.into_iter().enumerate() {
                    // The tap stands j - 1 frames after the frame at or before the place read.
                    let root = roots[(tap_bin.wrapping_mul(j as i32 - 1)).rem_euclid(overlap as i32) as usize];
                    row_sum += tap(&plane, before, nyquist_bin, first_frame + j as i32, tap_bin) * root * frame_weight;
                }
                let [cos, sin] = cos_sin_turns(tap_turns(tap_bin, fraction, overlap));
                sum += row_sum * Complex32::new(cos, sin) * bin_weight;
            }
            let [cos, sin] = cos_sin_turns(displacement.turns[i]);
            sum *= Complex32::new(cos, sin);
            if bin == 0 || bin == nyquist_bin as i32 {
                sum.im = 0.0;
            }
            magnitude[column] = magnitude_from_complex(sum.re, sum.im);
            phase[column] = turns_from_complex(sum.re, sum.im);
        }
    });
    after
}

fn complex_plane(region: &Region) -> Vec<Complex32> {
    let cells = region.magnitude.par_iter().zip(&region.phase).with_min_len(4096);
    cells
        .map(|(magnitude, turns)| {
            let [cos, sin] = cos_sin_turns(*turns);
            Complex32::new(magnitude * cos, magnitude * sin)
        })
        .collect()
}

/// A cell of the endless plane.
#[inline]
fn tap(plane: &[Complex32], region: &Region, nyquist_bin: u32, frame: i32, bin: i32) -> Complex32 {
    let n_fft = 2 * nyquist_bin as i32;
    let wrapped = bin.rem_euclid(n_fft);
    let (bin, is_mirrored) = if wrapped > nyquist_bin as i32 { (n_fft - wrapped, true) } else { (wrapped, false) };
    let row = frame - region.rect.frames.start as i32;
    let column = bin - region.rect.bins.start as i32;
    if row < 0 || row >= region.n_frames() as i32 || column < 0 || column >= region.n_bins() as i32 {
        return Complex32::default();
    }
    let x = plane[row as usize * region.n_bins() + column as usize];
    if is_mirrored { x.conj() } else { x }
}

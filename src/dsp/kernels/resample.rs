//! Resampling for warps: every acting cell is taken from elsewhere in the plane. Twin: `shaders/resample.wgsl`.

use crate::dsp::displacement::Displacement;
use crate::dsp::polar::{cos_sin_turns, cos_sin_turns_4, magnitude_from_complex, turns_from_complex};
use crate::dsp::{CellRect, Region};
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
    let sources = sources(displacement, nyquist_bin, before);
    let plane = complex_plane(before, &sources);
    let roots = tap_roots(overlap);
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
            // Away from all ends the taps are a block of the plane.
            let row = first_frame - sources.frames.start as i32;
            let column_of = first_bin - sources.bins.start as i32;
            let is_inside = row >= 0
                && row + 3 < sources.frames.len() as i32
                && column_of >= 0
                && column_of + 3 < sources.bins.len() as i32;
            let block = if is_inside { row as usize * sources.bins.len() + column_of as usize } else { 0 };
            let mut row_sums = [[0.0f32; 4]; 2];
            for (j, frame_weight) in frame_weights.into_iter().enumerate() {
                let taps = if is_inside {
                    plane.block(block + j * sources.bins.len())
                } else {
                    plane.edge_block(&sources, nyquist_bin, first_frame + j as i32, first_bin)
                };
                let roots = &roots[(first_bin & (overlap as i32 - 1)) as usize][j];
                for i in 0..4 {
                    let x = Complex32::new(taps[0][i], taps[1][i]) * Complex32::new(roots[0][i], roots[1][i]);
                    row_sums[0][i] += x.re * frame_weight;
                    row_sums[1][i] += x.im * frame_weight;
                }
            }
            let [cos, sin] = cos_sin_turns_4([0, 1, 2, 3].map(|i| tap_turns(first_bin + i, fraction, overlap)));
            let mut sum = Complex32::default();
            for i in 0..4 {
                sum += Complex32::new(row_sums[0][i], row_sums[1][i]) * Complex32::new(cos[i], sin[i]) * bin_weights[i];
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

/// The cells of `before` that any tap can fall on; all bins where taps reach beyond DC or Nyquist.
fn sources(displacement: &Displacement, nyquist_bin: u32, before: &Region) -> CellRect {
    let rect = &displacement.rect;
    let n_bins = rect.bins.len().max(1);
    let (mut frames, mut bins) = ((i32::MAX, i32::MIN), (i32::MAX, i32::MIN));
    for (i, _) in displacement.acts.iter().enumerate().filter(|(_, acts)| **acts != 0) {
        let frame = (rect.frames.start + i / n_bins) as i32 + displacement.whole_frames[i];
        let bin = (rect.bins.start + i % n_bins) as i32 + displacement.whole_bins[i];
        frames = (frames.0.min(frame - 1), frames.1.max(frame + 3));
        bins = (bins.0.min(bin - 1), bins.1.max(bin + 3));
    }
    if frames.0 >= frames.1 {
        return CellRect::default();
    }
    let range = |(start, end): (i32, i32)| start.max(0) as usize..end.max(0) as usize;
    let bins = if bins.0 < 0 || bins.1 > nyquist_bin as i32 + 1 { before.rect.bins.clone() } else { range(bins) };
    CellRect::new(range(frames), bins).intersect(&before.rect)
}

/// `exp(-2 pi i m' (j - 1) / R)` for the whole frames between a tap and the place read, exact: by the first tap's bin
/// modulo the overlap, which is a power of two, and by `j`; real and imaginary parts for four bins from there on.
fn tap_roots(overlap: u32) -> Vec<[[[f32; 4]; 2]; 4]> {
    let root = |turns: i32| {
        let angle = -2.0 * std::f64::consts::PI * f64::from(turns.rem_euclid(overlap as i32)) / f64::from(overlap);
        [angle.cos() as f32, angle.sin() as f32]
    };
    let of_bin = |bin: i32| {
        [0, 1, 2, 3].map(|j: i32| {
            let roots = [0, 1, 2, 3].map(|i| root((bin + i) * (j - 1)));
            [0, 1].map(|part| roots.map(|root| root[part]))
        })
    };
    (0..overlap as i32).map(of_bin).collect()
}

/// Cells as complex numbers, parts apart, so that four neighbours are a vector.
struct ComplexPlane {
    re: Vec<f32>,
    im: Vec<f32>,
}

/// The cells of `rect`, which lies inside the region.
fn complex_plane(region: &Region, rect: &CellRect) -> ComplexPlane {
    let n_bins = rect.bins.len();
    let mut plane = ComplexPlane { re: vec![0.0; rect.n_cells()], im: vec![0.0; rect.n_cells()] };
    let rows = plane.re.par_chunks_mut(n_bins.max(1)).zip(plane.im.par_chunks_mut(n_bins.max(1)));
    rows.zip(rect.frames.clone()).with_min_len(8).for_each(|((re, im), frame)| {
        let from = region.index(frame, rect.bins.start);
        let cells = region.magnitude[from..from + n_bins].iter().zip(&region.phase[from..from + n_bins]);
        for ((re, im), (magnitude, turns)) in re.iter_mut().zip(im).zip(cells) {
            let [cos, sin] = cos_sin_turns(*turns);
            (*re, *im) = (magnitude * cos, magnitude * sin);
        }
    });
    plane
}

impl ComplexPlane {
    /// Four neighbouring bins.
    #[inline]
    fn block(&self, at: usize) -> [[f32; 4]; 2] {
        let four = |plane: &[f32]| plane[at..].first_chunk::<4>().copied().unwrap_or_default();
        [four(&self.re), four(&self.im)]
    }

    /// Four neighbouring bins of the endless plane, of which the cells of `rect` are held.
    fn edge_block(&self, rect: &CellRect, nyquist_bin: u32, frame: i32, first_bin: i32) -> [[f32; 4]; 2] {
        let taps = [0, 1, 2, 3].map(|i| self.tap(rect, nyquist_bin, frame, first_bin + i));
        [taps.map(|tap| tap[0]), taps.map(|tap| tap[1])]
    }

    fn tap(&self, rect: &CellRect, nyquist_bin: u32, frame: i32, bin: i32) -> [f32; 2] {
        let n_fft = 2 * nyquist_bin as i32;
        let wrapped = bin.rem_euclid(n_fft);
        let (bin, is_mirrored) = if wrapped > nyquist_bin as i32 { (n_fft - wrapped, true) } else { (wrapped, false) };
        let row = frame - rect.frames.start as i32;
        let column = bin - rect.bins.start as i32;
        let (n_frames, n_bins) = (rect.frames.len() as i32, rect.bins.len() as i32);
        if row < 0 || row >= n_frames || column < 0 || column >= n_bins {
            return [0.0; 2];
        }
        let at = row as usize * rect.bins.len() + column as usize;
        [self.re[at], if is_mirrored { -self.im[at] } else { self.im[at] }]
    }
}

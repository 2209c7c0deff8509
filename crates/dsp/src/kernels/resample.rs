//! Resampling for warps: every active cell is interpolated at its displaced position. Twin: `shaders/resample.wgsl`.
//!
//! The shader twin rotates the phase of each tap. Here the whole source plane is rotated once beforehand: with
//! `Y[m,n] = X[m,n] exp(-2 pi i m n / R)`, where `R` is the overlap, the tap `(m', n')` for the source position `ns` is
//! `Y[m',n'] exp(2 pi i m' ns / R)`, the same rotation for all frames of a bin. So frames are summed first, for several
//! cells in parallel, and the sums are rotated.

use super::drag::{cell, real_part, turned};
use crate::dsp::Region;
use crate::dsp::cells::planes;
use crate::dsp::cells::polar::{cos_sin_small, polar_from_parts};
use crate::dsp::numeric::vectors::vectorized;
use crate::dsp::warps::displacement::Displacement;
use rayon::prelude::*;
use std::ops::Range;

/// Catmull-Rom weights of the cells -1, 0, 1 and 2 for the position at fraction `t` between cells 0 and 1.
#[inline(always)]
pub fn catmull_rom(t: f32) -> [f32; 4] {
    [
        t * (-0.5 + t * (1.0 - 0.5 * t)),
        1.0 + t * t * (-2.5 + 1.5 * t),
        t * (0.5 + t * (2.0 - 1.5 * t)),
        t * t * (-0.5 + 0.5 * t),
    ]
}

/// Number of cells processed side by side.
const LANES: usize = 16;

/// Turns per unit of the fixed-point format.
const FIXED_TURN: f32 = 1.0 / 4_294_967_296.0;

/// Computes the displaced cells in the displacement's rectangle. Inactive cells are copied.
///
/// Around each source position, the taps `(m', n')` of a 4 x 4 stencil are rotated to
/// `X[m',n'] exp(2 pi i m' (ns - n') / R)`, weighted and summed; the sum is rotated by the displacement's phase. Frames
/// outside `before` are 0; bins outside 0 to Nyquist are conjugate mirrors; DC and Nyquist keep their real part. A
/// source at a whole cell is copied and rotated.
pub fn resample(displacement: &Displacement, overlap: u32, nyquist_bin: u32, before: &Region) -> Region {
    let rect = &displacement.rect;
    let mut after = before.crop(rect);
    let n_bins = rect.bins.len().max(1);
    let is_whole = |row: usize| {
        let row = row * n_bins..(row + 1) * n_bins;
        let fractions = displacement.frame_fraction[row.clone()].iter().zip(&displacement.bin_fraction[row]);
        fractions.fold(true, |whole, (frame, bin)| whole & (*frame == 0.0) & (*bin == 0.0))
    };
    let whole: Vec<bool> = (0..rect.frames.len()).into_par_iter().with_min_len(16).map(is_whole).collect();
    let plane = TurnedPlane::new(displacement, &whole, overlap, nyquist_bin, before);
    let rows = after.magnitude.par_chunks_mut(n_bins).zip(after.phase.par_chunks_mut(n_bins));
    rows.enumerate().with_min_len(4).for_each(|(row, (magnitude, phase))| {
        if !whole[row] {
            take_row(&plane, displacement, row, magnitude, phase);
        }
        whole_cells(displacement, nyquist_bin, before, row, magnitude, phase);
    });
    planes::give(plane.parts);
    after
}

/// Writes the cells of a row whose sources are whole cells, as rotated copies.
fn whole_cells(
    displacement: &Displacement,
    nyquist_bin: u32,
    before: &Region,
    row: usize,
    magnitude: &mut [f32],
    phase: &mut [f32],
) {
    let (rect, n) = (&displacement.rect, magnitude.len());
    let first = row * n;
    let row_of = first..first + n;
    let fractions = displacement.frame_fraction[row_of.clone()].iter().zip(&displacement.bin_fraction[row_of.clone()]);
    let cells = fractions.zip(&displacement.acts[row_of]).enumerate();
    for (i, _) in cells.filter(|(_, ((frame, bin), acts))| **acts != 0 && **frame == 0.0 && **bin == 0.0) {
        let bin = rect.bins.start + i;
        let frame = (rect.frames.start + row) as i64 + i64::from(displacement.whole_frames[first + i]);
        let source = bin as i64 + i64::from(displacement.whole_bins[first + i]);
        let [own, turns] = cell(before, nyquist_bin, frame, source);
        let turned = turned(turns, displacement.turns[first + i]);
        [magnitude[i], phase[i]] = match bin == 0 || bin == nyquist_bin as usize {
            true => real_part(own, turned),
            false => [own, if own == 0.0 { 0.0 } else { turned }],
        };
    }
}

/// `Y` on all cells that a tap can read, including mirrored bins and empty frames.
struct TurnedPlane {
    /// Grid frame of the first row; may be negative.
    first_frame: i64,
    n_rows: usize,
    /// Grid bin of the first column.
    first_bin: i64,
    n_columns: usize,
    /// Real and imaginary parts, interleaved.
    parts: Vec<f32>,
    nyquist_bin: u32,
    /// Phase advance per frame and bin, in fixed-point turns.
    fixed_per_frame: u32,
}

impl TurnedPlane {
    /// The plane for the rows with fractional sources.
    fn new(
        displacement: &Displacement,
        whole: &[bool],
        overlap: u32,
        nyquist_bin: u32,
        before: &Region,
    ) -> TurnedPlane {
        let [frames, bins] = reach(displacement, whole);
        // Four empty rows on either side represent all frames beyond.
        let (start, end) = (before.rect.frames.start as i64, before.rect.frames.end as i64);
        let first_frame = frames.start.clamp(start - 4, end);
        let n_rows = (frames.end.clamp(first_frame + 4, end + 4) - first_frame) as usize;
        // Bins are periodic in the transform size.
        let mirror = 2 * i64::from(nyquist_bin);
        let (first_bin, n_columns) =
            if bins.end - bins.start > mirror + 3 { (0, mirror + 3) } else { (bins.start, bins.end - bins.start) };
        let n_columns = n_columns as usize;
        let fixed_per_frame = (1u64 << 32).wrapping_div(u64::from(overlap)) as u32;
        let mut parts = planes::take(if frames.is_empty() { 0 } else { 2 * n_rows * n_columns });
        let fill = |(row, parts): (usize, &mut [f32])| {
            let frame = first_frame + row as i64;
            if frame < start || frame >= end {
                parts.fill(0.0);
            } else {
                fill_row(before, nyquist_bin, overlap, frame, first_bin, parts);
            }
        };
        parts.par_chunks_mut((2 * n_columns).max(1)).enumerate().with_min_len(4).for_each(fill);
        TurnedPlane { first_frame, n_rows, first_bin, n_columns, parts, nyquist_bin, fixed_per_frame }
    }
}

vectorized! {
    /// Interpolates the active cells of a row.
    fn take_row(
        plane: &TurnedPlane,
        displacement: &Displacement,
        row: usize,
        magnitude: &mut [f32],
        phase: &mut [f32],
    ) {
        let (rect, n) = (&displacement.rect, magnitude.len());
        let first = row * n;
        let frame = (rect.frames.start + row) as i64;
        let mut start = 0;
        while start < n {
            let lanes = start..(start + LANES).min(n);
            let at = first + lanes.start..first + lanes.end;
            if displacement.acts[at.clone()].iter().any(|acts| *acts != 0) {
                let bin = rect.bins.start + lanes.start;
                let mut block = Block::new(plane, displacement, at, frame, bin);
                block.take(plane);
                block.put(plane, &mut magnitude[lanes.clone()], &mut phase[lanes]);
            }
            start += LANES;
        }
    }
}

/// Up to [`LANES`] neighbouring cells of a row; lanes beyond its end are inactive. All values are 32-bit, so that a
/// SIMD register holds as many as possible.
struct Block {
    n: usize,
    acts: [u32; LANES],
    /// Source frames relative to the plane's first row: integer and fractional parts.
    frames: [i32; LANES],
    frame_fraction: [f32; LANES],
    /// Source bins on the grid: integer and fractional parts.
    bins: [i32; LANES],
    bin_fraction: [f32; LANES],
    turns: [f32; LANES],
    /// 0 for DC and Nyquist, which are real, otherwise 1.
    imaginary: [f32; LANES],
    /// Real and imaginary parts of the four taps along bins, for each cell.
    taps: [[f32; 8]; LANES],
}

impl Block {
    #[inline(always)]
    fn new(plane: &TurnedPlane, displacement: &Displacement, at: Range<usize>, frame: i64, first_bin: usize) -> Block {
        let n = at.len();
        let mut block = Block {
            n,
            acts: [0; LANES],
            frames: [0; LANES],
            frame_fraction: [0.0; LANES],
            bins: [0; LANES],
            bin_fraction: [0.0; LANES],
            turns: [0.0; LANES],
            imaginary: [0.0; LANES],
            taps: [[0.0; 8]; LANES],
        };
        block.acts[..n].copy_from_slice(&displacement.acts[at.clone()]);
        block.frame_fraction[..n].copy_from_slice(&displacement.frame_fraction[at.clone()]);
        block.bin_fraction[..n].copy_from_slice(&displacement.bin_fraction[at.clone()]);
        block.turns[..n].copy_from_slice(&displacement.turns[at.clone()]);
        block.frames[..n].copy_from_slice(&displacement.whole_frames[at.clone()]);
        block.bins[..n].copy_from_slice(&displacement.whole_bins[at]);
        let (frame, first_bin, nyquist_bin) =
            (frame.wrapping_sub(plane.first_frame) as i32, first_bin as i32, plane.nyquist_bin as i32);
        for i in 0..LANES {
            let bin = first_bin.wrapping_add(i as i32);
            block.frames[i] = block.frames[i].wrapping_add(frame);
            block.bins[i] = block.bins[i].wrapping_add(bin);
            block.imaginary[i] = if (bin == 0) | (bin == nyquist_bin) { 0.0 } else { 1.0 };
        }
        block
    }

    /// Sums the four frames of each tap along bins.
    #[inline(always)]
    fn take(&mut self, plane: &TurnedPlane) {
        let mut weights = [[0.0f32; LANES]; 4];
        for (i, fraction) in self.frame_fraction.iter().enumerate() {
            let weight = catmull_rom(*fraction);
            (weights[0][i], weights[1][i], weights[2][i], weights[3][i]) = (weight[0], weight[1], weight[2], weight[3]);
        }
        let columns_mask = 2 * plane.nyquist_bin as usize - 1;
        let last_row = plane.n_rows as i32 - 4;
        let stride = 2 * plane.n_columns;
        for i in (0..self.n).filter(|&i| self.acts[i] != 0) {
            let row = (self.frames[i].wrapping_sub(1)).clamp(0, last_row) as usize;
            let column = i64::from(self.bins[i]).wrapping_sub(1 + plane.first_bin) as usize & columns_mask;
            let first = row.wrapping_mul(stride).wrapping_add(column.wrapping_mul(2));
            let row = |j: usize| {
                let at = first.wrapping_add(stride.wrapping_mul(j));
                *plane.parts.get(at..).and_then(|cells| cells.first_chunk::<8>()).unwrap_or(&[0.0; 8])
            };
            let (a, b, c, d) = (row(0), row(1), row(2), row(3));
            let (u, v, w, x) = (weights[0][i], weights[1][i], weights[2][i], weights[3][i]);
            self.taps[i] = std::array::from_fn(|k| a[k] * u + b[k] * v + c[k] * w + d[k] * x);
        }
    }

    /// Sums the taps of each cell, rotated relative to the tap at or below its source, and rotates the sum.
    #[inline(always)]
    fn put(&self, plane: &TurnedPlane, magnitude: &mut [f32], phase: &mut [f32]) {
        let (mut new_magnitude, mut new_phase) = ([0.0f32; LANES], [0.0f32; LANES]);
        let to_fixed = plane.fixed_per_frame as f32;
        for i in 0..LANES {
            let part = (self.frame_fraction[i] * to_fixed) as i32;
            // The frame number on the grid, not in the plane, so that a part of a displacement gives the same result as
            // the whole.
            let frame = self.frames[i].wrapping_add(plane.first_frame as i32);
            let place = frame.wrapping_mul(plane.fixed_per_frame as i32).wrapping_add(part);
            let own = place.wrapping_mul(self.bins[i]) as f32 * FIXED_TURN;
            let step = cos_sin_small(place as f32 * FIXED_TURN);
            let weights = catmull_rom(self.bin_fraction[i]);
            let taps = &self.taps[i];
            let below = mul([taps[0] * weights[0], taps[1] * weights[0]], [step[0], -step[1]]);
            let at = [taps[2] * weights[1], taps[3] * weights[1]];
            let beyond = mul([taps[6] * weights[3], taps[7] * weights[3]], step);
            let onward = mul([taps[4] * weights[2] + beyond[0], taps[5] * weights[2] + beyond[1]], step);
            let sum = [below[0] + at[0] + onward[0], below[1] + at[1] + onward[1]];
            let sum = mul(sum, cos_sin_small(own + self.turns[i]));
            [new_magnitude[i], new_phase[i]] = polar_from_parts(sum[0], sum[1] * self.imaginary[i]);
        }
        for i in 0..self.n {
            let acts = self.acts[i] != 0;
            magnitude[i] = if acts { new_magnitude[i] } else { magnitude[i] };
            phase[i] = if acts { new_phase[i] } else { phase[i] };
        }
    }
}

#[inline(always)]
fn mul(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

vectorized! {
    /// Writes a row of the rotated plane, from `first_bin` on. Phases are rotated in turns, in which multiples of
    /// `1 / overlap` are exact.
    fn fill_row(before: &Region, nyquist_bin: u32, overlap: u32, frame: i64, first_bin: i64, parts: &mut [f32]) {
        let n_columns = (parts.len() / 2) as i64;
        let turned = |bin: i64, turns: f32| {
            let part = (bin as u32).wrapping_mul(frame as u32) & (overlap - 1);
            turns - part as i32 as f32 / overlap as f32
        };
        let own = before.rect.bins.start as i64..(before.rect.bins.end as i64).min(i64::from(nyquist_bin) + 1);
        let low = own.start.clamp(first_bin, first_bin + n_columns);
        let high = own.end.clamp(low, first_bin + n_columns);
        for bin in (first_bin..low).chain(high..first_bin + n_columns) {
            let [magnitude, turns] = cell(before, nyquist_bin, frame, bin);
            let [cos, sin] = cos_sin_small(turned(bin, turns));
            let at = 2 * (bin - first_bin) as usize;
            (parts[at], parts[at + 1]) = (magnitude * cos, magnitude * sin);
        }
        if low == high {
            return;
        }
        let from = before.index(frame as usize, low as usize);
        let n = (high - low) as usize;
        let cells = before.magnitude[from..from + n].iter().zip(&before.phase[from..from + n]);
        let parts = parts[2 * (low - first_bin) as usize..].chunks_exact_mut(2);
        let mut part = (low as u32).wrapping_mul(frame as u32);
        for ((magnitude, turns), out) in cells.zip(parts) {
            let [cos, sin] = cos_sin_small(turns - (part & (overlap - 1)) as i32 as f32 / overlap as f32);
            (out[0], out[1]) = (magnitude * cos, magnitude * sin);
            part = part.wrapping_add(frame as u32);
        }
    }
}

/// Frames and bins from the first to the last tap of the rows with fractional sources; empty if there are none.
fn reach(displacement: &Displacement, whole: &[bool]) -> [Range<i64>; 2] {
    let rect = &displacement.rect;
    let n_bins = rect.bins.len().max(1);
    let of_row = |row: usize| {
        let (mut frames, mut bins) = ((i64::MAX, i64::MIN), (i64::MAX, i64::MIN));
        if whole[row] {
            return [frames, bins];
        }
        let at = row * n_bins..(row + 1) * n_bins;
        let sources = displacement.whole_frames[at.clone()].iter().zip(&displacement.whole_bins[at.clone()]);
        for (bin, ((whole_frames, whole_bins), acts)) in
            (rect.bins.start as i64..).zip(sources.zip(&displacement.acts[at]))
        {
            if *acts != 0 {
                let frame = (rect.frames.start + row) as i64 + i64::from(*whole_frames);
                let bin = bin + i64::from(*whole_bins);
                frames = (frames.0.min(frame), frames.1.max(frame));
                bins = (bins.0.min(bin), bins.1.max(bin));
            }
        }
        [frames, bins]
    };
    let union = |a: [(i64, i64); 2], b: [(i64, i64); 2]| [0, 1].map(|i| (a[i].0.min(b[i].0), a[i].1.max(b[i].1)));
    let nothing = || [(i64::MAX, i64::MIN); 2];
    let all = (0..rect.frames.len()).into_par_iter().with_min_len(16).map(of_row).reduce(nothing, union);
    all.map(|(min, max)| if min > max { 0..0 } else { min - 1..max + 3 })
}

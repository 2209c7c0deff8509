//! Heal brush, mode attenuate: lowers a hole to the level of its surroundings. Twin: `shaders/attenuate.wgsl`.
//!
//! The hole is where `M > 0`. Along each axis it is split into runs of cells. The cells before and after a run, up to
//! the context's length or the next run, give a weighted mean of `log2 |X|` on each side, the nearest cell weighted
//! most. The level of a cell is the mean of both sides by weight and nearness, as in linear interpolation between them.
//!
//! Defaults were chosen by the measure of `docs/quality.md`.

use crate::dsp::numeric::exp2::exp2;
use crate::dsp::numeric::log2::log2;
use crate::dsp::{CellRect, Mask, Region};
use rayon::prelude::*;

/// Exponent of nearness in the weights of the axes, for [`Mixing::Shape`].
const SHARPNESS: i32 = 2;

/// Difference from the mean of `log2 |X|` of noise to the `log2` of its RMS magnitude: `log2(e)` times half of Euler's
/// constant, 2.5 dB. The level must exceed the median of noise to preserve it, since only louder cells are lowered to
/// it.
pub const RAISED_LOG2: f32 = 0.416_374;

/// The surroundings of a hole, in cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attenuation {
    /// Cells before and after (frames), below and above (bins).
    pub context: [[usize; 2]; 2],
    /// Weight of each of these sides, 0 to 1.
    pub weights: [[f32; 2]; 2],
    /// Distance between adjacent frames in window lengths, and between adjacent bins in main-lobe widths.
    pub units: [f32; 2],
    /// How the axes are combined.
    pub mixing: Mixing,
}

/// How the levels along both axes are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mixing {
    /// Time only.
    Time,
    /// Frequency only.
    Frequency,
    /// Both equally.
    Both,
    /// Weighted by nearness.
    Shape,
}

/// Consecutive cells of the hole along one axis. Positions refer to the region that is read.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CellRun {
    /// Start of the run's line in the planes.
    pub line: u32,
    /// Stride from one cell of the line to the next.
    pub step: u32,
    /// The run's first cell, counted along the line.
    pub first: u32,
    /// One past the run's last cell, counted along the line.
    pub end: u32,
    /// Number of context cells before it.
    pub n_before: u32,
    /// Number of context cells after it.
    pub n_after: u32,
    /// Level before it: `log2` of a magnitude.
    pub before: f32,
    /// Level after it: `log2` of a magnitude.
    pub after: f32,
}

/// The runs of a hole, and the run of each cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CellRuns {
    /// Along time first, then along frequency.
    pub runs: Vec<CellRun>,
    /// Index of the run along time of each cell of the mask; arbitrary where the mask is 0.
    pub of_frames: Vec<u32>,
    /// Index of the run along frequency of each cell of the mask.
    pub of_bins: Vec<u32>,
}

impl CellRuns {
    /// The runs of a mask, for a source region with the rectangle `read`. Their levels are 0 until [`measured`].
    pub fn new(mask: &Mask, read: &CellRect, context: [[usize; 2]; 2]) -> CellRuns {
        let (n_frames, n_bins) = (mask.rect.frames.len(), mask.rect.bins.len());
        let offset = [mask.rect.frames.start - read.frames.start, mask.rect.bins.start - read.bins.start];
        let stride = read.bins.len() as u32;
        let mut made =
            CellRuns { runs: Vec::new(), of_frames: vec![0; n_frames * n_bins], of_bins: vec![0; n_frames * n_bins] };
        // Along time, all bins side by side: each bin's current run, and its last completed one.
        let mut open: Vec<Option<u32>> = vec![None; n_bins];
        let mut ended: Vec<Option<u32>> = vec![None; n_bins];
        for (row, values) in mask.values.chunks_exact(n_bins.max(1)).enumerate() {
            let at = (offset[0] + row) as u32;
            for (bin, m) in values.iter().enumerate() {
                if *m > 0.0 {
                    let index = *open[bin].get_or_insert_with(|| {
                        let gap = at - ended[bin].map_or(0, |run| made.runs[run as usize].end);
                        let n_before = gap.min(context[0][0] as u32);
                        if let Some(run) = ended[bin] {
                            made.runs[run as usize].n_after = gap.min(context[0][1] as u32);
                        }
                        let line = (offset[1] + bin) as u32;
                        made.runs.push(CellRun { line, step: stride, first: at, n_before, ..CellRun::default() });
                        made.runs.len() as u32 - 1
                    });
                    made.runs[index as usize].end = at + 1;
                    made.of_frames[row * n_bins + bin] = index;
                } else if let Some(run) = open[bin].take() {
                    ended[bin] = Some(run);
                }
            }
        }
        for run in open.into_iter().zip(ended).filter_map(|(open, ended)| open.or(ended)) {
            let run = &mut made.runs[run as usize];
            run.n_after = (read.frames.len() as u32 - run.end).min(context[0][1] as u32);
        }
        for (row, values) in mask.values.chunks_exact(n_bins.max(1)).enumerate() {
            let (line, first_run) = ((offset[0] + row) as u32 * stride, made.runs.len());
            let mut is_open = false;
            for (bin, m) in values.iter().enumerate() {
                let at = (offset[1] + bin) as u32;
                if *m <= 0.0 {
                    is_open = false;
                    continue;
                }
                if !is_open {
                    is_open = true;
                    let last = made.runs[first_run..].last_mut();
                    let gap = at - last.as_ref().map_or(0, |run| run.end);
                    if let Some(run) = last {
                        run.n_after = gap.min(context[1][1] as u32);
                    }
                    let n_before = gap.min(context[1][0] as u32);
                    made.runs.push(CellRun { line, step: 1, first: at, n_before, ..CellRun::default() });
                }
                let index = made.runs.len() - 1;
                made.runs[index].end = at + 1;
                made.of_bins[row * n_bins + bin] = index as u32;
            }
            if let Some(run) = made.runs[first_run..].last_mut() {
                run.n_after = (stride - run.end).min(context[1][1] as u32);
            }
        }
        made
    }
}

/// Measures the levels before and after a run: means of `log2 |X|`, weighted by `1 / k^2` for a cell `k` cells away,
/// plus [`RAISED_LOG2`]. `magnitude` is the source plane.
pub fn measured(run: CellRun, magnitude: &[f32]) -> CellRun {
    let side = |n: u32, cell: &dyn Fn(u32) -> u32| {
        let mut sums = [0.0f32; 2];
        for k in 0..n {
            let distance = (k + 1) as f32;
            let near = 1.0 / (distance * distance);
            let level = log2(magnitude[(run.line + cell(k) * run.step) as usize]);
            sums = [sums[0] + near, sums[1] + near * level];
        }
        if n > 0 { sums[1] / sums[0] + RAISED_LOG2 } else { 0.0 }
    };
    let before = side(run.n_before, &|k| run.first - 1 - k);
    CellRun { before, after: side(run.n_after, &|k| run.end + k), ..run }
}

/// The contribution of one axis to the cell `at` of a line: the sum over both sides of weight times nearness (the
/// inverse distance), and the sum of the levels multiplied by the same factors.
pub fn along(run: &CellRun, at: u32, weights: [f32; 2], unit: f32) -> [f32; 2] {
    let mut sums = [0.0f32; 2];
    if run.n_before > 0 {
        let near = weights[0] / ((at - run.first + 1) as f32 * unit);
        sums = [sums[0] + near, sums[1] + near * run.before];
    }
    if run.n_after > 0 {
        let near = weights[1] / ((run.end - at) as f32 * unit);
        sums = [sums[0] + near, sums[1] + near * run.after];
    }
    sums
}

/// `|E| = lerp(|O|, min(|O|, 2^level), M)`, unchanged without surroundings.
pub fn attenuate(magnitude: f32, frames: [f32; 2], bins: [f32; 2], mixing: Mixing, mask: f32) -> f32 {
    let shares = match mixing {
        Mixing::Time => [1.0, 0.0],
        Mixing::Frequency => [0.0, 1.0],
        Mixing::Both => [1.0, 1.0],
        Mixing::Shape => [frames[0].powi(SHARPNESS), bins[0].powi(SHARPNESS)],
    };
    let mut sums = [0.0f32; 2];
    if frames[0] > 0.0 {
        sums = [sums[0] + shares[0], sums[1] + shares[0] * (frames[1] / frames[0])];
    }
    if bins[0] > 0.0 {
        sums = [sums[0] + shares[1], sums[1] + shares[1] * (bins[1] / bins[0])];
    }
    if sums[0] <= 0.0 {
        return magnitude;
    }
    let wanted = magnitude.min(exp2(sums[1] / sums[0]));
    magnitude + (wanted - magnitude) * mask
}

/// Attenuates the cells of a mask.
pub(in crate::kernels) fn run(around: &Attenuation, before: &Region, mask: &Mask, after: &mut Region) {
    let mut runs = CellRuns::new(mask, &before.rect, around.context);
    runs.runs.par_iter_mut().with_min_len(64).for_each(|run| *run = measured(*run, &before.magnitude));
    let n_bins = mask.rect.bins.len().max(1);
    let offset = [mask.rect.frames.start - before.rect.frames.start, mask.rect.bins.start - before.rect.bins.start];
    after.magnitude.par_chunks_mut(n_bins).enumerate().with_min_len(16).for_each(|(row, magnitudes)| {
        for (bin, magnitude) in magnitudes.iter_mut().enumerate() {
            let i = row * n_bins + bin;
            let m = mask.values[i];
            if m != 0.0 {
                let [in_time, in_frequency] = [runs.of_frames[i], runs.of_bins[i]].map(|run| &runs.runs[run as usize]);
                let frames = along(in_time, (offset[0] + row) as u32, around.weights[0], around.units[0]);
                let bins = along(in_frequency, (offset[1] + bin) as u32, around.weights[1], around.units[1]);
                *magnitude = attenuate(*magnitude, frames, bins, around.mixing, m);
            }
        }
    });
}

//! The source of each cell in a warp, and its phase shift. Computed in f64 on the CPU for both engines.

use crate::selections::mask;
use crate::strokes::stroke;
use crate::{Axis, CellRect, Grid, Mask, Selection, Stroke};
use rayon::prelude::*;

/// The displacement field of a warp over a rectangle of cells.
///
/// The source of cell `(frame, bin)` lies at frame `frame + whole_frames + frame_fraction` and bin
/// `bin + whole_bins + bin_fraction`. Fractions are in `[0, 1)` and separate, so that their precision does not depend
/// on the distance. All planes are frame-major, as [`Region`](crate::Region).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Displacement {
    /// Cells of the grid.
    pub rect: CellRect,
    /// Whole frames from a cell to its source.
    pub whole_frames: Vec<i32>,
    /// Fractional remainder of the distance, in frames.
    pub frame_fraction: Vec<f32>,
    /// Whole bins from a cell to its source.
    pub whole_bins: Vec<i32>,
    /// Fractional remainder of the distance, in bins.
    pub bin_fraction: Vec<f32>,
    /// The phase to add, in turns, [-0.5, 0.5).
    pub turns: Vec<f32>,
    /// 1 where the warp acts (`M > 0`, or a push that moved the cell), 0 where the cell is kept.
    pub acts: Vec<u32>,
}

/// Number of frames over which the accumulated phase returns to whole turns at the end of a run.
const LANDING_FRAMES: usize = 16;

/// Number of dabs per radius along a polyline.
const DABS_PER_RADIUS: f64 = 8.0;

/// Minimum number of cells of a dab per parallel task.
const CELLS_PER_TASK: usize = 2048;

/// One turn in the fixed-point format of phase sums. Additions wrap, so sums are exact and independent of their order.
const FIXED_TURN: f64 = 4_294_967_296.0;

impl Displacement {
    /// The field of a *grab*: every cell with `M > 0` is taken from `(t - M shift[0], axis^-1(axis(f) - M shift[1]))`.
    /// `mask` holds `M`; `shift` is in seconds and units of `axis`.
    pub fn grab(grid: &Grid, mask: &Mask, axis: Axis, shift: [f64; 2]) -> Displacement {
        let frames_per_shift = grid.frames_in_secs(shift[0]);
        let hz: Vec<f64> = mask.rect.bins.clone().map(|bin| grid.hz_from_bin(bin as f64)).collect();
        let units: Vec<f64> = hz.iter().map(|hz| axis.units_from_hz(*hz)).collect();
        let mut field = Displacement::of_rows(mask, |_, column, m| {
            let (m, hz) = (f64::from(m), hz[column]);
            let source_hz = if shift[1] == 0.0 { hz } else { axis.hz_from_units(units[column] - m * shift[1]) };
            let bin = (mask.rect.bins.start + column) as f64;
            Source { frames: -m * frames_per_shift, bins: grid.bin_from_hz(source_hz) - bin, turns: 0.0 }
        });
        let hz_moved = |i: usize| {
            let column = i % hz.len();
            let m = f64::from(mask.values[i]);
            if shift[1] == 0.0 { 0.0 } else { hz[column] - axis.hz_from_units(units[column] - m * shift[1]) }
        };
        if shift[1] != 0.0 {
            field.accumulate_turns(grid, hz_moved);
        }
        field
    }

    /// The field of a *clone* shifted by `units` of an axis and not in time: every cell with `M > 0` is taken from
    /// `axis^-1(axis(f) + units)` of its own frame. Phases accumulate from frame `first_frame` for all bins, so that
    /// shifts by whole bins are exact: `Y[m,n] = X[m - d, n] exp(2 pi i d (n - n0) H / N)`.
    pub fn shift(grid: &Grid, mask: &Mask, axis: Axis, units: f64, first_frame: usize) -> Displacement {
        let per_bin = |bin: usize| {
            let hz = grid.hz_from_bin(bin as f64);
            let source_hz = axis.hz_from_units(axis.units_from_hz(hz) + units);
            (grid.bin_from_hz(source_hz) - bin as f64, hz - source_hz)
        };
        let per_bin: Vec<(f64, f64)> = mask.rect.bins.clone().map(per_bin).collect();
        Displacement::of_rows(mask, |frame, column, _| {
            let (bins, hz_moved) = per_bin[column];
            Source { frames: 0.0, bins, turns: gained_turns(grid, hz_moved, frame as f64 - first_frame as f64) }
        })
    }

    /// The field of one dab of a *smudge*: every cell with `M > 0` is taken from `step` frames and bins before it and
    /// rotated by its frame's phase.
    pub fn drag(mask: &Mask, step: [i64; 2], turns: &[f32]) -> Displacement {
        Displacement::of_rows(mask, |frame, _, _| Source {
            frames: -step[0] as f64,
            bins: -step[1] as f64,
            turns: turns[frame - mask.rect.frames.start],
        })
    }

    /// The field in which every cell with `M > 0` has the source that `source` returns for its frame, its column in the
    /// mask, and its `M`.
    fn of_rows(mask: &Mask, source: impl Fn(usize, usize, f32) -> Source + Sync) -> Displacement {
        let mut field = Displacement::empty(mask.rect.clone());
        let n_bins = mask.rect.bins.len().max(1);
        let frames = field.whole_frames.par_chunks_mut(n_bins).zip(field.frame_fraction.par_chunks_mut(n_bins));
        let bins = field.whole_bins.par_chunks_mut(n_bins).zip(field.bin_fraction.par_chunks_mut(n_bins));
        let rest = field.turns.par_chunks_mut(n_bins).zip(field.acts.par_chunks_mut(n_bins));
        let rows = frames.zip(bins).zip(rest).zip(mask.values.par_chunks(n_bins)).enumerate().with_min_len(4);
        rows.for_each(|(row, ((((whole_frames, frame_parts), (whole_bins, bin_parts)), (turns, acts)), values))| {
            for (column, m) in values.iter().enumerate().filter(|(_, m)| **m > 0.0) {
                let source = source(mask.rect.frames.start + row, column, *m);
                (whole_frames[column], frame_parts[column]) = split(source.frames);
                (whole_bins[column], bin_parts[column]) = split(source.bins);
                (turns[column], acts[column]) = (source.turns, 1);
            }
        });
        field
    }

    fn empty(rect: CellRect) -> Displacement {
        let n = rect.n_cells();
        Displacement {
            rect,
            whole_frames: vec![0; n],
            frame_fraction: vec![0.0; n],
            whole_bins: vec![0; n],
            bin_fraction: vec![0.0; n],
            turns: vec![0.0; n],
            acts: vec![0; n],
        }
    }

    fn set_source(&mut self, i: usize, frames: f64, bins: f64) {
        (self.whole_frames[i], self.frame_fraction[i]) = split(frames);
        (self.whole_bins[i], self.bin_fraction[i]) = split(bins);
        self.acts[i] = 1;
    }

    /// Phases along each bin: the trapezoidal sum over time of the hertz moved, from 0 before each run of acting cells,
    /// returned to whole turns over the run's last frames.
    fn accumulate_turns(&mut self, grid: &Grid, hz_moved: impl Fn(usize) -> f64) {
        let secs_per_frame = grid.hop_secs();
        let (n_frames, n_bins) = (self.rect.frames.len(), self.rect.bins.len());
        // Per bin: where its run began, its phase so far, and the hertz of its last cell. All bins advance together, in
        // the order of memory.
        let mut runs: Vec<Option<(usize, u32, f64)>> = vec![None; n_bins];
        for frame in 0..=n_frames {
            for (bin, run) in runs.iter_mut().enumerate() {
                let i = frame * n_bins + bin;
                if frame < n_frames && self.acts[i] != 0 {
                    let (start, fixed, hz_before) = run.unwrap_or((frame, 0, 0.0));
                    let hz = hz_moved(i);
                    let fixed = fixed.wrapping_add(fixed_from_turns(secs_per_frame * (hz_before + hz) / 2.0));
                    self.turns[i] = turns_from_fixed(fixed);
                    *run = Some((start, fixed, hz));
                } else if let Some((start, fixed, _)) = run.take() {
                    let to_whole_turns = -f64::from(fixed as i32) / FIXED_TURN;
                    for (frame, part) in landing(start, frame) {
                        let i = frame * n_bins + bin;
                        self.turns[i] =
                            turns_from_fixed(fixed_from_turns(f64::from(self.turns[i]) + to_whole_turns * part));
                    }
                }
            }
        }
    }

    /// Whether any bin is moved in time by different amounts in two consecutive frames.
    pub fn stretches_time(&self) -> bool {
        let n_bins = self.rect.bins.len();
        (n_bins..self.acts.len()).any(|i| {
            let before = i - n_bins;
            self.acts[i] != 0
                && self.acts[before] != 0
                && (self.whole_frames[i], self.frame_fraction[i])
                    != (self.whole_frames[before], self.frame_fraction[before])
        })
    }

    /// The frames of the grid that the acting cells read, with the stencil's reach, clipped to the grid.
    pub fn frames_read(&self, n_grid_frames: usize) -> std::ops::Range<usize> {
        let n_bins = self.rect.bins.len();
        let mut read = (usize::MAX, 0);
        for (i, _) in self.acts.iter().enumerate().filter(|(_, acts)| **acts != 0) {
            let source = (self.rect.frames.start + i / n_bins) as i64 + i64::from(self.whole_frames[i]);
            read.0 = read.0.min((source - 1).clamp(0, n_grid_frames as i64) as usize);
            read.1 = read.1.max((source + 3).clamp(0, n_grid_frames as i64) as usize);
        }
        read.0.min(read.1)..read.1
    }

    /// The bins of the field, and those that acting cells read, with the stencil's reach; all bins if it extends beyond
    /// DC or Nyquist.
    pub fn bins_read(&self, n_grid_bins: usize) -> std::ops::Range<usize> {
        let first = self.rect.bins.start as i64;
        let of_row = |(whole_bins, acts): (&[i32], &[u32])| {
            let cells = (first..).zip(whole_bins.iter().zip(acts)).filter(|(_, (_, acts))| **acts != 0);
            cells.fold((i64::MAX, i64::MIN), |(low, high), (bin, (whole, _))| {
                let source = bin + i64::from(*whole);
                (low.min(source - 1), high.max(source + 3))
            })
        };
        let n_bins = self.rect.bins.len().max(1);
        let rows = self.whole_bins.par_chunks(n_bins).zip(self.acts.par_chunks(n_bins)).with_min_len(16).map(of_row);
        let own = (first, self.rect.bins.end as i64);
        let (low, high) = rows.reduce(|| own, |a, b| (a.0.min(b.0), a.1.max(b.1)));
        if low < 0 || high > n_grid_bins as i64 { 0..n_grid_bins } else { low as usize..high as usize }
    }

    /// The part of the field inside `rect`, which must lie inside the field's.
    #[must_use]
    pub fn crop(&self, rect: &CellRect) -> Displacement {
        let rows = |plane: &[f32]| crop_plane(plane, &self.rect, rect);
        Displacement {
            rect: rect.clone(),
            whole_frames: crop_plane(&self.whole_frames, &self.rect, rect),
            frame_fraction: rows(&self.frame_fraction),
            whole_bins: crop_plane(&self.whole_bins, &self.rect, rect),
            bin_fraction: rows(&self.bin_fraction),
            turns: rows(&self.turns),
            acts: crop_plane(&self.acts, &self.rect, rect),
        }
    }
}

/// Source of a cell, as an offset, and its phase shift.
struct Source {
    frames: f64,
    bins: f64,
    turns: f32,
}

/// The last frames of a run, and the progress of its phase towards whole turns there, 0 to 1.
fn landing(start: usize, end: usize) -> impl Iterator<Item = (usize, f64)> {
    let k = LANDING_FRAMES.min(end - start);
    (1..=k).map(move |step| {
        let u = step as f64 / k as f64;
        (end - k + step - 1, 3.0 * u * u - 2.0 * u * u * u)
    })
}

/// Returns phases to whole turns over the last frames of every run of acting cells along a bin; runs that reach the end
/// of the rectangle are unchanged if `ends_open`.
pub(crate) fn landed(acts: &[u32], n_bins: usize, ends_open: bool, turns: &mut [f64]) {
    let n_frames = acts.len() / n_bins.max(1);
    let mut starts: Vec<Option<usize>> = vec![None; n_bins];
    for frame in 0..=n_frames {
        for (bin, start) in starts.iter_mut().enumerate() {
            if frame < n_frames && acts[frame * n_bins + bin] != 0 {
                start.get_or_insert(frame);
                continue;
            }
            let Some(start) = start.take().filter(|_| frame < n_frames || !ends_open) else { continue };
            let last = turns[(frame - 1) * n_bins + bin];
            let to_whole_turns = last.round() - last;
            for (frame, part) in landing(start, frame) {
                turns[frame * n_bins + bin] += to_whole_turns * part;
            }
        }
    }
}

fn crop_plane<T: Copy>(plane: &[T], from: &CellRect, to: &CellRect) -> Vec<T> {
    let (skip, n) = (to.bins.start - from.bins.start, to.bins.len());
    let rows = plane.chunks_exact(from.bins.len().max(1));
    rows.skip(to.frames.start - from.frames.start)
        .take(to.frames.len())
        .flat_map(|row| &row[skip..skip + n])
        .copied()
        .collect()
}

/// Maximum displacement in frames or bins, needed since a bark axis may map to infinity. It exceeds the length of any
/// sound, and its sum with any position fits in 32 bits.
const FARTHEST: f64 = 536_870_912.0;

#[inline]
fn split(offset: f64) -> (i32, f32) {
    if offset.is_nan() || offset.abs() > FARTHEST {
        return (if offset > 0.0 { FARTHEST } else { -FARTHEST } as i32, 0.0);
    }
    // `floor` without the library call that baseline x86-64 requires.
    let cut = offset as i32;
    let whole = f64::from(cut - i32::from(f64::from(cut) > offset));
    let fraction = (offset - whole) as f32;
    // A fraction that rounds to 1 in f32 carries into the whole part.
    if fraction >= 1.0 { (whole as i32 + 1, 0.0) } else { (whole as i32, fraction) }
}

/// The phase in turns that accumulates over `frames` frames at a constant shift by `hz`.
pub fn gained_turns(grid: &Grid, hz: f64, frames: f64) -> f32 {
    turns_from_fixed(fixed_from_turns(hz * grid.secs_in_frames(frames)))
}

fn fixed_from_turns(turns: f64) -> u32 {
    rounded((turns - rounded(turns)) * FIXED_TURN) as i64 as u32
}

/// Rounds to the nearest whole number, ties to even, for numbers under 2^51, without the library call that `round`
/// requires on baseline x86-64.
#[inline(always)]
pub(crate) fn rounded(x: f64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    (x + SHIFT) - SHIFT
}

fn turns_from_fixed(fixed: u32) -> f32 {
    let turns = (f64::from(fixed as i32) / FIXED_TURN) as f32;
    if turns >= 0.5 { -0.5 } else { turns }
}

/// The field of a *push*, updated by each dab, which moves the sound under the brush.
///
/// `D_k(c) = m v + D_(k-1)(c - m v)` in coordinates divided by the radius, bilinear between cells, 0 outside; the sound
/// itself is resampled once, at `c - D(c)`.
#[derive(Debug, Clone)]
pub struct PushField {
    grid: Grid,
    axis: Axis,
    radius: [f64; 2],
    hardness: f64,
    strength: f64,
    rect: CellRect,
    /// Axis units divided by the radius, for each bin of `rect`.
    bin_units: Vec<f64>,
    /// Selection at each cell of `rect`; `None` means 1 everywhere.
    selection: Option<Mask>,
    /// `D` for each cell of `rect`: seconds and axis units, both divided by the radius.
    moved: Vec<[f64; 2]>,
}

/// A point of a push stroke: seconds and axis units divided by the radius, and the pressure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dab {
    /// Seconds and axis units, each divided by its radius.
    pub at: [f64; 2],
    /// Pressure, 0 to 1.
    pub pressure: f64,
}

/// The polyline of a stroke, resampled every eighth of a radius, with the last dab at its end.
pub fn dabs(stroke: &Stroke) -> Vec<Dab> {
    let mut dabs = Vec::new();
    let mut resampler = DabResampler::default();
    for point in &stroke.points {
        resampler.extend(Dab { at: stroke.scaled(point.secs, point.hz), pressure: point.pressure }, &mut dabs);
    }
    resampler.finish(&mut dabs);
    dabs
}

/// Resamples a polyline that grows point by point; dabs already returned remain valid.
#[derive(Debug, Clone, Default)]
pub struct DabResampler {
    last_point: Option<Dab>,
    last_dab: Option<Dab>,
    /// Distance since the last dab.
    gone: f64,
}

impl DabResampler {
    /// Adds the segment to `point`, and appends the dabs on it to `out`.
    pub fn extend(&mut self, point: Dab, out: &mut Vec<Dab>) {
        let Some(from) = self.last_point.replace(point) else {
            self.last_dab = Some(point);
            out.push(point);
            return;
        };
        let along = [point.at[0] - from.at[0], point.at[1] - from.at[1]];
        let length = along[0].hypot(along[1]);
        let step = 1.0 / DABS_PER_RADIUS;
        let mut reached = step - self.gone;
        while reached <= length {
            let part = if length > 0.0 { reached / length } else { 1.0 };
            let dab = Dab {
                at: [from.at[0] + along[0] * part, from.at[1] + along[1] * part],
                pressure: from.pressure + (point.pressure - from.pressure) * part,
            };
            self.last_dab = Some(dab);
            out.push(dab);
            reached += step;
        }
        self.gone = length - (reached - step);
    }

    /// Appends the dab at the polyline's end, unless there is one already.
    pub fn finish(&self, out: &mut Vec<Dab>) {
        if let Some(end) = self.last_point.filter(|end| self.last_dab.is_none_or(|dab| dab.at != end.at)) {
            out.push(end);
        }
    }
}

impl PushField {
    /// A field without displacement over `rect`, for a stroke's brush (its points are ignored) within a selection.
    pub fn new(grid: &Grid, brush: &Stroke, selection: Option<&Selection>, rect: &CellRect) -> PushField {
        // A border of one unmoved cell, so that interpolation falls to 0 there, as on an unbounded plane.
        let rect = rect.grown(1, 1, &grid.all_cells());
        let unit = |bin: usize| brush.axis.units_from_hz(grid.hz_from_bin(bin as f64)) / brush.radius[1];
        PushField {
            grid: grid.clone(),
            axis: brush.axis,
            radius: brush.radius,
            hardness: brush.hardness,
            strength: brush.strength,
            bin_units: rect.bins.clone().map(unit).collect(),
            selection: selection.map(|selection| mask::evaluate(grid, None, Some(selection), 1.0, &rect)),
            moved: vec![[0.0; 2]; rect.n_cells()],
            rect,
        }
    }

    /// The cells that a push along `stroke` can move.
    pub fn bounds(grid: &Grid, stroke: &Stroke) -> CellRect {
        mask::stroke_bounds(grid, stroke)
    }

    /// Copies the displacements of a smaller field of the same brush, outside of which nothing has moved.
    pub fn take_over(&mut self, smaller: &PushField) {
        let part = self.rect.intersect(&smaller.rect);
        for frame in part.frames.clone() {
            let place =
                |rect: &CellRect| (frame - rect.frames.start) * rect.bins.len() + part.bins.start - rect.bins.start;
            let (to, from) = (place(&self.rect), place(&smaller.rect));
            self.moved[to..to + part.bins.len()].copy_from_slice(&smaller.moved[from..from + part.bins.len()]);
        }
    }

    /// Upper bound on the number of cells under the brush at one position.
    pub fn cells_under_brush(&self) -> usize {
        let frames = ((2.0 * self.grid.frames_in_secs(self.radius[0])).ceil() as usize).saturating_add(1);
        let from_low = |(low, units): (usize, &f64)| self.bin_units.partition_point(|high| *high <= units + 2.0) - low;
        let bins = self.bin_units.iter().enumerate().filter(|(_, units)| units.is_finite()).map(from_low).max();
        frames.min(self.rect.frames.len()) * bins.unwrap_or(0)
    }

    /// The cells of the field.
    pub fn rect(&self) -> &CellRect {
        &self.rect
    }

    /// Moves sound under the brush from `from` to `to`; returns the cells it may have changed.
    pub fn push(&mut self, from: Dab, to: Dab) -> CellRect {
        let v = [to.at[0] - from.at[0], to.at[1] - from.at[1]];
        let dirty = self.under(from.at);
        if dirty.is_empty() || v == [0.0; 2] {
            return CellRect::default();
        }
        let n_bins = self.rect.bins.len();
        let mut next = vec![[0.0; 2]; dirty.n_cells()];
        let rows_per_task = (CELLS_PER_TASK / dirty.bins.len()).max(1);
        next.par_chunks_mut(dirty.bins.len()).enumerate().with_min_len(rows_per_task).for_each(|(row, out)| {
            let frame = dirty.frames.start + row;
            let secs = self.grid.secs_from_frame(frame as f64) / self.radius[0];
            for (bin, out) in dirty.bins.clone().zip(out) {
                let i = (frame - self.rect.frames.start) * n_bins + bin - self.rect.bins.start;
                let units = self.bin_units[bin - self.rect.bins.start];
                let distance = (secs - from.at[0]).hypot(units - from.at[1]);
                let chosen = self.selection.as_ref().map_or(1.0, |mask| f64::from(mask.values[i]));
                let m = self.strength * to.pressure * stroke::profile(distance, self.hardness) * chosen;
                *out = if m > 0.0 {
                    let before = self.sample([secs - m * v[0], units - m * v[1]]);
                    [m * v[0] + before[0], m * v[1] + before[1]]
                } else {
                    self.moved[i]
                };
            }
        });
        let mut rows = next.chunks_exact(dirty.bins.len());
        for frame in dirty.frames.clone() {
            let i = (frame - self.rect.frames.start) * n_bins + dirty.bins.start - self.rect.bins.start;
            if let Some(row) = rows.next() {
                self.moved[i..i + row.len()].copy_from_slice(row);
            }
        }
        dirty
    }

    /// The cells of the field within one radius of a position.
    fn under(&self, at: [f64; 2]) -> CellRect {
        let frame = |scaled: f64| self.grid.frame_from_secs(scaled * self.radius[0]);
        let first = frame(at[0] - 1.0).ceil().max(0.0) as usize;
        let end = (frame(at[0] + 1.0).floor().max(-1.0) as i64).saturating_add(1);
        let low = self.bin_units.partition_point(|&units| units.is_nan() || units < at[1] - 1.0);
        let high = self.bin_units.partition_point(|&units| units.is_nan() || units <= at[1] + 1.0);
        let bins = self.rect.bins.start + low..self.rect.bins.start + high.max(low);
        CellRect::new(first..(end as usize).max(first), bins).intersect(&self.rect)
    }

    /// `D` between cells: bilinear in frames and axis units, 0 outside the field.
    fn sample(&self, at: [f64; 2]) -> [f64; 2] {
        let n_bins = self.rect.bins.len();
        let frame = self.grid.frame_from_secs(at[0] * self.radius[0]);
        let (whole_frame, frame_part) = (frame.floor(), frame - frame.floor());
        let above = self.bin_units.partition_point(|&units| units.is_nan() || units <= at[1]);
        let units_at = |j: usize| self.bin_units.get(j).copied().filter(|units| units.is_finite());
        let cell = |frame: f64, j: Option<usize>| -> [f64; 2] {
            let (Some(j), true) = (j, frame >= self.rect.frames.start as f64 && frame < self.rect.frames.end as f64)
            else {
                return [0.0; 2];
            };
            if j < n_bins { self.moved[(frame as usize - self.rect.frames.start) * n_bins + j] } else { [0.0; 2] }
        };
        let below = above.checked_sub(1);
        let bin_part = match (below.and_then(units_at), units_at(above)) {
            (Some(low), Some(high)) => (at[1] - low) / (high - low),
            // Exactly at the last bin: its value; above it 0. Below the first bin: that bin's value.
            (Some(low), None) => {
                if at[1] > low {
                    1.0
                } else {
                    0.0
                }
            }
            _ => 1.0,
        };
        let mix = |a: [f64; 2], b: [f64; 2], part: f64| [a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part];
        let column = |frame: f64| mix(cell(frame, below), cell(frame, Some(above)), bin_part);
        mix(column(whole_frame), column(whole_frame + 1.0), frame_part)
    }

    /// Total displacement of each cell of `rect` (inside the field's): seconds and axis units.
    pub fn moved(&self, rect: &CellRect) -> Vec<[f64; 2]> {
        let by = |[secs, units]: [f64; 2]| [secs * self.radius[0], units * self.radius[1]];
        crop_plane(&self.moved, &self.rect, rect).into_iter().map(by).collect()
    }

    /// The current field over the cells of `rect` (inside the field's). Phases accumulate along runs of acting cells,
    /// so `rect` must contain whole runs: all frames of the field, unless an approximate preview suffices.
    pub fn displacement(&self, rect: &CellRect) -> Displacement {
        let mut field = Displacement::empty(rect.clone());
        let mut hz_moved = vec![0.0; rect.n_cells()];
        let n_bins = self.rect.bins.len();
        let mut i = 0;
        for frame in rect.frames.clone() {
            for bin in rect.bins.clone() {
                let from = (frame - self.rect.frames.start) * n_bins + bin - self.rect.bins.start;
                let moved = self.moved[from];
                if moved != [0.0; 2] {
                    let hz = self.grid.hz_from_bin(bin as f64);
                    let units = (self.bin_units[bin - self.rect.bins.start] - moved[1]) * self.radius[1];
                    let source_hz = if moved[1] == 0.0 { hz } else { self.axis.hz_from_units(units) };
                    hz_moved[i] = hz - source_hz;
                    let frames = -self.grid.frames_in_secs(moved[0] * self.radius[0]);
                    field.set_source(i, frames, self.grid.bin_from_hz(source_hz) - bin as f64);
                }
                i += 1;
            }
        }
        field.accumulate_turns(&self.grid, |i| hz_moved[i]);
        field
    }
}

//! Sound moved through rows: cells interpolated around their source, each [partial](super::partials) rotated in phase
//! by its shift in hertz. Twin of [`RowMove::run`]: `shaders/row_resample.wgsl`.

use super::bank::RowBank;
use super::group::{RowGroup, fixed_from_turns, turns_from_fixed};
use super::partials::{PEAK_NEIGHBOURS, PartialTurns, RowShifts, RowSource};
use super::table::RowTable;
use crate::dsp::cells::polar::{cos_sin_turns, polar_from_parts};
use crate::dsp::kernels::catmull_rom;
use crate::dsp::warps::displacement::{landed, rounded};
use crate::dsp::{Axis, CellRect, Mask, Region};
use rayon::prelude::*;
use rustfft::num_complex::Complex32;
use std::ops::Range;

/// Cells read before and after a position: those of the interpolation stencil, and one more to measure a peak's
/// frequency.
const CELLS_BEFORE: i64 = 2;
const CELLS_AFTER: i64 = 3;
/// Additional rows below and above those read, on the grid for moving sound.
const EXTRA_ROWS: i64 = 4;

/// Maximum distance, in radii, over which one dab moves sound: twice the spacing of dabs, to allow for rounding.
const INFLOW_RADII: f64 = 0.25;

/// A *grab* or a *push* on rows: every cell with `M > 0` takes its value from a displaced position.
///
/// The group is one [for moves](RowBank::group_for_moves), and has all rows that are read and written. Cells are
/// amplitudes, as [`RowsPlan`](crate::dsp::RowsPlan) gives them. Rows that would read from below the first row of the
/// scale or above the last become 0.
#[derive(Debug, Clone, Copy)]
pub struct RowMove<'a> {
    /// The rows' bank.
    pub bank: &'a RowBank,
    /// The rows that are read and written.
    pub group: &'a RowGroup,
    /// Units of the shift in frequency.
    pub axis: Axis,
    /// How far each cell is moved.
    pub shift: RowShift<'a>,
    /// Whether partials keep their frequency where time is stretched, instead of taking the phase of their source.
    pub keeps_pitch: bool,
}

/// The displacement of a mask's cells, in seconds and units of an axis.
#[derive(Debug, Clone, Copy)]
pub enum RowShift<'a> {
    /// `M` times this displacement.
    Grab([f64; 2]),
    /// One displacement per cell, in the order of the mask's values.
    Push(&'a [[f64; 2]]),
}

/// Maximum shift in columns, far longer than any sound.
const MAX_COLUMNS: f64 = 1e15;

impl RowMove<'_> {
    /// The range of rows that a group must contain so that `rows` can be moved by any amount from 0 to `units`.
    pub fn rows_read(table: &RowTable, rows: Range<usize>, axis: Axis, units: f64) -> Range<usize> {
        RowMove::rows_around(table, rows, axis, units, [EXTRA_ROWS, EXTRA_ROWS + 1])
    }

    /// The rows read by any part of the shift, and `more` additional rows below and above.
    fn rows_around(table: &RowTable, rows: Range<usize>, axis: Axis, units: f64, more: [i64; 2]) -> Range<usize> {
        let scale = table.scale_rows();
        let source = |row: usize| {
            let from = axis.units_from_hz(table.rows()[row.clamp(scale.start, scale.end - 1)].hz) - units;
            table.row_from_hz(axis.hz_from_units(from)).clamp(scale.start as f64, (scale.end - 1) as f64)
        };
        let last = rows.end.max(rows.start + 1) - 1;
        let low = source(rows.start).min(rows.start.max(scale.start) as f64);
        let high = source(last).max(last.min(scale.end - 1) as f64);
        let start = (low.floor() as i64 - more[0]).max(scale.start as i64) as usize;
        let end = (high.ceil() as i64 + more[1]).min(scale.end as i64) as usize;
        start..end.max(start)
    }

    /// The range of rows that a group must contain so that a stroke of `radius` axis units can drag sound into all of
    /// `rows`.
    pub fn rows_brought(table: &RowTable, rows: Range<usize>, axis: Axis, radius: f64) -> Range<usize> {
        let ways = [-INFLOW_RADII, INFLOW_RADII].map(|part| part * radius);
        // Each dab moves sound by at most a quarter of a radius, so `EXTRA_ROWS` are not needed.
        let around = |units| RowMove::rows_around(table, rows.clone(), axis, units, [CELLS_BEFORE, CELLS_AFTER]);
        let [above, below] = ways.map(around);
        above.start.min(below.start)..above.end.max(below.end)
    }

    /// The cells that a move under a mask reads and writes, clipped to a sound of `n_samples`. They include extra rows
    /// around the group with the peaks that leak into it; otherwise the row nearest to such a peak would be taken for
    /// the peak.
    pub fn cells_read(&self, mask: &Mask, n_samples: u64) -> CellRect {
        let (min, max) = match self.shift {
            RowShift::Grab([secs, _]) => {
                let columns = self.columns(secs);
                (-columns.max(0.0), (-columns).max(0.0))
            }
            RowShift::Push(cells) => cells.iter().fold((0.0, 0.0), |(min, max), [secs, _]| {
                let columns = -self.columns(*secs);
                (columns.min(min), columns.max(max))
            }),
        };
        let frames = &mask.rect.frames;
        let start = (frames.start as i64 + min.floor() as i64 - CELLS_BEFORE).max(0) as usize;
        let end = (frames.end as i64 + max.ceil() as i64 + CELLS_AFTER).max(0) as usize;
        let end = end.min(self.group.n_columns(n_samples)).max(frames.end);
        CellRect::new(start..end, self.bank.with_peaks_beside(&self.group.rows(), PEAK_NEIGHBOURS))
    }

    /// Seconds in columns, limited so that adding them to a column does not overflow.
    fn columns(&self, secs: f64) -> f64 {
        self.group.columns_in_secs(secs).clamp(-MAX_COLUMNS, MAX_COLUMNS)
    }

    /// Displacement of a cell of a mask, in columns and units of the axis.
    fn moved(&self, cell: usize, m: f32) -> [f64; 2] {
        match self.shift {
            RowShift::Grab([secs, units]) => [f64::from(m) * self.columns(secs), f64::from(m) * units],
            RowShift::Push(cells) => [self.columns(cells[cell][0]), cells[cell][1]],
        }
    }

    fn source_of(&self, cell: usize, row: usize, m: f32) -> RowSource {
        let [columns, units] = self.moved(cell, m);
        let columns = -columns;
        if units == 0.0 {
            return RowSource { row: Some(row as f64), columns };
        }
        let hz = self.axis.hz_from_units(self.axis.units_from_hz(self.bank.rows()[row].hz) - units);
        let scale = self.bank.scale_rows();
        let place = self.bank.row_from_hz(hz);
        // Rounding must not lose a row that reads from the first or last one.
        let is_inside = place > scale.start as f64 - 1e-9 && place < scale.end as f64 - 1.0 + 1e-9;
        RowSource { row: is_inside.then_some(place), columns }
    }

    /// Whether any cell is moved in frequency.
    fn moves_in_frequency(&self) -> bool {
        match self.shift {
            RowShift::Grab([_, units]) => units != 0.0,
            RowShift::Push(cells) => cells.iter().any(|[_, units]| *units != 0.0),
        }
    }

    /// Whether any two neighbouring cells are moved in time by different amounts.
    fn stretches_time(&self, mask: &Mask) -> bool {
        if matches!(self.shift, RowShift::Grab([0.0, _])) {
            return false;
        }
        let (n_rows, values) = (mask.rect.bins.len(), &mask.values);
        let columns = |i: usize| self.moved(i, values[i])[0];
        let differs = |i: usize, before: Option<usize>| {
            before.is_some_and(|before| values[before] > 0.0 && columns(i) != columns(before))
        };
        let acting = (0..values.len()).filter(|i| values[*i] > 0.0);
        let mut acting = acting.map(|i| (i, i.checked_sub(n_rows), (i % n_rows > 0).then(|| i - 1)));
        acting.any(|(i, earlier, below)| differs(i, earlier) || differs(i, below))
    }

    /// Sources of some cells of a mask, by their number in it; `None` where the mask is 0, and cells are copied.
    pub fn sources(&self, mask: &Mask, cells: Range<usize>) -> Vec<Option<RowSource>> {
        let n_rows = mask.rect.bins.len().max(1);
        let source = |cell: usize| {
            let m = mask.values[cell];
            (m > 0.0).then(|| self.source_of(cell, mask.rect.bins.start + cell % n_rows, m))
        };
        cells.into_par_iter().with_min_len(256).map(source).collect()
    }

    /// Whether any cell of a mask may be rotated. If not, all [`turns`](RowMove::turns) are 0 for any source.
    pub fn rotates(&self, mask: &Mask) -> bool {
        self.moves_in_frequency() || (self.keeps_pitch && self.stretches_time(mask))
    }

    /// Rotation of each cell of the mask, in turns: equal for all rows that read from one partial. `source` contains
    /// the [cells read](RowMove::cells_read). Over the last columns of each run of cells in a row, the rotation goes
    /// smoothly to a whole number of turns.
    pub fn turns(&self, source: &Region, mask: &Mask) -> Vec<f64> {
        if mask.rect.is_empty() || source.rect.is_empty() || !self.rotates(mask) {
            return vec![0.0; mask.values.len()];
        }
        let keeps_pitch = self.keeps_pitch && self.stretches_time(mask);
        let turning = PartialTurns { bank: self.bank, group: self.group, keeps_pitch };
        let mut turns = turning.run(source, mask, &MaskedMove { way: self, mask });
        let acts: Vec<u32> = mask.values.iter().map(|m| u32::from(*m > 0.0)).collect();
        landed(&acts, mask.rect.bins.len(), false, &mut turns);
        turns
    }

    /// Rotations of a sound that is one event around a sample, possibly fractional: the phase of each row is rotated by
    /// its own displacement in hertz times the distance from that sample, so that a transient stays coherent at any
    /// hop.
    pub fn turns_about(&self, mask: &Mask, sample: f64) -> Vec<f64> {
        let n_rows = mask.rect.bins.len().max(1);
        let turns = |(cell, m): (usize, &f32)| {
            let (column, row) = (mask.rect.frames.start + cell / n_rows, mask.rect.bins.start + cell % n_rows);
            let Some(place) = self.source_of(cell, row, *m).row else { return 0.0 };
            let hz = self.bank.rows()[row].hz - self.bank.hz_from_row(place);
            let turns = hz * (self.group.centre_sample(column) as f64 - sample) / self.bank.sample_rate_hz();
            turns - rounded(turns)
        };
        mask.values.iter().enumerate().map(turns).collect()
    }

    /// The moved cells of `mask.rect`, rotated by [`turns`](RowMove::turns); those with `M = 0` are copied. `source`
    /// contains the [cells read](RowMove::cells_read) and the mask's.
    pub fn run(&self, source: &Region, mask: &Mask, turns: &[f64]) -> Region {
        let mut after = source.crop(&mask.rect);
        let n_rows = mask.rect.bins.len();
        if mask.rect.is_empty() {
            return after;
        }
        let still = self.demodulated(source);
        let columns = after.magnitude.par_chunks_mut(n_rows).zip(after.phase.par_chunks_mut(n_rows)).enumerate();
        columns.for_each(|(i, (magnitude, phase))| {
            let column = mask.rect.frames.start + i;
            for (k, row) in mask.rect.bins.clone().enumerate() {
                let m = mask.values[i * n_rows + k];
                if m > 0.0 {
                    let value = self.value(source, &still, column, &self.source_of(i * n_rows + k, row, m));
                    let [cos, sin] = cos_sin_turns(turns[i * n_rows + k] as f32);
                    let value = value * Complex32::new(cos, sin);
                    [magnitude[k], phase[k]] = polar_from_parts(value.re, value.im);
                }
            }
        });
        after
    }

    /// The phase, in turns, of a row's centre frequency `columns_after` columns (possibly fractional) after a column.
    fn turns_at(&self, column: usize, columns_after: f64, row: usize) -> f32 {
        let whole = columns_after.floor();
        // Turns per column are known only modulo 1, so the fraction of a column must use the frequency itself.
        let secs = (columns_after - whole) * self.group.secs_per_column();
        let rest = fixed_from_turns(self.bank.rows()[row].hz * secs);
        turns_from_fixed(self.group.fixed_turns_after(column, whole as i64, row).wrapping_add(rest))
    }

    /// The rows of the group in a region.
    fn rows_within(&self, source: &Region) -> Range<usize> {
        let (rows, bins) = (self.group.rows(), &source.rect.bins);
        rows.start.max(bins.start)..rows.end.min(bins.end)
    }

    /// The cells demodulated by each row's own rotation, so that they can be interpolated in time; 0 for rows outside
    /// the group.
    fn demodulated(&self, source: &Region) -> Vec<Complex32> {
        let (n_rows, rows) = (source.n_bins(), self.rows_within(source));
        let mut still = vec![Complex32::default(); source.rect.n_cells()];
        still.par_chunks_mut(n_rows.max(1)).enumerate().with_min_len(8).for_each(|(i, still)| {
            let column = source.rect.frames.start + i;
            for row in rows.clone() {
                let k = row - source.rect.bins.start;
                let (at, still) = (i * n_rows + k, &mut still[k]);
                let own = self.group.turns_of_row(column, row);
                let [cos, sin] = cos_sin_turns(source.phase[at] - own);
                *still = Complex32::new(source.magnitude[at] * cos, source.magnitude[at] * sin);
            }
        });
        still
    }

    /// The value at a position between cells, interpolated from 4 x 4 cells, each rotated by its row's centre frequency
    /// to that time.
    fn value(&self, source: &Region, still: &[Complex32], column: usize, from: &RowSource) -> Complex32 {
        let Some(row) = from.row else { return Complex32::default() };
        let whole_columns = from.columns.floor();
        let (column_weights, first_column) =
            (catmull_rom((from.columns - whole_columns) as f32), column as i64 + whole_columns as i64 - 1);
        let (row_weights, first_row) = (catmull_rom((row - row.floor()) as f32), row.floor() as i64 - 1);
        let (mut sum, rows) = (Complex32::default(), self.rows_within(source));
        for (row, row_weight) in (first_row..).zip(row_weights) {
            let Some(row) = usize::try_from(row).ok().filter(|row| rows.contains(row)) else { continue };
            let mut along = Complex32::default();
            for (at, weight) in (first_column..).zip(column_weights) {
                if let Some(at) = usize::try_from(at).ok().filter(|at| source.rect.frames.contains(at)) {
                    along += still[source.index(at, row)] * weight;
                }
            }
            let [cos, sin] = cos_sin_turns(self.turns_at(column, from.columns, row));
            sum += along * Complex32::new(cos, sin) * row_weight;
        }
        sum
    }
}

/// A move with the mask under which it acts.
struct MaskedMove<'a> {
    way: &'a RowMove<'a>,
    mask: &'a Mask,
}

impl RowShifts for MaskedMove<'_> {
    fn source(&self, cell: usize, row: usize) -> RowSource {
        self.way.source_of(cell, row, self.mask.values[cell])
    }

    fn moved_hz(&self, cell: usize, hz: f64) -> f64 {
        let [_, units] = self.way.moved(cell, self.mask.values[cell]);
        if units == 0.0 {
            return hz;
        }
        self.way.axis.hz_from_units(self.way.axis.units_from_hz(hz) + units)
    }

    fn first_turns(&self, _: usize, hz: f64) -> f64 {
        // The first half step of the trapezoidal rule, from 0.
        self.way.group.secs_per_column() * hz / 2.0
    }
}

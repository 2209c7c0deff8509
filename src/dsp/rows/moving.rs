//! Sound moved through rows: cells interpolated around their source, each partial turned by the hertz that it moves.
//!
//! Rows of one partial that were turned each by their own distance would beat, as neighbours move by different hertz; and
//! rows that each kept the turns of what sounded in them before would cancel one another where a partial begins. So all
//! rows of a partial turn alike, by what its peak moves, and go on from where the peak was. Sources: Laroche and Dolson,
//! "New phase-vocoder techniques for pitch-shifting, harmonizing and other exotic effects", WASPAA 1999; Schoerkhuber, Klapuri, Sontacchi, "Audio pitch
//! shifting using the constant-Q transform", JAES 61, 2013, who lock phases to peaks for the same reason.

use super::bank::RowBank;
use super::group::{RowGroup, fixed_from_turns, turns_from_fixed};
use super::table::RowTable;
use crate::dsp::displacement::{landed, rounded};
use crate::dsp::kernels::catmull_rom;
use crate::dsp::polar::{cos_sin_turns, polar_from_parts};
use crate::dsp::{Axis, CellRect, Mask, Region};
use rayon::prelude::*;
use rustfft::num_complex::Complex32;
use std::ops::Range;

/// A peak is louder than so many rows on each side.
const NEIGHBOURS: usize = 2;

/// Cells before and after a place that are read: the stencil's, and one more where a peak's frequency is measured.
const BEFORE: i64 = 2;
const AFTER: i64 = 3;

/// A *grab* on rows: every cell with `M > 0` takes its value from `(t - M shift[0], axis^-1(axis(f) - M shift[1]))`.
///
/// The group is one [for moves](RowBank::group_for_moves), and has all rows that are read and written. Cells are
/// amplitudes, as [`RowsPlan`](crate::dsp::RowsPlan) gives them. Rows that would read from below the first row of the scale or above the last become 0.
#[derive(Debug, Clone, Copy)]
pub struct RowMove<'a> {
    /// The rows' bank.
    pub bank: &'a RowBank,
    /// The rows that are read and written.
    pub group: &'a RowGroup,
    /// Units of the shift in frequency.
    pub axis: Axis,
    /// Seconds and units of the axis.
    pub shift: [f64; 2],
}

/// Columns by which sound may be moved: far more than any sound has.
const MOST_COLUMNS: f64 = 1e15;

/// A peak so many times louder than the column before was there begins anew.
const ONSET: f32 = 10.0;

/// A peak of a column, and the rows around it up to the least cell between it and the next.
struct Partial {
    /// The first of its rows, counted from the region's.
    first: usize,
    /// Where it stands among all rows.
    place: f64,
    hz: f64,
    /// Whether the column before is far quieter there.
    begins: bool,
}

/// Where a cell takes its value from: a fractional row, or none, and how many columns away.
struct RowSource {
    row: Option<f64>,
    columns: f64,
}

impl RowMove<'_> {
    /// The rows that a group must have for all of `rows` to be moved, by whatever part of the shift.
    pub fn rows_read(table: &RowTable, rows: Range<usize>, axis: Axis, units: f64) -> Range<usize> {
        let scale = table.scale_rows();
        let source = |row: usize| {
            let from = axis.units_from_hz(table.rows()[row.clamp(scale.start, scale.end - 1)].hz) - units;
            table.row_from_hz(axis.hz_from_units(from)).clamp(scale.start as f64, (scale.end - 1) as f64)
        };
        let (low, high) = (source(rows.start), source(rows.end.max(rows.start + 1) - 1));
        let start = (low.floor() as i64 - BEFORE).max(scale.start as i64) as usize;
        let end = (high.ceil() as i64 + AFTER).min(scale.end as i64) as usize;
        start.min(rows.start.max(scale.start))..end.max(rows.end.min(scale.end))
    }

    /// The cells that a move under a mask reads and writes, clipped to a sound of `n_samples`.
    pub fn cells_read(&self, mask: &Mask, n_samples: u64) -> CellRect {
        let columns = self.columns_moved();
        let reach = |by: f64| [by.floor() as i64, by.ceil() as i64];
        let [least, _] = reach(-columns.max(0.0));
        let [_, most] = reach((-columns).max(0.0));
        let frames = &mask.rect.frames;
        let start = (frames.start as i64 + least - BEFORE).max(0) as usize;
        let end = (frames.end as i64 + most + AFTER).max(0) as usize;
        let end = end.min(self.group.n_columns(n_samples)).max(frames.end);
        CellRect::new(start..end, self.group.rows())
    }

    /// The shift in columns, within what can be added to a column.
    fn columns_moved(&self) -> f64 {
        self.group.columns_in_secs(self.shift[0]).clamp(-MOST_COLUMNS, MOST_COLUMNS)
    }

    fn source(&self, row: usize, m: f32) -> RowSource {
        let m = f64::from(m);
        let columns = -m * self.columns_moved();
        if self.shift[1] == 0.0 {
            return RowSource { row: Some(row as f64), columns };
        }
        let hz = self.axis.hz_from_units(self.axis.units_from_hz(self.bank.rows()[row].hz) - m * self.shift[1]);
        let scale = self.bank.scale_rows();
        let place = self.bank.row_from_hz(hz);
        // Rounding must not lose a row that reads from the first or last one.
        let is_inside = place > scale.start as f64 - 1e-9 && place < scale.end as f64 - 1.0 + 1e-9;
        RowSource { row: is_inside.then_some(place), columns }
    }

    /// How far each cell of the mask is turned, in turns: all rows that read from one partial alike, by the hertz that it
    /// moves, summed along the columns. `source` holds the [cells read](RowMove::cells_read).
    ///
    /// A partial goes on from the turns of the column before at the row that it stands in, from 0 where that was not under
    /// the mask, or where it begins. Each row's turns come back to whole ones over the last columns of its run of cells.
    pub fn turns(&self, source: &Region, mask: &Mask) -> Vec<f64> {
        let n_rows = mask.rect.bins.len();
        let mut turns = vec![0.0; mask.values.len()];
        if self.shift[1] == 0.0 || mask.rect.is_empty() || source.rect.is_empty() {
            return turns;
        }
        let partials = self.partials(source);
        let mut hz_moved = vec![0.0; turns.len()];
        let mut owners = Vec::with_capacity(n_rows);
        for (i, mask_values) in mask.values.chunks_exact(n_rows).enumerate() {
            owners.clear();
            owners.extend(mask.rect.bins.clone().zip(mask_values).map(|(row, m)| {
                let RowSource { row: Some(place), columns } = self.source(row, *m) else { return None };
                let column = nearest((mask.rect.frames.start + i) as f64 + columns, &source.rect.frames);
                let row = nearest(place, &source.rect.bins);
                let owner = partials[column].partition_point(|partial| partial.first <= row).checked_sub(1)?;
                (*m > 0.0).then_some((column, owner, place))
            }));
            let mut start = 0;
            for run in owners.chunk_by(|a, b| a.map(|a| (a.0, a.1)) == b.map(|b| (b.0, b.1))) {
                let rows = start..start + run.len();
                start = rows.end;
                let Some((column, owner, _)) = run[0] else { continue };
                let partial = &partials[column][owner];
                let off = |k: &usize| run[*k].map_or(f64::MAX, |(.., place)| (place - partial.place).abs());
                let nearest_row = rows.start + (0..run.len()).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0);
                let units = self.axis.units_from_hz(partial.hz) + f64::from(mask_values[nearest_row]) * self.shift[1];
                let hz = self.axis.hz_from_units(units) - partial.hz;
                let before = i.checked_sub(1).map(|before| before * n_rows + nearest_row);
                let sum = match before.filter(|before| mask.values[*before] > 0.0 && !partial.begins) {
                    Some(before) => turns[before] + self.group.secs_per_column() * (hz_moved[before] + hz) / 2.0,
                    None => self.group.secs_per_column() * hz / 2.0,
                };
                turns[i * n_rows..][rows.clone()].fill(sum - rounded(sum));
                hz_moved[i * n_rows..][rows].fill(hz);
            }
        }
        let acts: Vec<u32> = mask.values.iter().map(|m| u32::from(*m > 0.0)).collect();
        landed(&acts, n_rows, false, &mut turns);
        turns
    }

    /// The partials of each column of the source, ascending.
    fn partials(&self, source: &Region) -> Vec<Vec<Partial>> {
        let n_rows = source.n_bins();
        let of_column = |regions: &mut Vec<(usize, usize)>, i: usize| {
            let levels = &source.magnitude[i * n_rows..(i + 1) * n_rows];
            peak_regions(levels, regions);
            let partial = |(first, peak): &(usize, usize)| {
                let hz = self.peak_hz(source, i, *peak);
                let begins = i > 0 && levels[*peak] > ONSET * most_around(source, i - 1, *peak);
                Partial { first: *first, place: self.bank.row_from_hz(hz), hz, begins }
            };
            regions.iter().map(partial).collect()
        };
        (0..source.n_frames()).into_par_iter().with_min_len(8).map_init(Default::default, of_column).collect()
    }

    /// The frequency at a cell, by its phase before and after.
    fn peak_hz(&self, source: &Region, i: usize, peak: usize) -> f64 {
        let (n_rows, n_columns) = (source.n_bins(), source.n_frames());
        let row_hz = self.bank.rows()[source.rect.bins.start + peak].hz;
        let (before, after) = (i.saturating_sub(1), (i + 1).min(n_columns - 1));
        if before == after {
            return row_hz;
        }
        let phase = |column: usize| f64::from(source.phase[column * n_rows + peak]);
        let secs = (after - before) as f64 * self.group.secs_per_column();
        let turns = phase(after) - phase(before) - row_hz * secs;
        let hz = row_hz + (turns - rounded(turns)) / secs;
        if hz > 0.0 { hz } else { row_hz }
    }

    /// The moved cells of `mask.rect`, turned by [`turns`](RowMove::turns); those with `M = 0` are copied. `source` holds the
    /// [cells read](RowMove::cells_read) and the mask's.
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
                    let value = self.value(source, &still, column, &self.source(row, m));
                    let [cos, sin] = cos_sin_turns(turns[i * n_rows + k] as f32);
                    let value = value * Complex32::new(cos, sin);
                    [magnitude[k], phase[k]] = polar_from_parts(value.re, value.im);
                }
            }
        });
        after
    }

    /// A row's own turning so many columns, a fraction, after a column.
    fn turns_at(&self, column: usize, columns_after: f64, row: usize) -> f32 {
        let whole = columns_after.floor();
        // All turns within a column count: the cells are samples of a wave at this frequency.
        let secs = (columns_after - whole) * self.group.secs_per_column();
        let rest = fixed_from_turns(self.bank.rows()[row].hz * secs);
        turns_from_fixed(self.group.fixed_turns_after(column, whole as i64, row).wrapping_add(rest))
    }

    /// The cells with each row's own turning taken out, so that they can be interpolated in time.
    fn demodulated(&self, source: &Region) -> Vec<Complex32> {
        let n_rows = source.n_bins();
        let mut still = vec![Complex32::default(); source.rect.n_cells()];
        still.par_chunks_mut(n_rows.max(1)).enumerate().with_min_len(8).for_each(|(i, still)| {
            let column = source.rect.frames.start + i;
            for (k, still) in still.iter_mut().enumerate() {
                let at = i * n_rows + k;
                let own = self.group.turns_of_row(column, source.rect.bins.start + k);
                let [cos, sin] = cos_sin_turns(source.phase[at] - own);
                *still = Complex32::new(source.magnitude[at] * cos, source.magnitude[at] * sin);
            }
        });
        still
    }

    /// The value at a place between cells: 4 x 4 of them, each with its row's turning at that time.
    fn value(&self, source: &Region, still: &[Complex32], column: usize, from: &RowSource) -> Complex32 {
        let Some(row) = from.row else { return Complex32::default() };
        let whole_columns = from.columns.floor();
        let (column_weights, first_column) =
            (catmull_rom((from.columns - whole_columns) as f32), column as i64 + whole_columns as i64 - 1);
        let (row_weights, first_row) = (catmull_rom((row - row.floor()) as f32), row.floor() as i64 - 1);
        let mut sum = Complex32::default();
        for (row, row_weight) in (first_row..).zip(row_weights) {
            let Some(row) = usize::try_from(row).ok().filter(|row| source.rect.bins.contains(row)) else { continue };
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

/// The highest level around a row of a column.
fn most_around(source: &Region, i: usize, row: usize) -> f32 {
    let n_rows = source.n_bins();
    let around = row.saturating_sub(NEIGHBOURS)..(row + NEIGHBOURS + 1).min(n_rows);
    source.magnitude[i * n_rows..][around].iter().copied().fold(0.0, f32::max)
}

/// The nearest of a range to a place, counted from its start.
fn nearest(place: f64, range: &Range<usize>) -> usize {
    (place.round().max(0.0) as usize).clamp(range.start, range.end - 1) - range.start
}

/// The peaks of a column, each as the first row of its region and its own row, ascending. Regions meet at the least cell
/// between two peaks. Without a peak there is one region around the loudest cell.
fn peak_regions(levels: &[f32], regions: &mut Vec<(usize, usize)>) {
    regions.clear();
    let n = levels.len();
    let is_peak = |k: usize| {
        let mut around = k.saturating_sub(NEIGHBOURS)..(k + NEIGHBOURS + 1).min(n);
        levels[k] > 0.0 && around.all(|i| i == k || levels[i] < levels[k] || (i > k && levels[i] == levels[k]))
    };
    for k in (0..n).filter(|k| is_peak(*k)) {
        let start = regions.last().map_or(0, |(_, before): &(usize, usize)| {
            (before + 1..k).min_by(|a, b| levels[*a].total_cmp(&levels[*b])).unwrap_or(k)
        });
        regions.push((start, k));
    }
    if regions.is_empty() && n > 0 {
        let loudest = (0..n).max_by(|a, b| levels[*a].total_cmp(&levels[*b])).unwrap_or(0);
        regions.push((0, loudest));
    }
}

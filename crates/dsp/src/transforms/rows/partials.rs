//! Partials on rows: their positions, and their phase rotation when sound moves.
//!
//! If each row were rotated by its own displacement, the rows of a partial would beat, since neighbouring rows move by
//! different amounts in hertz; and if each row continued its own earlier rotation, the rows would cancel one another at
//! the onset of a partial. So all rows of a partial are rotated by the displacement of its peak, continuing from the
//! rotation at the peak in the previous column. Where a soft edge folds the map back, a partial is read twice, and each
//! of the two images has its own rotation. Sources: Laroche and Dolson, "New phase-vocoder techniques for
//! pitch-shifting, harmonizing and other exotic effects", WASPAA 1999; Schoerkhuber, Klapuri, Sontacchi, "Audio pitch
//! shifting using the constant-Q transform", JAES 61, 2013, who lock phases to peaks for the same reason.

use super::bank::RowBank;
use super::group::RowGroup;
use crate::dsp::warps::displacement::rounded;
use crate::dsp::{Mask, Region};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::ops::Range;

/// A peak is louder than this many rows on each side.
pub(super) const PEAK_NEIGHBOURS: usize = 2;

/// A peak louder by this factor than the rows around it in the previous column is an onset.
const ONSET: f32 = 10.0;

/// Source of a moved cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowSource {
    /// Fractional row; `None` if it lies outside the scale.
    pub row: Option<f64>,
    /// Column of the source minus that of the cell; negative if the source is earlier.
    pub columns: f64,
}

/// The displacement of a mask's cells, indexed in the order of its values.
pub(super) trait RowShifts: Sync {
    /// The source of a cell in a row.
    fn source(&self, cell: usize, row: usize) -> RowSource;

    /// The frequency, in hertz, to which a cell's displacement moves a partial at `hz`.
    fn moved_hz(&self, cell: usize, hz: f64) -> f64;

    /// The initial rotation, in turns, of a partial that is moved by `hz` and begins in `column` of the group.
    fn first_turns(&self, column: usize, hz: f64) -> f64;
}

/// A peak of a column, with its region up to the minimum between it and its neighbours.
struct Partial {
    /// First row of its region, counted from the first row of the source.
    first: usize,
    /// Fractional row of the peak.
    place: f64,
    hz: f64,
    /// Whether it is an onset: far quieter in the previous column.
    begins: bool,
}

/// Computes the phase rotations of partials when the cells of a group move.
#[derive(Clone, Copy)]
pub(super) struct PartialTurns<'a> {
    pub bank: &'a RowBank,
    pub group: &'a RowGroup,
    /// Whether partials keep their frequency where time is stretched.
    pub keeps_pitch: bool,
}

impl PartialTurns<'_> {
    /// Rotation of each cell of the mask, in turns: the integral over time of the frequency shift of the partial that
    /// the cell reads from. It is equal for all rows that read from one partial, at the same time, within one monotonic
    /// part of the map.
    ///
    /// A partial continues from the rotation of the previous column at its row; at an onset, or where that cell is not
    /// under the mask, it starts from its initial rotation.
    pub fn run(&self, source: &Region, mask: &Mask, way: &impl RowShifts) -> Vec<f64> {
        let n_rows = mask.rect.bins.len();
        let secs = self.group.secs_per_column();
        let partials = self.partials(source);
        let mut turns = vec![0.0; mask.values.len()];
        let mut hz_moved = vec![0.0; turns.len()];
        let mut owners = Vec::with_capacity(n_rows);
        for (i, mask_values) in mask.values.chunks_exact(n_rows.max(1)).enumerate() {
            owners.clear();
            owners.extend(mask.rect.bins.clone().zip(mask_values).enumerate().map(|(k, (row, m))| {
                let RowSource { row: Some(place), columns } = way.source(i * n_rows + k, row) else { return None };
                let column = nearest((mask.rect.frames.start + i) as f64 + columns, &source.rect.frames);
                let row = nearest(place, &source.rect.bins);
                let owner = partials[column].partition_point(|partial| partial.first <= row).checked_sub(1)?;
                (*m > 0.0).then_some((column, owner, place))
            }));
            for rows in images(&owners) {
                let run = &owners[rows.clone()];
                let Some((column, owner, _)) = run[0] else { continue };
                let partial = &partials[column][owner];
                let off = |k: &usize| run[*k].map_or(f64::MAX, |(.., place)| (place - partial.place).abs());
                let nearest_row = rows.start + (0..run.len()).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0);
                let cell = i * n_rows + nearest_row;
                let hz = way.moved_hz(cell, partial.hz) - partial.hz;
                // Where time is stretched, the source's phase advances from column to column by more or less than the
                // partial's would, and rows of the partial may be read at different times. To keep the frequency, both
                // effects are subtracted.
                let columns = |cell: usize, k: usize| {
                    if self.keeps_pitch { way.source(cell, mask.rect.bins.start + k).columns } else { 0.0 }
                };
                let own_columns = columns(cell, nearest_row);
                let turns_in = |columns: f64| secs * partial.hz * columns;
                let before = cell.checked_sub(n_rows).filter(|before| mask.values[*before] > 0.0 && !partial.begins);
                let sum = before.map_or_else(
                    || way.first_turns(mask.rect.frames.start + i, hz),
                    |before| {
                        let stretched = own_columns - columns(before, nearest_row);
                        turns[before] + secs * (hz_moved[before] + hz) / 2.0 - turns_in(stretched)
                    },
                );
                for k in rows.clone() {
                    let sum = sum - turns_in(columns(i * n_rows + k, k) - own_columns);
                    turns[i * n_rows + k] = sum - rounded(sum);
                }
                hz_moved[i * n_rows..][rows].fill(hz);
            }
        }
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
                let begins = i > 0 && levels[*peak] > ONSET * max_around(source, i - 1, *peak);
                Partial { first: *first, place: self.bank.row_from_hz(hz), hz, begins }
            };
            regions.iter().map(partial).collect()
        };
        (0..source.n_frames()).into_par_iter().with_min_len(8).map_init(Default::default, of_column).collect()
    }

    /// The frequency of a peak in hertz, from its phases in the columns before and after.
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
}

/// Runs of neighbouring rows that read from one partial of one column within one monotonic part of the map, in which
/// source rows only rise or only fall.
fn images(owners: &[Option<(usize, usize, f64)>]) -> Vec<Range<usize>> {
    let mut images: Vec<Range<usize>> = Vec::new();
    let mut direction = Ordering::Equal;
    for (k, own) in owners.iter().enumerate() {
        let before = k.checked_sub(1).and_then(|before| owners[before]);
        let goes = match (before, own) {
            (Some((.., before)), Some((.., place))) => place.total_cmp(&before),
            _ => Ordering::Equal,
        };
        let turns_back = goes.is_ne() && direction.is_ne() && goes != direction;
        let is_same = before.map(|(column, owner, _)| (column, owner)) == own.map(|(column, owner, _)| (column, owner));
        if own.is_none() || before.is_none() || goes.is_ne() {
            direction = goes;
        }
        match images.last_mut() {
            Some(image) if is_same && !turns_back => image.end = k + 1,
            _ => images.push(k..k + 1),
        }
    }
    images
}

/// The highest level around a row of a column.
fn max_around(source: &Region, i: usize, row: usize) -> f32 {
    let n_rows = source.n_bins();
    let around = row.saturating_sub(PEAK_NEIGHBOURS)..(row + PEAK_NEIGHBOURS + 1).min(n_rows);
    source.magnitude[i * n_rows..][around].iter().copied().fold(0.0, f32::max)
}

/// The index nearest to a position in a range, counted from the start of the range.
fn nearest(place: f64, range: &Range<usize>) -> usize {
    (place.round().max(0.0) as usize).clamp(range.start, range.end - 1) - range.start
}

/// The peaks of a column, each with the first row of its region and its own row, ascending. Regions meet at the minimum
/// between two peaks. Without a peak there is one region around the loudest cell.
fn peak_regions(levels: &[f32], regions: &mut Vec<(usize, usize)>) {
    regions.clear();
    let n = levels.len();
    let is_peak = |k: usize| {
        let mut around = k.saturating_sub(PEAK_NEIGHBOURS)..(k + PEAK_NEIGHBOURS + 1).min(n);
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

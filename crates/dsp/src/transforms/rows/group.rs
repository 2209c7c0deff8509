//! Rows of one hop over slices of one length: geometry and tables.

use super::plans::{SlicePlans, SliceScratchPool};
use super::windows::{RowWindows, bins_within};
use std::ops::Range;
use std::sync::Arc;

/// A run of rows with a common hop, computed on slices of a common length; its cells form a rectangle.
///
/// Cell `(k, n)` is centred on sample `n * hop` and stored at *column* `n + M / 4` with `M = slice_len / hop`, since
/// the ends of a sound need cells before and after it. Bins of its [`Region`](crate::dsp::Region)s are the transform's
/// rows, counted from DC. Slice `q` begins at sample `(q - 1) * slice_len / 2` and owns columns `q * M / 2 .. (q + 1) *
/// M / 2`, its middle half.
#[derive(Clone)]
pub struct RowGroup {
    rows: Range<usize>,
    hop: usize,
    slice_len: usize,
    sample_rate_hz: f64,
    is_real: bool,
    /// Per row: the first bin of its window, signed, and the range of its values.
    tables: Vec<(i64, Range<usize>)>,
    /// `2 g_k / slice_len`, or `g_k / slice_len` for rows with real cells.
    values: Vec<f32>,
    /// Per row, turns of its centre frequency per column: whole ones, and the rest in units of `2^-64` turn.
    turns_per_column: Vec<(u32, u64)>,
    plans: SlicePlans,
    scratch: Arc<SliceScratchPool>,
}

impl std::fmt::Debug for RowGroup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let RowGroup { rows, hop, slice_len, .. } = self;
        f.debug_struct("RowGroup").field("rows", rows).field("hop", hop).field("slice_len", slice_len).finish()
    }
}

impl RowGroup {
    /// Rows, either of the scale or one of DC and Nyquist, with slices of `slice_len`, a power of two, at least 8 hops.
    pub(super) fn new(
        windows: &RowWindows,
        rows: Range<usize>,
        hop: usize,
        slice_len: usize,
        plans: SlicePlans,
        scratch: Arc<SliceScratchPool>,
    ) -> RowGroup {
        let (len, step_hz) = (slice_len as i64, windows.sample_rate_hz / slice_len as f64);
        let (is_real, sample_rate_hz) = (windows.rows[rows.start].is_real, windows.sample_rate_hz);
        let extents: Vec<(i64, i64)> = rows.clone().map(|k| bins_within(&windows.rows[k], step_hz)).collect();
        let fold = |bin: i64| if bin.abs() > len / 2 { len - bin.abs() } else { bin.abs() };
        // The bins of all rows, including 0 or half the length if a row extends beyond it.
        let (first, last) = extents.iter().fold((i64::MAX, i64::MIN), |(a, b), (c, d)| (a.min(*c), b.max(*d)));
        let low = if first <= 0 { 0 } else { first.min(fold(last)) };
        let high = if last >= len / 2 { len / 2 } else { last.max(fold(first)) };
        let sums = windows.sums(slice_len, low..=high);
        let scale = if is_real { 1.0 } else { 2.0 } / slice_len as f64;
        let mut values = Vec::new();
        let mut tables = Vec::with_capacity(rows.len());
        for (k, (first, last)) in rows.clone().zip(extents) {
            let start = values.len();
            values.extend((first..=last).map(|bin| {
                let squared = windows.squared(k, bin as f64 * step_hz);
                (scale * (squared / sums[(fold(bin) - low) as usize]).sqrt()) as f32
            }));
            tables.push((first, start..values.len()));
        }
        let turns = |k: usize| windows.rows[k].hz * hop as f64 / windows.sample_rate_hz;
        let turns_per_column = rows.clone().map(turns).map(|turns| (turns as u32, fixed_from_turns(turns))).collect();
        RowGroup { rows, hop, slice_len, sample_rate_hz, is_real, tables, values, turns_per_column, plans, scratch }
    }

    /// The rows of the group, as indices into all rows of the transform.
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// Samples between the centres of columns.
    pub fn hop(&self) -> usize {
        self.hop
    }

    /// Samples per slice, a power of two.
    pub fn slice_len(&self) -> usize {
        self.slice_len
    }

    /// Whether its only row is DC or Nyquist, whose cells are real: their phase is 0 or half a turn.
    pub fn is_real(&self) -> bool {
        self.is_real
    }

    /// Seconds from one column to the next.
    pub fn secs_per_column(&self) -> f64 {
        self.hop as f64 / self.sample_rate_hz
    }

    /// A duration in columns.
    pub fn columns_in_secs(&self, secs: f64) -> f64 {
        secs * self.sample_rate_hz / self.hop as f64
    }

    /// Maximum distance, in samples, between the centre of a changed cell and a sample that it changes.
    pub fn reach(&self) -> usize {
        self.slice_len / 4
    }

    /// Columns that a slice owns.
    pub fn columns_per_slice(&self) -> usize {
        self.n_places() / 2
    }

    /// Number of columns of a sound.
    pub fn n_columns(&self, n_samples: u64) -> usize {
        n_samples.div_ceil(self.hop as u64) as usize + self.n_places() / 2 + 1
    }

    /// The column centred on sample 0.
    pub fn first_column_inside(&self) -> usize {
        self.n_places() / 4
    }

    /// The sample at the centre of a column; that of column 0 is a quarter of a slice before the sound.
    pub fn centre_sample(&self, column: usize) -> i64 {
        column as i64 * self.hop as i64 - self.slice_len as i64 / 4
    }

    /// The samples on which the cells of these columns depend: those of their slices. May extend beyond the sound.
    pub fn samples_under(&self, columns: &Range<usize>) -> Range<i64> {
        let half = self.slice_len as i64 / 2;
        let first = columns.start / self.columns_per_slice();
        let last = columns.end.max(columns.start + 1).div_ceil(self.columns_per_slice());
        (first as i64 - 1) * half..(last as i64) * half
    }

    /// The columns of a sound of `n_samples` that depend on one of `samples`.
    pub fn columns_over(&self, samples: &Range<u64>, n_samples: u64) -> Range<usize> {
        if samples.is_empty() {
            return 0..0;
        }
        let half = self.slice_len as u64 / 2;
        // (q - 1) half < end  and  (q + 1) half > start
        let (first, last) = (samples.start / half, (samples.end - 1) / half + 1);
        let n_columns = self.n_columns(n_samples);
        let column = |slice: u64| (slice as usize).saturating_mul(self.columns_per_slice()).min(n_columns);
        column(first)..column(last + 1)
    }

    /// Phase advance of a row's centre frequency from sample 0 to the centre of a column, in turns, [0, 1). Relative to
    /// this, the phase of a steady tone is constant.
    pub fn turns_of_row(&self, column: usize, row: usize) -> f32 {
        turns_from_fixed(self.fixed_turns(column, row))
    }

    /// [`turns_of_row`](RowGroup::turns_of_row) in units of `2^-64` turn.
    pub fn fixed_turns(&self, column: usize, row: usize) -> u64 {
        let n = column as i64 - self.first_column_inside() as i64;
        self.fixed_turns_per_column(row).wrapping_mul(n as u64)
    }

    /// Advance of [`fixed_turns`](RowGroup::fixed_turns) from one column to the next.
    pub fn fixed_turns_per_column(&self, row: usize) -> u64 {
        self.turns_per_column[row - self.rows.start].1
    }

    /// Whole turns of a row's centre frequency from one column to the next, which
    /// [`fixed_turns_per_column`](RowGroup::fixed_turns_per_column) leaves out.
    pub fn whole_turns_per_column(&self, row: usize) -> u32 {
        self.turns_per_column[row - self.rows.start].0
    }

    /// [`fixed_turns`](RowGroup::fixed_turns) at `columns` columns after `column`, also before the first.
    pub(super) fn fixed_turns_after(&self, column: usize, columns: i64, row: usize) -> u64 {
        self.fixed_turns(column, row).wrapping_add(self.fixed_turns_per_column(row).wrapping_mul(columns as u64))
    }

    /// Number of places for a row's cells in a slice, a power of two: `M`. A slice owns the middle half of them.
    pub fn n_places(&self) -> usize {
        self.slice_len / self.hop
    }

    /// The first bin (signed) of a row's window in a slice's spectrum, and the window's values: `2 g_k / slice_len`, or
    /// `g_k / slice_len` for [real](RowGroup::is_real) rows.
    pub fn window(&self, row: usize) -> (i64, &[f32]) {
        let (first, values) = &self.tables[row - self.rows.start];
        (*first, &self.values[values.clone()])
    }

    /// The samples that change if the cells from the `first` to the `last` place of a slice change: from a
    /// [reach](RowGroup::reach) before the first to a reach after the last.
    pub fn samples_around(&self, slice: usize, (first, last): (usize, usize)) -> Range<i64> {
        let start = (slice as i64 - 1) * (self.slice_len as i64 / 2);
        let at = |place: usize| start + (place * self.hop) as i64;
        at(first) - self.reach() as i64..at(last) + self.reach() as i64
    }

    /// The factor, a power of two, applied to cells before synthesis with the same [windows](RowGroup::window). Windows
    /// include a factor of `2 / slice_len` (`1 / slice_len` for real cells), but synthesis needs `hop / (2 slice_len)`
    /// (`hop / slice_len` for real cells).
    pub fn synthesis_factor(&self) -> f32 {
        self.hop as f32 * if self.is_real { 1.0 } else { 0.25 }
    }

    /// FFT plans of the group.
    pub(super) fn plans(&self) -> &SlicePlans {
        &self.plans
    }

    /// The pool of scratch buffers.
    pub(super) fn scratch(&self) -> &SliceScratchPool {
        &self.scratch
    }
}

/// One turn in fixed point.
const FULL_TURN: f64 = 18_446_744_073_709_551_616.0;

/// The fraction of turns in fixed point: units of `2^-64` turn.
pub fn fixed_from_turns(turns: f64) -> u64 {
    // A fraction that rounds up to a whole turn wraps to 0.
    ((turns - turns.floor()) * FULL_TURN).round() as u128 as u64
}

/// Fixed-point turns as a number exact in f32: their upper 24 bits.
pub fn turns_from_fixed(turns: u64) -> f32 {
    (turns >> 40) as f32 / (1u64 << 24) as f32
}

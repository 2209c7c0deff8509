//! Makes the tables of groups of rows.

use crate::base::Result;
use crate::dsp::transforms::rows::{RowBank, RowGroup};
use crate::gpu::Gpu;
use crate::gpu::buffers::row_tables::{BinSources, RowTableKey, RowTables};
use crate::gpu::layout::{RowEntry, RowTurns};
use std::ops::Range;
use std::sync::Arc;

impl Gpu {
    /// The tables of a group, created on first use.
    ///
    /// # Errors
    /// As [`Pool::lease`](crate::gpu::buffers::pool::Pool::lease).
    pub(in crate::gpu) fn row_tables(&self, bank: &RowBank, group: &RowGroup) -> Result<Arc<RowTables>> {
        let key = RowTableKey {
            params: bank.params().clone(),
            rate_bits: bank.sample_rate_hz().to_bits(),
            rows: group.rows(),
            slice_len: group.slice_len(),
        };
        self.row_tables.get(key, || self.make_row_tables(bank, group))
    }

    fn make_row_tables(&self, bank: &RowBank, group: &RowGroup) -> Result<RowTables> {
        let (mut entries, mut windows) = (Vec::with_capacity(group.rows().len()), Vec::new());
        for row in group.rows() {
            let (first_bin, values) = group.window(row);
            let peak = bank.rows()[row].peak;
            entries.push(RowEntry {
                first_bin: first_bin as i32,
                n_bins: values.len() as u32,
                first_value: windows.len() as u32,
                peak: peak as f32,
                inverse_peak: (1.0 / peak) as f32,
            });
            windows.extend_from_slice(values);
        }
        let (bins, starts, values) = bin_sources(&entries, group.slice_len(), group.is_real());
        let sources = BinSources {
            bins,
            starts: self.uploaded(&starts)?,
            n_values: values.len(),
            values: self.uploaded(&values)?,
        };
        let (rows, n_windows) = (self.uploaded(&entries)?, windows.len());
        Ok(RowTables { entries, rows, windows: self.uploaded(&windows)?, n_windows, sources })
    }
}

/// Turns of some rows of a group at a column, and from one column to the next.
pub fn turns_of_rows(group: &RowGroup, rows: Range<usize>, column: usize) -> Vec<RowTurns> {
    let words = |turns: u64| [turns as u32, (turns >> 32) as u32];
    let of_row = |row: usize| RowTurns {
        first: words(group.fixed_turns(column, row)),
        step: words(group.fixed_turns_per_column(row)),
        whole: group.whole_turns_per_column(row),
        padding: 0,
    };
    rows.map(of_row).collect()
}

/// The window values that contribute to each bin, as in `unfold` in `dsp`: the range of bins, the start of each bin's
/// list, and the lists. An entry is twice the index of a value, plus 1 if its conjugate is added.
fn bin_sources(entries: &[RowEntry], slice_len: usize, is_real: bool) -> (Range<usize>, Vec<u32>, Vec<u32>) {
    let (len, half) = (slice_len as i64, slice_len as i64 / 2);
    let mut reached: Vec<(u32, u32)> = Vec::new();
    for entry in entries {
        for k in 0..entry.n_bins {
            let bin = (i64::from(entry.first_bin) + i64::from(k)).rem_euclid(len);
            let value = 2 * (entry.first_value + k);
            if bin <= half {
                reached.push((bin as u32, value));
            }
            if !is_real && (bin == 0 || bin >= half) {
                reached.push(((len - bin).rem_euclid(len) as u32, value + 1));
            }
        }
    }
    // Stable, so that a bin's values stay in the order of rows.
    reached.sort_by_key(|(bin, _)| *bin);
    let first = reached.first().map_or(0, |(bin, _)| *bin);
    let end = reached.last().map_or(0, |(bin, _)| bin + 1);
    let start = |bin: u32| reached.partition_point(|(of, _)| *of < bin) as u32;
    let starts = (first..=end).map(start).collect();
    (first as usize..end as usize, starts, reached.into_iter().map(|(_, value)| value).collect())
}

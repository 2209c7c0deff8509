//! Tables of groups of rows: their windows, as `dsp` computes them, and which of these each bin of a spectrum gathers.

use super::pool::Lease;
use crate::base::{Result, lock};
use crate::dsp::transforms::rows::{RowBank, RowGroup, RowsParams};
use crate::gpu::Gpu;
use crate::gpu::layout::RowEntry;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Maximum number of cached tables: those of a view, a loupe, an edit and a comparison, some hundred KB each.
const MAX_TABLES: usize = 64;

/// What determines the tables of a group; its hop does not.
#[derive(Debug, Clone, PartialEq)]
struct RowTableKey {
    params: RowsParams,
    rate_bits: u64,
    rows: Range<usize>,
    slice_len: usize,
}

/// The tables of a group on a device.
#[derive(Debug)]
pub(in crate::gpu) struct RowTables {
    /// Row by row, in RAM.
    pub entries: Vec<RowEntry>,
    /// The same on the device.
    pub rows: Lease,
    /// Values of all rows' windows.
    pub windows: Lease,
    /// Number of these values.
    pub n_windows: usize,
    /// What the bins of a spectrum gather.
    pub sources: BinSources,
}

/// The values of rows' windows that meet in each bin of a spectrum, in order of rows.
#[derive(Debug)]
pub(in crate::gpu) struct BinSources {
    /// The bins that any row reaches, within half a spectrum.
    pub bins: Range<usize>,
    /// Per bin, where its values begin; one more at the end.
    pub starts: Lease,
    /// Twice the number of each value, and 1 where its conjugate counts: the mirror image of a negative bin.
    pub values: Lease,
    /// Number of these values.
    pub n_values: usize,
}

/// The tables of a device, the most recently used last.
#[derive(Debug, Default)]
pub(in crate::gpu) struct RowTableCache {
    made: Mutex<Vec<(RowTableKey, Arc<RowTables>)>>,
    n_made: AtomicU64,
}

impl RowTables {
    /// Number of four-byte values of [`rows`](RowTables::rows).
    pub fn n_row_words(&self) -> usize {
        size_of_val(&self.entries[..]) / 4
    }
}

impl RowTableCache {
    /// Number of tables created.
    pub fn n_made(&self) -> u64 {
        self.n_made.load(Relaxed)
    }
}

impl Gpu {
    /// The tables of a group, created on first use.
    ///
    /// # Errors
    /// As [`Pool::lease`](super::pool::Pool::lease).
    pub(in crate::gpu) fn row_tables(&self, bank: &RowBank, group: &RowGroup) -> Result<Arc<RowTables>> {
        let key = RowTableKey {
            params: bank.params().clone(),
            rate_bits: bank.sample_rate_hz().to_bits(),
            rows: group.rows(),
            slice_len: group.slice_len(),
        };
        let mut made = lock(&self.row_tables.made);
        let found = made.iter().position(|(of, _)| *of == key);
        let entry = match found {
            Some(at) => made.remove(at),
            None => {
                self.row_tables.n_made.fetch_add(1, Relaxed);
                (key, Arc::new(self.make_row_tables(bank, group)?))
            }
        };
        let tables = entry.1.clone();
        made.push(entry);
        let n_over = made.len().saturating_sub(MAX_TABLES);
        made.drain(..n_over);
        Ok(tables)
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

/// The bins that rows reach, where each one's values begin, and the values: what `unfold` in `dsp` adds to a bin.
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

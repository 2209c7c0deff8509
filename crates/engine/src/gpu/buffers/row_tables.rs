//! Tables of groups of rows: their windows, as `dsp` computes them, which of these each bin of a spectrum gathers, and
//! the weights of blurs across rows.

use super::pool::Lease;
use crate::base::{Result, lock};
use crate::dsp::transforms::rows::RowsParams;
use crate::gpu::layout::RowEntry;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Maximum number of cached tables of a kind: those of a view, a loupe, an edit and a comparison, some hundred KB each.
const MAX_TABLES: usize = 64;

/// What determines the tables of a group; its hop does not.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::gpu) struct RowTableKey {
    pub params: RowsParams,
    pub rate_bits: u64,
    pub rows: Range<usize>,
    pub slice_len: usize,
}

/// The tables of a group on a device.
#[derive(Debug)]
pub(in crate::gpu) struct RowTables {
    /// One entry per row, in RAM.
    pub entries: Vec<RowEntry>,
    /// The entries on the device.
    pub rows: Lease,
    /// Values of all rows' windows.
    pub windows: Lease,
    /// Number of these values.
    pub n_windows: usize,
    /// The window values that contribute to each bin of a spectrum.
    pub sources: BinSources,
}

/// For each bin of a spectrum, a list of the window values that contribute to it, in order of rows.
#[derive(Debug)]
pub(in crate::gpu) struct BinSources {
    /// Range of bins with contributions, from 0 to half the slice length.
    pub bins: Range<usize>,
    /// Index of the start of each bin's list in `values`, and the total length.
    pub starts: Lease,
    /// The lists: twice the index of a window value, plus 1 if its conjugate contributes, as the mirror image of a bin
    /// beyond 0 Hz or half the sample rate.
    pub values: Lease,
    /// Number of these values.
    pub n_values: usize,
}

/// The weights of a blur across rows, on a device.
#[derive(Debug)]
pub(in crate::gpu) struct RowTapTables {
    /// Per row that may be written, which rows it reads, and where its weights begin.
    pub rows: Lease,
    /// Number of four-byte values of these.
    pub n_row_words: usize,
    /// Weights of all rows.
    pub taps: Lease,
    /// Number of these.
    pub n_taps: usize,
    /// Maximum number of weights of a row.
    pub widest: usize,
}

/// Tables of a device, the most recently used last.
#[derive(Debug)]
pub(in crate::gpu) struct RecentTables<K, T> {
    made: Mutex<Vec<(K, Arc<T>)>>,
    n_made: AtomicU64,
}

impl<K, T> Default for RecentTables<K, T> {
    fn default() -> RecentTables<K, T> {
        RecentTables { made: Mutex::default(), n_made: AtomicU64::default() }
    }
}

impl RowTables {
    /// Number of four-byte values of [`rows`](RowTables::rows).
    pub fn n_row_words(&self) -> usize {
        size_of_val(&self.entries[..]) / 4
    }
}

impl<K: PartialEq, T> RecentTables<K, T> {
    /// Number of tables created.
    pub fn n_made(&self) -> u64 {
        self.n_made.load(Relaxed)
    }

    /// The tables of a key, made by `make` on first use.
    ///
    /// # Errors
    /// Errors of `make`.
    pub fn get(&self, key: K, make: impl FnOnce() -> Result<T>) -> Result<Arc<T>> {
        let mut made = lock(&self.made);
        let found = made.iter().position(|(of, _)| *of == key);
        let entry = match found {
            Some(at) => made.remove(at),
            None => {
                self.n_made.fetch_add(1, Relaxed);
                (key, Arc::new(make()?))
            }
        };
        let tables = entry.1.clone();
        made.push(entry);
        let n_over = made.len().saturating_sub(MAX_TABLES);
        made.drain(..n_over);
        Ok(tables)
    }
}

//! Shader parameters for the cells of a group of rows, and the conditions under which the CPU computes the cells
//! instead.

use crate::dsp::transforms::rows::RowGroup;
use crate::gpu::buffers::row_tables::RowTables;
use crate::gpu::device_fft::DeviceFft;
use crate::gpu::fft::SIZES;
use crate::gpu::layout::RowPart;
use std::ops::Range;

/// Maximum number of scratch values per batch of slices, and so per submission.
const BATCH_VALUES: usize = 1 << 20;

/// Maximum number of products of window bins and places, per submission, and per slice on the device. Where windows are
/// wide and places many, the CPU needs fewer operations, since it folds the bins and transforms them.
const MAX_PRODUCTS: usize = 1 << 27;

/// As in `shaders/common/row_part.wgsl`.
const ROWS: usize = 16;
const LINES: usize = 16;
const CHUNK_BINS: usize = 64;
const CHUNK_PLACES: usize = 16;

/// Cells of a group: rows of the transform, and columns of the group.
#[derive(Debug, Clone)]
pub(in crate::gpu) struct GroupCells<'a> {
    pub group: &'a RowGroup,
    pub rows: Range<usize>,
    pub columns: Range<usize>,
}

/// The axis over which a dispatch sums.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::gpu) enum RowSum {
    /// Bins, for every place.
    Bins,
    /// Places, for every bin.
    Places,
}

impl GroupCells<'_> {
    /// Why the device does not compute these cells, or samples from them.
    pub fn why_on_cpu(&self) -> Option<&'static str> {
        if !SIZES.contains(&self.group.slice_len()) {
            return Some("the device has no FFT of the length of these rows' slices");
        }
        (self.n_products() > MAX_PRODUCTS).then_some("windows of these rows are too wide for sums on the device")
    }

    /// The slices that own the columns.
    pub fn slices(&self) -> Range<usize> {
        let per_slice = self.group.columns_per_slice();
        self.columns.start / per_slice..self.columns.end.div_ceil(per_slice)
    }

    /// Total number of values of the rows' windows.
    pub fn n_values(&self) -> usize {
        self.rows.clone().map(|row| self.group.window(row).1.len()).sum()
    }

    /// Number of products per slice.
    pub fn n_products(&self) -> usize {
        self.n_values() * self.group.columns_per_slice()
    }

    /// Number of bins of the widest window.
    fn widest(&self) -> usize {
        self.rows.clone().map(|row| self.group.window(row).1.len()).max().unwrap_or(0)
    }

    /// Maximum number of slices of a batch.
    pub fn slices_at_once(&self, fft: &DeviceFft) -> usize {
        let by_products = MAX_PRODUCTS / self.n_products().max(1);
        let by_values = BATCH_VALUES / (2 * self.n_values()).max(1);
        fft.frames_at_once(BATCH_VALUES).min(by_products).min(by_values).max(1)
    }

    /// The shader parameters of the cells, with slices counted from `first_slice`. The caller sets the fields that
    /// describe a region.
    pub fn part(&self, tables: &RowTables, sum: RowSum, first_slice: usize) -> RowPart {
        let first_row = self.rows.start - self.group.rows().start;
        let (n_owned, widest) = (self.group.columns_per_slice(), self.widest());
        // Places are computed in pairs.
        let (n_chunks, n_lines) = match sum {
            RowSum::Bins => (widest.div_ceil(CHUNK_BINS), n_owned / 2),
            RowSum::Places => ((n_owned / 2).div_ceil(CHUNK_PLACES), widest),
        };
        RowPart {
            first_row: first_row as u32,
            n_rows: self.rows.len() as u32,
            n_places: self.group.n_places() as u32,
            n_chunks: n_chunks as u32,
            n_groups: n_lines.div_ceil(LINES) as u32,
            is_real: self.group.is_real().into(),
            first_column: (self.columns.start - first_slice * n_owned) as u32,
            n_columns: self.columns.len() as u32,
            first_value: tables.entries.get(first_row).map_or(0, |entry| entry.first_value),
            n_values: self.n_values() as u32,
            // The inverse FFT sums over half as many values as the spectrum has.
            factor: 2.0 * self.group.synthesis_factor(),
            ..RowPart::default()
        }
    }

    /// Number of workgroups, along both dimensions, for `n_slices` slices.
    pub fn groups(&self, part: &RowPart, n_slices: usize) -> [u32; 2] {
        [self.rows.len().div_ceil(ROWS) as u32, part.n_groups * n_slices as u32]
    }
}

//! The arrays that hold the cells of rows, filled piece by piece.

use crate::base::{Error, ErrorKind, Progress, Result};
use crate::dsp::CellRect;
use crate::dsp::cells::polar;
use crate::dsp::transforms::rows::{Excerpt, RowBank, RowGroup};
use std::borrow::Cow;
use std::ops::Range;

/// Maximum hop of a matrix.
pub(super) const MAX_HOP: usize = 1 << 16;

/// Maximum number of values of all channels in memory: 64 MB.
const MAX_CELLS: usize = 8 << 20;

/// Maximum number of positions of all rows of a slice computed at a time: 8 MB per thread.
const MAX_PLACES: usize = 1 << 20;

/// Rows on a common hop: all rows of an array.
#[derive(Debug)]
pub(super) struct RowArray<'a> {
    /// Rows of the array, numbered among all rows of the transform.
    pub rows: Range<usize>,
    /// Hop in samples.
    pub hop: usize,
    pub n_columns: usize,
    /// The sample on which column 0 is centred; it may precede the sound.
    pub first_sample: i64,
    parts: Vec<ArrayPart<'a>>,
}

/// Rows with slices of one length.
#[derive(Debug)]
struct ArrayPart<'a> {
    group: Cow<'a, RowGroup>,
    /// The group's column minus that of the array, at most 0.
    shift: i64,
}

impl<'a> RowArray<'a> {
    /// A group of rows on its own hop.
    pub fn of_group(group: &'a RowGroup, n_samples: u64) -> RowArray<'a> {
        RowArray::of_parts(vec![Cow::Borrowed(group)], group.hop(), n_samples)
    }

    /// All rows on one hop; by default the smallest of any row.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if it is not a power of two, or too large.
    pub fn matrix(bank: &RowBank, hop: Option<usize>, n_samples: u64) -> Result<RowArray<'static>> {
        let smallest = bank.groups().iter().map(RowGroup::hop).min().unwrap_or(1);
        let hop = hop.unwrap_or(smallest);
        if !(hop.is_power_of_two() && hop <= MAX_HOP) {
            return Err(Error::new(
                ErrorKind::Script,
                format!("hop {hop} is not a power of two from 1 to {MAX_HOP}, which a matrix of rows needs"),
            ));
        }
        let groups = bank.groups().iter().map(|group| {
            // A slice has at least 8 columns.
            Cow::Owned(bank.group_on(group.rows(), hop, group.slice_len().max(8 * hop)))
        });
        Ok(RowArray::of_parts(groups.collect(), hop, n_samples))
    }

    fn of_parts(groups: Vec<Cow<'a, RowGroup>>, hop: usize, n_samples: u64) -> RowArray<'a> {
        let n_before = groups.iter().map(|group| group.first_column_inside()).max().unwrap_or(0);
        let rows = groups.first().map_or(0, |group| group.rows().start)..groups.last().map_or(0, |g| g.rows().end);
        let shift = |group: &RowGroup| group.first_column_inside() as i64 - n_before as i64;
        let parts: Vec<ArrayPart<'a>> =
            groups.into_iter().map(|group| ArrayPart { shift: shift(&group), group }).collect();
        let end = |part: &ArrayPart<'_>| (part.group.n_columns(n_samples) as i64 - part.shift).max(0) as usize;
        let n_columns = parts.iter().map(end).max().unwrap_or(0);
        RowArray { rows, hop, n_columns, first_sample: -((n_before * hop) as i64), parts }
    }

    /// The longest slice of its rows.
    pub fn slice_len(&self) -> usize {
        self.parts.iter().map(|part| part.group.slice_len()).max().unwrap_or(0)
    }

    /// Maximum distance on each side of a column, in samples, within which a changed cell changes the sound.
    pub fn reach(&self) -> usize {
        self.parts.iter().map(|part| part.group.reach()).max().unwrap_or(0)
    }

    /// The samples on which columns depend; may extend beyond the sound.
    pub fn samples_under(&self, columns: &Range<usize>) -> Range<i64> {
        let under = self.parts.iter().map(|part| part.group.samples_under(&part.columns(columns)));
        under.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0)
    }

    /// Number of columns to compute at a time.
    pub fn columns_at_once(&self, n_channels: usize) -> usize {
        let max = MAX_CELLS / (self.rows.len() * n_channels).max(1);
        // Of a power of two, slices are computed once if there is room for whole ones.
        1 << max.max(1).ilog2()
    }

    /// The values of columns, real and imaginary part: channel by channel within a row, row by row within a column.
    /// `channels` has an excerpt of each with the samples [under](RowArray::samples_under) the columns.
    pub fn values(
        &self,
        columns: &Range<usize>,
        channels: &[Excerpt<'_>],
        progress: &Progress,
        values: &mut Vec<[f32; 2]>,
    ) -> Result<()> {
        let n_rows = self.rows.len();
        values.clear();
        values.resize(columns.len() * n_rows * channels.len(), [0.0; 2]);
        for part in &self.parts {
            let of_part = part.columns(columns);
            let n_skipped = (of_part.start as i64 - part.shift) as usize - columns.start;
            for rows in part.row_runs() {
                progress.check()?;
                for (channel, excerpt) in channels.iter().enumerate() {
                    let region = part.group.analyse(excerpt, &CellRect::new(of_part.clone(), rows.clone()));
                    let cells = region.magnitude.chunks_exact(rows.len()).zip(region.phase.chunks_exact(rows.len()));
                    for (column, (magnitudes, phases)) in (n_skipped..).zip(cells) {
                        let first = (column * n_rows + rows.start - self.rows.start) * channels.len() + channel;
                        let out = values[first..].iter_mut().step_by(channels.len());
                        for (value, (magnitude, turns)) in out.zip(magnitudes.iter().zip(phases)) {
                            *value = polar::cos_sin_turns(*turns).map(|part| part * magnitude);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl ArrayPart<'_> {
    /// The group's columns at the columns of the array. Before the group's first column there is no sound.
    fn columns(&self, columns: &Range<usize>) -> Range<usize> {
        let shifted = |column: usize| (column as i64 + self.shift).max(0) as usize;
        shifted(columns.start)..shifted(columns.end)
    }

    /// Rows of the array, in ranges computed at a time.
    fn row_runs(&self) -> impl Iterator<Item = Range<usize>> {
        let Range { start, end } = self.group.rows();
        let n = (MAX_PLACES / (2 * self.group.columns_per_slice())).max(1);
        (start..end).step_by(n).map(move |first| first..(first + n).min(end))
    }
}

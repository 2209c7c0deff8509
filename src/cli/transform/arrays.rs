//! The arrays of a transform to rows, computed in ranges of columns.

use crate::base::{Error, ErrorKind, Progress, Result};
use crate::dsp::CellRect;
use crate::dsp::cells::polar;
use crate::dsp::transforms::rows::{Excerpt, RowBank, RowGroup};
use std::borrow::Cow;
use std::ops::Range;

/// Maximum hop of a matrix, in samples.
pub(super) const MAX_HOP: usize = 1 << 16;

/// Maximum number of values computed at a time, over all channels: 64 MB.
const MAX_CELLS: usize = 8 << 20;

/// Maximum number of complex values per slice, summed over the rows computed at a time: 8 MB per thread.
const MAX_PLACES: usize = 1 << 20;

/// An array: rows with a common hop.
#[derive(Debug)]
pub(super) struct RowArray<'a> {
    /// Range of its rows, among all rows of the transform.
    pub rows: Range<usize>,
    /// Hop in samples.
    pub hop: usize,
    pub n_columns: usize,
    /// The sample on which column 0 is centred; negative if before the sound.
    pub first_sample: i64,
    parts: Vec<ArrayPart<'a>>,
}

/// Rows of an array with a common slice length.
#[derive(Debug)]
struct ArrayPart<'a> {
    group: Cow<'a, RowGroup>,
    /// Column number in the group minus that in the array; at most 0.
    shift: i64,
}

impl<'a> RowArray<'a> {
    /// The array of a group of rows, at the group's own hop.
    pub fn of_group(group: &'a RowGroup, n_samples: u64) -> RowArray<'a> {
        RowArray::of_parts(vec![Cow::Borrowed(group)], group.hop(), n_samples)
    }

    /// An array of all rows at a common hop; by default the smallest hop of any row.
    ///
    /// # Errors
    /// [`Script`](ErrorKind::Script) if the hop is not a power of two, or too large.
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

    /// Length of the longest slice of its rows, in samples.
    pub fn slice_len(&self) -> usize {
        self.parts.iter().map(|part| part.group.slice_len()).max().unwrap_or(0)
    }

    /// Maximum distance on each side of a column, in samples, within which a changed cell changes the sound.
    pub fn reach(&self) -> usize {
        self.parts.iter().map(|part| part.group.reach()).max().unwrap_or(0)
    }

    /// The range of samples on which columns depend; may extend beyond the sound.
    pub fn samples_under(&self, columns: &Range<usize>) -> Range<i64> {
        let under = self.parts.iter().map(|part| part.group.samples_under(&part.columns(columns)));
        under.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0)
    }

    /// Number of columns to compute at a time.
    pub fn columns_at_once(&self, n_channels: usize) -> usize {
        let max = MAX_CELLS / (self.rows.len() * n_channels).max(1);
        // A power of two, so that ranges do not split slices, if there is memory for whole slices.
        1 << max.max(1).ilog2()
    }

    /// Computes the values of columns as real and imaginary parts. Channels vary fastest, then rows, then columns.
    /// `channels` has an excerpt of each channel, with the samples [under](RowArray::samples_under) the columns.
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
    /// The columns of the group that correspond to columns of the array. Those before the group's first column are
    /// omitted.
    fn columns(&self, columns: &Range<usize>) -> Range<usize> {
        let shifted = |column: usize| (column as i64 + self.shift).max(0) as usize;
        shifted(columns.start)..shifted(columns.end)
    }

    /// The group's rows, in ranges that are computed at a time.
    fn row_runs(&self) -> impl Iterator<Item = Range<usize>> {
        let Range { start, end } = self.group.rows();
        let n = (MAX_PLACES / (2 * self.group.columns_per_slice())).max(1);
        (start..end).step_by(n).map(move |first| first..(first + n).min(end))
    }
}

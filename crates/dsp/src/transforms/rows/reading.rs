//! Cells of rows of several groups with the hop of one of them: for brushes that read around the rows they write.

use super::analysis::Excerpt;
use super::bank::RowBank;
use super::group::RowGroup;
use crate::dsp::{CellRect, Region};
use std::borrow::Cow;
use std::ops::Range;

/// A rectangle of columns of a group, and of rows of any groups, ready to be analysed.
#[derive(Debug)]
pub struct RowReading<'a> {
    rect: CellRect,
    parts: Vec<ReadingPart<'a>>,
}

/// Rows of one group on the common hop.
#[derive(Debug)]
pub struct ReadingPart<'a> {
    /// The group.
    pub group: Cow<'a, RowGroup>,
    /// The part's cells, in columns of its own group.
    pub rect: CellRect,
    /// Added to a column of the reading to get the part's column. Column 0 of each group is a quarter of its own slice
    /// before the sound.
    shift: i64,
}

impl ReadingPart<'_> {
    /// The part's cells, in columns of the reading.
    pub fn in_reading(&self) -> CellRect {
        let Range { start, end } = self.rect.frames;
        CellRect::new(shifted(start, -self.shift)..shifted(end, -self.shift), self.rect.bins.clone())
    }
}

impl<'a> RowReading<'a> {
    /// The cells of `rect`, whose frames are columns of `group`. Rows of other groups are read with the hop of `group`,
    /// but on slices of their own length.
    ///
    /// # Panics
    /// If rows of other groups are not of the scale.
    pub fn new(bank: &RowBank, group: &'a RowGroup, rect: CellRect) -> RowReading<'a> {
        let mut parts = Vec::new();
        let mut row = rect.bins.start;
        while row < rect.bins.end {
            let is_own = group.rows().contains(&row);
            let of = if is_own { group } else { bank.group_of(row) };
            let mut end = rect.bins.end.min(of.rows().end);
            if !is_own && group.rows().start > row {
                end = end.min(group.rows().start);
            }
            let on = if is_own { Cow::Borrowed(group) } else { Cow::Owned(bank.group_beside(row..end, group)) };
            let shift = on.first_column_inside() as i64 - group.first_column_inside() as i64;
            // Columns before the group's first contain no sound.
            let columns = shifted(rect.frames.start, shift)..shifted(rect.frames.end, shift);
            parts.push(ReadingPart { group: on, rect: CellRect::new(columns, row..end), shift });
            row = end;
        }
        RowReading { rect, parts }
    }

    /// The rectangle of cells, in columns of the reading's group.
    pub fn rect(&self) -> &CellRect {
        &self.rect
    }

    /// Its parts, in order of frequency. Cells of its rectangle in none of them are silent: they lie before the first
    /// column of their group.
    pub fn parts(&self) -> &[ReadingPart<'a>] {
        &self.parts
    }

    /// The samples on which its cells depend; may extend beyond the sound.
    pub fn samples_under(&self) -> Range<i64> {
        let parts = self.parts.iter().filter(|part| !part.rect.is_empty());
        let all = parts.map(|part| part.group.samples_under(&part.rect.frames));
        all.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0)
    }

    /// The cells of the rectangle. `excerpt` must contain the samples [under](RowReading::samples_under) them.
    pub fn analyse(&self, excerpt: &Excerpt<'_>) -> Region {
        let mut region = Region::zeros(self.rect.clone());
        for part in &self.parts {
            let mut cells = part.group.analyse(excerpt, &part.rect);
            cells.rect = part.in_reading();
            region.paste(&cells);
        }
        region
    }
}

/// A column counted from another origin; 0 if before it.
fn shifted(column: usize, by: i64) -> usize {
    (column as i64 + by).max(0) as usize
}

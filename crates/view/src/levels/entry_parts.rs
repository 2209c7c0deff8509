//! Entries of a level of rows, read in parts that are short enough to be analysed at once.

use super::footprint::Level;
use crate::dsp::transforms::rows::DrawnRows;
use std::ops::Range;

/// Number of samples of rows analysed at a time.
const RUN_SAMPLES: usize = 1 << 17;

/// The parts of some entries: frames of the coarsest level that is not coarser than that of the entries, and whose
/// frames are short enough to be read at once.
pub struct EntryParts {
    /// The level of the parts.
    pub level: u32,
    /// Parts per entry.
    pub per_entry: usize,
    parts: Range<usize>,
    per_run: usize,
}

impl EntryParts {
    /// The parts of these entries of a level.
    pub fn of(rows: &DrawnRows, level: &Level, entries: Range<usize>) -> EntryParts {
        let part = (0..=level.index).rev().find(|part| rows.samples_per_frame(*part) <= RUN_SAMPLES).unwrap_or(0);
        let per_entry = 1 << (2 * (level.index - part));
        let n_parts = level.grid.n_frames().div_ceil(1 << (2 * part));
        let parts = entries.start * per_entry..(entries.end * per_entry).min(n_parts);
        let per_run = (RUN_SAMPLES / rows.samples_per_frame(part)).max(1);
        EntryParts { level: part, per_entry, parts, per_run }
    }

    /// Runs of parts in order, each with at most `max` parts.
    pub fn runs(&self, max: usize) -> impl Iterator<Item = Range<usize>> {
        let (end, n) = (self.parts.end, self.per_run.min(max).max(1));
        self.parts.clone().step_by(n).map(move |start| start..(start + n).min(end))
    }
}

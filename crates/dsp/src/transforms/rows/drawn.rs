//! All rows of a scale on one grid, for display: each frame contains the maximum of a row's cells around it.

use super::analysis::Excerpt;
use super::bank::RowBank;
use super::group::RowGroup;
use super::sketch::RowSketch;
use crate::base::lock;
use crate::dsp::{CellRect, Region};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

/// All rows with frames at a common hop, frame 0 on sample 0. Cells are amplitudes; their phases are relative to the
/// row's own rotation, and so constant for a steady tone.
///
/// A frame of level k covers `4^k` frames of level 0. Where a row's own cells are closer together than frames, a frame
/// takes the loudest of them, so that short events stay visible. Rows with a larger hop are computed at the hop of the
/// frames, which samples the same function.
pub struct DrawnRows {
    bank: Arc<RowBank>,
    hop: usize,
    /// The groups of a level, created on first use.
    levels: Mutex<HashMap<u32, Arc<Vec<RowGroup>>>>,
    sketch: OnceLock<RowSketch>,
}

impl std::fmt::Debug for DrawnRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DrawnRows").field("bank", &self.bank).field("hop", &self.hop).finish_non_exhaustive()
    }
}

impl DrawnRows {
    /// Rows on frames that are `hop` samples apart, a power of two.
    pub fn new(bank: Arc<RowBank>, hop: usize) -> DrawnRows {
        DrawnRows { bank, hop, levels: Mutex::default(), sketch: OnceLock::new() }
    }

    /// The bank of the rows.
    pub fn bank(&self) -> &RowBank {
        &self.bank
    }

    /// A rough picture of the rows, created on first use.
    pub fn sketch(&self) -> &RowSketch {
        self.sketch.get_or_init(|| RowSketch::new(&self.bank))
    }

    /// Samples from one frame of a level to the next.
    pub fn samples_per_frame(&self, level: u32) -> usize {
        self.hop << (2 * level)
    }

    /// The samples on which the cells of a rectangle of a level's frames depend; may extend beyond the sound.
    pub fn samples_read(&self, level: u32, rect: &CellRect) -> Range<i64> {
        let groups = self.groups(level);
        let reads = groups.iter().filter(|group| !rows_of(group, rect).is_empty());
        let all = reads.map(|group| group.samples_under(&self.columns(level, group, &rect.frames)));
        all.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0)
    }

    /// The cells of a rectangle of a level's frames, computed from the samples that they [depend
    /// on](DrawnRows::samples_read).
    pub fn analyse(&self, level: u32, rect: &CellRect, samples: &[f32]) -> Region {
        let mut out = Region::zeros(rect.clone());
        let excerpt = Excerpt { first: self.samples_read(level, rect).start, samples };
        for group in self.groups(level).iter() {
            let (columns, rows) = (self.columns(level, group, &rect.frames), rows_of(group, rect));
            if rows.is_empty() {
                continue;
            }
            let cells = group.analyse(&excerpt, &CellRect::new(columns, rows));
            for frame in rect.frames.clone() {
                let own = self.columns(level, group, &(frame..frame + 1));
                self.take_loudest(group, &cells, &own, frame, &mut out);
            }
        }
        out
    }

    /// Sets each row of `frame` to the loudest cell of that row in `columns`.
    fn take_loudest(&self, group: &RowGroup, cells: &Region, columns: &Range<usize>, frame: usize, out: &mut Region) {
        for row in cells.rect.bins.clone() {
            let at = |column: &usize| cells.index(*column, row);
            let Some(loudest) = columns.clone().reduce(|best, column| {
                if cells.magnitude[at(&column)] > cells.magnitude[at(&best)] { column } else { best }
            }) else {
                continue;
            };
            let (from, to) = (at(&loudest), out.index(frame, row));
            out.magnitude[to] = cells.magnitude[from] / self.bank.rows()[row].peak as f32;
            let turns = cells.phase[from] - group.turns_of_row(loudest, row);
            out.phase[to] = turns - (turns + 0.5).floor();
        }
    }

    /// Columns of a group within a frame of a level, a power of two.
    pub fn columns_per_frame(&self, level: u32, group: &RowGroup) -> usize {
        self.samples_per_frame(level) / group.hop()
    }

    /// The columns of a group centred within some frames of a level. There are
    /// [`columns_per_frame`](DrawnRows::columns_per_frame) for each frame, or fewer for frames that begin before the
    /// group's first column.
    pub fn columns(&self, level: u32, group: &RowGroup, frames: &Range<usize>) -> Range<usize> {
        let per_frame = self.samples_per_frame(level) as i64;
        // A frame of level 0 extends half a hop to both sides of its centre.
        let column = |frame: usize| {
            let from_first = frame as i64 * per_frame - self.hop as i64 / 2 - group.centre_sample(0);
            (from_first.max(0) as usize).div_ceil(group.hop())
        };
        column(frames.start)..column(frames.end)
    }

    /// The groups of a level: those of the bank, with the hop reduced to that of the frames where it is larger.
    pub fn groups(&self, level: u32) -> Arc<Vec<RowGroup>> {
        let made = || {
            let max = self.samples_per_frame(level);
            let on = |group: &RowGroup| match group.hop() > max {
                true => self.bank.group_on(group.rows(), max, group.slice_len()),
                false => group.clone(),
            };
            Arc::new(self.bank.groups().iter().map(on).collect())
        };
        lock(&self.levels).entry(level).or_insert_with(made).clone()
    }
}

/// The rows of a group in a rectangle.
fn rows_of(group: &RowGroup, rect: &CellRect) -> Range<usize> {
    let start = group.rows().start.max(rect.bins.start);
    start..group.rows().end.min(rect.bins.end).max(start)
}

//! Tiles that moved with their sound by whole entries are copied on the device instead of being analysed again.

use super::keys::{TILE_ENTRIES, TileKey};
use super::{PEAK_AMPLITUDES, Tile, TileCache, write_peaks};
use crate::document::Snapshot;
use crate::dsp::CellRect;
use crate::gpu::DisplayTile;
use crate::view::analysis::ChannelView;
use crate::view::levels::peaks::Peaks;
use crate::view::levels::pyramid::finest;
use crate::view::moved::Moved;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

/// The tiles that contain a tile's entries at their former position.
struct Origin<'a> {
    /// Tiles in order, each with its required entries.
    parts: Vec<(&'a Tile, Range<usize>)>,
    rect: CellRect,
}

impl TileCache {
    /// The tiles of `shown` at levels finer than the pyramid that equal cells of `before` shifted by a whole number of
    /// entries. Excludes tiles within one window of a join and tiles whose samples changed.
    pub(super) fn carried(&self, before: &Snapshot, shown: &Snapshot, moved: &Moved) -> Vec<(TileKey, Tile)> {
        let mut carried = Vec::new();
        let mut seen = HashSet::new();
        for (key, tile) in self.tiles.iter().filter(|(_, tile)| tile.ready && tile.fresh) {
            for (run, from) in moved.runs() {
                for index in places_of(key, tile, run.start as i64 - *from as i64) {
                    let new = TileKey { set: key.set.clone(), index };
                    if !seen.insert((new.clone(), run.start)) {
                        continue;
                    }
                    let tile = self.origin(&new, (run, *from), before, shown).and_then(|origin| {
                        let used = origin.parts.iter().map(|(tile, _)| tile.used).max()?;
                        let (tile, peaks) = self.copied(&new, &origin)?;
                        let grid = shown.grid(new.set.transform.clone());
                        let snapshot = Some(shown.clone());
                        Some(Tile { tile, grid, snapshot, fresh: true, ready: true, filled: Vec::new(), peaks, used })
                    });
                    carried.extend(tile.map(|tile| (new, tile)));
                }
            }
        }
        carried
    }

    /// Former position of a tile, if all its samples are in `run` (formerly at sample `from`) and unchanged. `None`
    /// also if a tile at that position is missing or stale.
    fn origin(
        &self,
        key: &TileKey,
        (run, from): (&Range<u64>, u64),
        before: &Snapshot,
        shown: &Snapshot,
    ) -> Option<Origin<'_>> {
        let grid = shown.grid(key.set.transform.clone());
        let by = run.start as i64 - from as i64;
        let per_entry = 1usize << (2 * key.set.level);
        let shift = entries_in(by, &grid, per_entry)?;
        let entries = key.entries(&grid);
        let frames = entries.start * per_entry..entries.end * per_entry;
        let samples = grid.samples_under(&frames);
        // If the run ends both sounds, silence follows it in both.
        let ends_both = run.end == shown.n_samples() && from + (run.end - run.start) == before.n_samples();
        let is_inside = samples.start >= run.start as i64 && (samples.end <= run.end as i64 || ends_both);
        if entries.is_empty() || !is_inside {
            return None;
        }
        let here = samples.start as u64..(samples.end as u64).min(run.end);
        let there = (here.start as i64 - by) as u64;
        let channels = match key.set.channels {
            ChannelView::One(channel) => channel..channel + 1,
            _ => 0..shown.n_channels(),
        };
        if channels.into_iter().any(|channel| shown.differs_from(here.clone(), before, there, channel)) {
            return None;
        }
        let first = entries.start.checked_add_signed(-shift)?;
        let wanted = first..first + entries.len();
        let mut parts = Vec::new();
        let mut at = wanted.start;
        while at < wanted.end {
            let index = at / TILE_ENTRIES;
            let tile = self.tiles.get(&TileKey { set: key.set.clone(), index })?;
            let held = &tile.tile.rect().frames;
            if !tile.ready || !tile.fresh || !held.contains(&at) {
                return None;
            }
            // Neighbouring tiles overlap: take the shared entries from the next one.
            let end =
                held.end.min(wanted.end).min(if held.end < wanted.end { (index + 1) * TILE_ENTRIES } else { held.end });
            parts.push((tile, at..end));
            at = end;
        }
        let bins = parts.first()?.0.tile.rect().bins.clone();
        let is_alike = parts.iter().all(|(tile, _)| tile.tile.rect().bins == bins);
        is_alike.then(|| Origin { parts, rect: CellRect::new(entries, bins) })
    }

    /// The tile, copied from the tiles that contain its entries.
    fn copied(&self, key: &TileKey, origin: &Origin<'_>) -> Option<(DisplayTile, Option<Arc<Peaks<u16>>>)> {
        if key.set.level == 0 {
            let parts: Vec<_> = origin.parts.iter().map(|(tile, frames)| (&tile.tile, frames.clone())).collect();
            return Some((self.display.moved_tile(&origin.rect, &parts).ok()?, None));
        }
        let mut peaks = Peaks::default();
        for (tile, entries) in &origin.parts {
            let (held, known) = (&tile.tile.rect().frames, tile.peaks.as_ref()?);
            let n_rows = known.values.len() / held.len().max(1);
            let cells = (entries.start - held.start) * n_rows..(entries.end - held.start) * n_rows;
            known.values.get(cells.clone())?;
            peaks.extend_from(known, cells);
        }
        let n_rows = peaks.values.len() / origin.rect.frames.len();
        let tile = self.display.peak_tile(&origin.rect, PEAK_AMPLITUDES.sine, key.set.has_phases).ok()?;
        let whole = CellRect::new(origin.rect.frames.clone(), 0..n_rows);
        write_peaks(&self.display, &tile, (&whole, &peaks), &origin.rect);
        Some((tile, Some(Arc::new(peaks))))
    }
}

/// The shift `by` in entries instead of samples; `None` if it is zero or not a whole number.
fn entries_in(by: i64, grid: &crate::dsp::Grid, per_entry: usize) -> Option<isize> {
    let entry = grid.samples_in_frames(per_entry as i64);
    (by != 0 && by % entry == 0).then_some((by / entry) as isize)
}

/// Indices of the tiles that may contain entries of `tile` after a shift by `by` samples; empty if none can be copied.
fn places_of(key: &TileKey, tile: &Tile, by: i64) -> Range<usize> {
    // Excludes row transforms: their rows have different hops, and the shift need not be a multiple of each.
    if key.set.level >= finest(&tile.grid) || key.set.transform.as_stft().is_none() {
        return 0..0;
    }
    let per_entry = 1usize << (2 * key.set.level);
    let Some(shift) = entries_in(by, &tile.grid, per_entry) else { return 0..0 };
    // Phases of peaks are relative to their bins' rotation, which must be a whole number of turns over the shift.
    let frames_per_turn = tile.grid.frames_per_turn() as isize;
    if key.set.has_phases && shift * per_entry as isize % frames_per_turn != 0 {
        return 0..0;
    }
    let held = &tile.tile.rect().frames;
    let [start, end] = [held.start, held.end].map(|entry| entry.saturating_add_signed(shift));
    (start / TILE_ENTRIES).saturating_sub(1)..end / TILE_ENTRIES + 1
}

//! Previews of strokes: modified copies of tiles.

use super::{SPARE_TILES, Scene};
use crate::dsp::{CellRect, Region};
use crate::gpu::{Display, DisplayTile, GpuRegion};
use crate::view::{TILE_ENTRIES, TileKey, TileSet};

impl Scene {
    /// Writes full cells (magnitude and phase) of a stroke in progress to the previews of their tiles. Returns the
    /// number of bytes uploaded.
    pub fn preview_cells(&mut self, set: &TileSet, region: &Region) -> usize {
        self.preview(set, &region.rect, |display, tile, cells| {
            display.write_full(tile, &region.rect, [&region.magnitude, &region.phase], cells);
            cells.n_cells() * 8
        })
    }

    /// As `preview_cells`, for cells that are already on the device: all tiles in one submission.
    pub fn preview_device(&mut self, set: &TileSet, region: &GpuRegion) {
        let pieces = self.previewed(set, &region.rect);
        let planes: Vec<_> = pieces
            .iter()
            .filter_map(|(key, cells)| Some((self.previews.get(key).and_then(DisplayTile::planes)?, cells)))
            .collect();
        let gpu = self.display.gpu();
        let written = gpu
            .in_batch(|batch| planes.iter().try_for_each(|(planes, cells)| gpu.scatter(batch, region, cells, planes)));
        if let Err(error) = written {
            tracing::warn!(%error, "a preview could not be drawn");
        }
        self.changed.extend(pieces.into_iter().map(|(key, cells)| (key, cells.frames)));
    }

    /// Writes peaks of a stroke in progress to the previews of their tiles. Returns the number of bytes uploaded.
    pub fn preview_peaks(&mut self, set: &TileSet, rect: &CellRect, peaks: &[u16]) -> usize {
        self.preview(set, rect, |display, tile, cells| {
            display.write_peaks(tile, rect, peaks, cells);
            cells.n_cells() * 2
        })
    }

    fn preview(
        &mut self,
        set: &TileSet,
        rect: &CellRect,
        write: impl Fn(&Display, &DisplayTile, &CellRect) -> usize,
    ) -> usize {
        let mut sent_bytes = 0;
        for (key, cells) in self.previewed(set, rect) {
            if let Some(tile) = self.previews.get(&key) {
                sent_bytes += write(&self.display, tile, &cells);
                self.changed.push((key, cells.frames));
            }
        }
        sent_bytes
    }

    /// The tiles under a rectangle, and the cells of each in it. Copies those that have no preview yet.
    fn previewed(&mut self, set: &TileSet, rect: &CellRect) -> Vec<(TileKey, CellRect)> {
        let mut pieces = Vec::new();
        // A tile shares its first entries with the one before.
        let first = (rect.frames.start / TILE_ENTRIES).saturating_sub(1);
        for index in first..=rect.frames.end / TILE_ENTRIES {
            let key = TileKey { set: set.clone(), index };
            let Some(original) = self.cache.get(&key) else { continue };
            let cells = rect.intersect(original.rect());
            if cells.is_empty() {
                continue;
            }
            if !self.previews.contains_key(&key) {
                match self.display.copy_of(original, &mut self.spare) {
                    Ok(copy) => _ = self.previews.insert(key.clone(), copy),
                    Err(error) => {
                        self.notify(error);
                        continue;
                    }
                }
            }
            pieces.push((key, cells));
        }
        pieces
    }

    /// Drops all previews, revealing the tiles below.
    pub fn drop_previews(&mut self) {
        let dropped = self.previews.drain().map(|(_, tile)| tile);
        self.spare.extend(dropped);
        self.spare.truncate(SPARE_TILES);
    }

    /// Drops the previews of tiles that already show the current sound, or are no longer cached.
    pub fn drop_shown_previews(&mut self) {
        let cache = &self.cache;
        let shown = self.previews.extract_if(|key, _| cache.is_fresh(key) || cache.get(key).is_none());
        self.spare.extend(shown.map(|(_, tile)| tile));
        self.spare.truncate(SPARE_TILES);
    }
}

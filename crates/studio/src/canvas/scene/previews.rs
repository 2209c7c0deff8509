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

    /// As `preview_cells`, for cells that are already on the device.
    pub fn preview_device(&mut self, set: &TileSet, region: &GpuRegion) {
        self.preview(set, &region.rect, |display, tile, cells| {
            let Some(planes) = tile.planes() else { return 0 };
            let gpu = display.gpu();
            if let Err(error) = gpu.in_batch(|batch| gpu.scatter(batch, region, cells, &planes)) {
                tracing::warn!(%error, "a preview could not be drawn");
            }
            0
        });
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
            if let Some(tile) = self.previews.get(&key) {
                sent_bytes += write(&self.display, tile, &cells);
                self.changed.push((key, cells.frames));
            }
        }
        sent_bytes
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

//! Which cells of which tiles a pane's columns of pixels show.

use crate::dsp::Grid;
use crate::gpu::PixelCells;
use crate::view::{CellStyle, ChannelView, Level, PyramidKey, TILE_ENTRIES, TileKey, TileSet, finest};
use crate::workbench::{Panes, View};
use std::ops::Range;

/// Entries that are enough to show a whole sound when nothing finer is there: a few tiles, which are always kept.
const BASE_ENTRIES: usize = 2048;

/// What one lane is to show.
#[derive(Debug, Clone)]
pub struct Wish {
    /// Which lane.
    pub lane: LaneId,
    /// With the lane's channels.
    pub view: View,
    /// Pixels across.
    pub width_px: usize,
    /// How its large cells are drawn.
    pub cells: CellStyle,
}

impl Wish {
    /// The pyramid of what is to be seen of a document, with phases where a pane shows them.
    pub fn pyramid(&self, document: u64) -> PyramidKey {
        PyramidKey {
            document,
            transform: self.view.transform.clone(),
            channels: self.view.channels,
            has_phases: self.view.panes != Panes::Magnitude,
        }
    }
}

/// A look at a document: which cells its columns of pixels show.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// Of which tiles.
    pub set: TileSet,
    /// The pyramid of what is looked at.
    pub pyramid: PyramidKey,
    /// Their level.
    pub level: Level,
    /// How large cells of the magnitude are drawn.
    pub cells: CellStyle,
    /// Entries of each column of pixels.
    pub columns: Vec<PixelCells>,
    /// The tiles in view with the columns of pixels that each draws.
    pub tiles: Vec<(TileKey, Range<u32>)>,
}

impl Look {
    /// The look that a lane is to have; at the level of `set` if there is one. `grid` is of any transform of the sound.
    pub fn new(document: u64, grid: &Grid, wish: &Wish, set: Option<TileSet>) -> Look {
        let Wish { view, width_px, cells, .. } = wish;
        let grid = grid.with_transform(&view.transform);
        let pyramid = set.as_ref().map_or_else(|| wish.pyramid(document), TileSet::pyramid);
        let own = || pyramid.at_level(Level::for_view(grid.clone(), view.secs, *width_px as f64).index);
        let set = set.unwrap_or_else(own);
        let level = Level { index: set.level, grid: grid.with_transform(&set.transform) };
        let columns = level.columns(view.secs, *width_px, *cells);
        let mut tiles: Vec<(TileKey, Range<u32>)> = Vec::new();
        for (x, column) in (0..).zip(&columns) {
            let index = column.first as usize / TILE_ENTRIES;
            match tiles.last_mut() {
                Some((key, pixels)) if key.index == index => pixels.end = x + 1,
                _ => tiles.push((TileKey { set: set.clone(), index }, x..x + 1)),
            }
        }
        Look { set, pyramid, level, cells: *cells, columns, tiles }
    }

    /// Of a pyramid, at the level that suits the view.
    pub fn of_pyramid(pyramid: &PyramidKey, grid: &Grid, wish: &Wish) -> Look {
        let its_grid = grid.with_transform(&pyramid.transform);
        let finest = finest(&its_grid);
        let wanted = Level::for_view(its_grid, wish.view.secs, wish.width_px as f64).index;
        let set = pyramid.at_level(wanted.max(finest));
        Look::new(pyramid.document, grid, wish, Some(set))
    }

    /// Entries from the first to the last that is seen.
    pub fn entries(&self) -> Range<usize> {
        match (self.columns.first(), self.columns.last()) {
            (Some(first), Some(last)) => first.first as usize..last.end as usize,
            _ => 0..0,
        }
    }

    /// The columns of pixels among `pixels` that show one of `entries`.
    pub fn touched(&self, pixels: &Range<u32>, entries: &Range<usize>) -> Range<u32> {
        let columns = &self.columns[pixels.start as usize..pixels.end as usize];
        let first = columns.partition_point(|column| column.end as usize <= entries.start) as u32;
        let end = columns.partition_point(|column| (column.first as usize) < entries.end) as u32;
        pixels.start + first..pixels.start + end.max(first)
    }
}

/// The tiles that show the whole of a pyramid coarsely.
pub fn base_set(pyramid: &PyramidKey, grid: &Grid) -> TileSet {
    let grid = grid.with_transform(&pyramid.transform);
    let is_enough = |&index: &u32| Level { index, grid: grid.clone() }.n_entries() <= BASE_ENTRIES;
    let level = (finest(&grid)..=crate::view::MAX_LEVEL).find(is_enough).unwrap_or(crate::view::MAX_LEVEL);
    pyramid.at_level(level)
}

/// Every tile of a set.
pub fn all_tiles(set: TileSet, grid: &Grid) -> impl Iterator<Item = TileKey> + use<> {
    let level = Level { index: set.level, grid: grid.with_transform(&set.transform) };
    (0..level.n_entries().div_ceil(TILE_ENTRIES)).map(move |index| TileKey { set: set.clone(), index })
}

/// What is drawn one above the other: the pictures of one choice of channels, or the loupe over one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LaneId {
    /// Of which channels.
    pub channels: ChannelView,
    /// The loupe over them.
    pub is_loupe: bool,
}

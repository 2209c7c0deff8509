//! Maps a pane's columns of pixels to cells of tiles.

use crate::dsp::Grid;
use crate::gpu::PixelCells;
use crate::view::{CellStyle, ChannelView, Level, PyramidKey, TILE_ENTRIES, TileKey, TileSet, finest};
use crate::workbench::{Panes, View};
use std::ops::Range;

/// Maximum number of entries of the coarse fallback that shows a whole sound. Its few tiles always stay cached.
const BASE_ENTRIES: usize = 2048;

/// The requested contents of one lane.
#[derive(Debug, Clone)]
pub struct LaneRequest {
    /// The lane.
    pub lane: LaneId,
    /// The view, with the lane's channels.
    pub view: View,
    /// Width in pixels.
    pub width_px: usize,
    /// How to draw its large cells.
    pub cells: CellStyle,
}

impl LaneRequest {
    /// The pyramid for a document, with phases if a pane shows them.
    pub fn pyramid(&self, document: u64) -> PyramidKey {
        PyramidKey {
            document,
            transform: self.view.transform.clone(),
            channels: self.view.channels,
            has_phases: self.view.panes != Panes::Magnitude,
        }
    }
}

/// The layout, or look, of one lane: which tiles it draws, and which of their entries each column of pixels shows.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneLayout {
    /// The tiles used.
    pub set: TileSet,
    /// The pyramid used.
    pub pyramid: PyramidKey,
    /// Level of the tiles.
    pub level: Level,
    /// How to draw large cells of the magnitude.
    pub cells: CellStyle,
    /// Entries of each column of pixels.
    pub columns: Vec<PixelCells>,
    /// The visible tiles, with the columns of pixels that each draws.
    pub tiles: Vec<(TileKey, Range<u32>)>,
}

impl SceneLayout {
    /// The look of a lane, drawn from the tiles of `set` if given, else from those that suit the view. `grid` may be
    /// that of any transform of the sound.
    pub fn new(document: u64, grid: &Grid, request: &LaneRequest, set: Option<TileSet>) -> SceneLayout {
        let LaneRequest { view, width_px, cells, .. } = request;
        let grid = grid.with_transform(&view.transform);
        let pyramid = set.as_ref().map_or_else(|| request.pyramid(document), TileSet::pyramid);
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
        SceneLayout { set, pyramid, level, cells: *cells, columns, tiles }
    }

    /// The look from a pyramid, at the level that suits the view.
    pub fn of_pyramid(pyramid: &PyramidKey, grid: &Grid, request: &LaneRequest) -> SceneLayout {
        let its_grid = grid.with_transform(&pyramid.transform);
        let finest = finest(&its_grid);
        let wanted = Level::for_view(its_grid, request.view.secs, request.width_px as f64).index;
        let set = pyramid.at_level(wanted.max(finest));
        SceneLayout::new(pyramid.document, grid, request, Some(set))
    }

    /// The visible entries, from first to last.
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

/// The coarse fallback for the whole sound: the finest level of the pyramid with at most `BASE_ENTRIES` entries.
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

/// A lane of the picture: one choice of channels, or the loupe over it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LaneId {
    /// The channels.
    pub channels: ChannelView,
    /// Whether it is the loupe over them.
    pub is_loupe: bool,
}

//! Keys of tiles: the document, its grid and channels, and the level of the pyramid.

use crate::dsp::{Grid, Transform};
use crate::view::analysis::ChannelView;
use crate::view::levels::footprint::Level;
use crate::view::levels::pyramid::PyramidKey;
use std::ops::Range;

/// Number of entries per tile, without the overlap.
pub const TILE_ENTRIES: usize = 256;

/// Number of entries that neighbouring tiles share, so that all cells of a pixel are in one tile.
const SHARED_ENTRIES: usize = 4;

/// A set of tiles: one document under one grid and choice of channels.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TileSet {
    /// Identifier of the document.
    pub document: u64,
    /// The transform that the cells belong to.
    pub transform: Transform,
    /// The displayed channels.
    pub channels: ChannelView,
    /// Level of the pyramid.
    pub level: u32,
    /// Whether peaks have phases; `false` at level 0, whose full cells include phases anyway.
    pub has_phases: bool,
}

/// Key of one tile.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TileKey {
    /// The set it belongs to.
    pub set: TileSet,
    /// Index from the start of the sound.
    pub index: usize,
}

impl TileSet {
    /// The pyramid from which the tiles are written, if it has their level.
    pub fn pyramid(&self) -> PyramidKey {
        PyramidKey {
            document: self.document,
            transform: self.transform.clone(),
            channels: self.channels,
            has_phases: self.has_phases,
        }
    }

    /// Number of bytes of a cell on the device.
    pub(super) fn cell_bytes(&self) -> usize {
        match (self.level, self.has_phases) {
            (0, _) => 8,
            (_, true) => 4,
            (_, false) => 2,
        }
    }
}

impl PyramidKey {
    /// The tiles of the set at a level.
    pub fn at_level(&self, level: u32) -> TileSet {
        TileSet {
            document: self.document,
            transform: self.transform.clone(),
            channels: self.channels,
            level,
            has_phases: self.has_phases && level > 0,
        }
    }
}

impl TileKey {
    /// Entries of the tile.
    pub fn entries(&self, grid: &Grid) -> Range<usize> {
        let level = Level { index: self.set.level, grid: grid.clone() };
        let start = self.index * TILE_ENTRIES;
        start..(start + TILE_ENTRIES + SHARED_ENTRIES).min(level.n_entries())
    }
}

//! Preview cells of a stroke, and the tile set that displays them.

use crate::documents::OpenDocument;
use crate::dsp::{CellRect, Region};
use crate::engine::gpu::GpuRegion;
use crate::view::{ChannelView, Level, Peaks, TileSet, grid_of};
use std::sync::Arc;

/// A tile at a level above the transform's grid: its rectangle in that level's columns and rows, and their peaks.
pub type LevelTile = (CellRect, Arc<Peaks<u16>>);

/// Tile set and level that display a stroke.
#[derive(Debug, Clone)]
pub struct StrokePlace {
    /// The displayed tile set.
    pub set: TileSet,
    /// Level of the tiles.
    pub level: Level,
}

impl StrokePlace {
    /// Level 0, the transform's own grid, for a workbench without a window, which has no other levels.
    pub fn of_cells(document: &OpenDocument, channels: ChannelView) -> StrokePlace {
        let transform = document.view().transform.clone();
        let level = Level { index: 0, grid: grid_of(document.pictured(), &transform) };
        let set = TileSet { document: document.id(), transform, channels, level: 0, has_phases: false };
        StrokePlace { set, level }
    }
}

/// Cells as changed by a stroke, for display.
#[derive(Debug)]
pub enum ShownCells {
    /// Magnitude and phase of cells.
    Cells(Region),
    /// Cells in GPU memory.
    OnDevice(GpuRegion),
    /// 16-bit peaks at a level above the transform's grid.
    Peaks(CellRect, Vec<u16>),
}

impl ShownCells {
    /// Number of bytes to upload to the GPU.
    pub(super) fn n_bytes(&self) -> usize {
        match self {
            ShownCells::Cells(region) => 8 * region.rect.n_cells(),
            ShownCells::OnDevice(_) => 0,
            ShownCells::Peaks(_, peaks) => size_of_val(peaks.as_slice()),
        }
    }
}

/// An update of displayed strokes, to be applied in order.
#[derive(Debug)]
pub enum ShownStroke {
    /// All earlier previews are invalid.
    Void,
    /// New cells to draw over a tile set.
    Over(TileSet, ShownCells),
}

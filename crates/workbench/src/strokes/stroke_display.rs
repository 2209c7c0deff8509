//! Preview cells of a stroke, and where they are displayed.

use crate::documents::OpenDocument;
use crate::dsp::{CellRect, Region};
use crate::engine::gpu::GpuRegion;
use crate::view::{ChannelView, Level, Peaks, TileSet, grid_of};
use std::sync::Arc;

/// A tile at a level above the transform's grid: its entries and rows, and their peaks.
pub type LevelTile = (CellRect, Arc<Peaks<u16>>);

/// Where a stroke is displayed.
#[derive(Debug, Clone)]
pub struct StrokePlace {
    /// Its tile set.
    pub set: TileSet,
    /// Level of the tiles.
    pub level: Level,
}

impl StrokePlace {
    /// A place at the level of cells, without the levels of a window.
    pub fn of_cells(document: &OpenDocument, channels: ChannelView) -> StrokePlace {
        let transform = document.view().transform.clone();
        let level = Level { index: 0, grid: grid_of(document.pictured(), &transform) };
        let set = TileSet { document: document.id(), transform, channels, level: 0, has_phases: false };
        StrokePlace { set, level }
    }
}

/// The cells after a stroke, for display.
#[derive(Debug)]
pub enum ShownCells {
    /// Full cells.
    Cells(Region),
    /// Full cells on the device.
    OnDevice(GpuRegion),
    /// 16-bit peaks of a level.
    Peaks(CellRect, Vec<u16>),
}

impl ShownCells {
    /// Bytes uploaded to the device to show them.
    pub(super) fn n_bytes(&self) -> usize {
        match self {
            ShownCells::Cells(region) => 8 * region.rect.n_cells(),
            ShownCells::OnDevice(_) => 0,
            ShownCells::Peaks(_, peaks) => size_of_val(peaks.as_slice()),
        }
    }
}

/// Updates of displayed strokes, in order.
#[derive(Debug)]
pub enum ShownStroke {
    /// All earlier previews are invalid.
    Void,
    /// New cells over these tiles.
    Over(TileSet, ShownCells),
}

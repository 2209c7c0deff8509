//! What is seen of a stroke, and where.

use crate::documents::OpenDocument;
use crate::dsp::{CellRect, Region};
use crate::engine::gpu::GpuRegion;
use crate::view::{ChannelView, Level, Peaks, TileSet, grid_of};
use std::sync::Arc;

/// The peaks that a tile shows of a level above the transform's grid: its entries and rows, and their maxima.
pub type LevelTile = (CellRect, Arc<Peaks<u16>>);

/// Where a stroke is seen.
#[derive(Debug, Clone)]
pub struct StrokePlace {
    /// The tiles that it is shown on.
    pub set: TileSet,
    /// Their level.
    pub level: Level,
}

impl StrokePlace {
    /// Seen cell by cell, without the levels of a window.
    pub fn of_cells(document: &OpenDocument, channels: ChannelView) -> StrokePlace {
        let transform = document.view().transform.clone();
        let level = Level { index: 0, grid: grid_of(document.pictured(), &transform) };
        let set = TileSet { document: document.id(), transform, channels, level: 0, has_phases: false };
        StrokePlace { set, level }
    }
}

/// The cells after a stroke.
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
    /// Bytes that showing it sends to the device.
    pub(super) fn n_bytes(&self) -> usize {
        match self {
            ShownCells::Cells(region) => 8 * region.rect.n_cells(),
            ShownCells::OnDevice(_) => 0,
            ShownCells::Peaks(_, peaks) => size_of_val(peaks.as_slice()),
        }
    }
}

/// What is to be seen of strokes, in order.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "the small one comes when a stroke is dropped")]
pub enum ShownStroke {
    /// What was shown of strokes so far is void.
    Void,
    /// These cells, on these tiles.
    Over(TileSet, ShownCells),
}

//! Lanes: pictures of one choice of channels, and their panes.

use super::look::{LaneId, SceneLayout};
use crate::dsp::Axis;
use crate::gpu::{Colours, DrawnPlane, Pane};
use crate::view::{CellStyle, Plane, PyramidKey, SILENT_PHASE_BRIGHTNESS, TileKey, TileSet, phase_texels};
use crate::workbench::View;
use std::collections::HashMap;
use std::ops::Range;

/// Index of the topmost layer of a pane, above those of [`SceneLane::under`].
pub const TOP_LAYER: usize = 3;

/// Layers of a pane: three fallbacks, and the wanted look.
pub const N_LAYERS: usize = TOP_LAYER + 1;

/// A run of a tile's pixels drawn in a pane.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnTile {
    pub layer: usize,
    pub key: TileKey,
    pub preview: bool,
    pub pixels: Range<u32>,
}

/// Inputs that affect a whole pane. While they stay the same, only changed tiles are redrawn.
#[derive(Debug, Clone, PartialEq)]
pub struct PaneKey {
    pub colours: Colours,
    pub secs: [f64; 2],
    pub hz: [f64; 2],
    pub axis: Axis,
    pub cells: CellStyle,
    pub sets: Vec<TileSet>,
}

impl PaneKey {
    /// The key of a view of a plane, with tiles of these sets from bottom to top. Phase cells are always drawn bare.
    pub fn new(view: &View, plane: Plane, cells: CellStyle, sets: Vec<TileSet>) -> PaneKey {
        let colours = Colours {
            range_db: view.range_db,
            plane: match plane {
                Plane::Magnitude => DrawnPlane::Magnitude,
                Plane::Phase if view.raw_phase => DrawnPlane::RawPhase,
                Plane::Phase => DrawnPlane::Phase,
            },
            silent_brightness: SILENT_PHASE_BRIGHTNESS,
            texels: if plane == Plane::Phase { phase_texels() } else { view.colormap.texels() },
        };
        let cells = if plane == Plane::Phase { CellStyle::Bare } else { cells };
        PaneKey { colours, secs: view.secs, hz: view.hz, axis: view.axis, cells, sets }
    }
}

/// A pane and its contents.
#[derive(Debug)]
pub struct DrawnPane {
    pub pane: Pane,
    pub key: Option<PaneKey>,
    pub drawn: Vec<DrawnTile>,
}

impl DrawnPane {
    /// An empty pane.
    pub fn new(pane: Pane) -> DrawnPane {
        DrawnPane { pane, key: None, drawn: Vec::new() }
    }
}

/// Pictures of one choice of channels.
#[derive(Debug)]
pub struct SceneLane {
    /// The channels, and whether it is the loupe over them.
    pub id: LaneId,
    /// The last look that was completely visible.
    pub before: Option<TileSet>,
    /// The last complete pyramid, or the one in progress.
    pub overview: Option<PyramidKey>,
    /// The wanted look.
    pub look: Option<SceneLayout>,
    /// Fallbacks where tiles of the wanted look are missing, lowest first: the whole sound coarsely, the pyramid at the
    /// level of the view, the previous look.
    pub under: [Option<SceneLayout>; TOP_LAYER],
    /// Its panes, by plane.
    pub panes: HashMap<Plane, DrawnPane>,
}

impl SceneLane {
    /// An empty lane, which shows the contents of another lane until it has its own.
    pub fn new(id: LaneId, before: Option<TileSet>, overview: Option<PyramidKey>) -> SceneLane {
        SceneLane { id, before, overview, look: None, under: Default::default(), panes: HashMap::new() }
    }

    /// Clears all layouts, for another document.
    pub fn clear_layouts(&mut self) {
        (self.before, self.overview, self.look, self.under) = (None, None, None, Default::default());
    }
}

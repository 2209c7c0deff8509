//! Lanes: what is shown of one choice of channels, and the panes that it is drawn in.

use super::look::{LaneId, Look};
use crate::dsp::Axis;
use crate::gpu::{Colours, DrawnPlane, Pane};
use crate::view::{CellStyle, Plane, PyramidKey, SILENT_PHASE_BRIGHTNESS, TileKey, TileSet, phase_texels};
use crate::workbench::View;
use std::collections::HashMap;
use std::ops::Range;

/// The topmost layer of a pane, after those of [`SceneLane::under`].
pub const WANTED: usize = 3;

/// Layers of a pane: three that may be seen where the wanted one is not there yet, and that.
pub const N_LAYERS: usize = WANTED + 1;

/// The run of pixels of a tile that is drawn in a pane.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnTile {
    pub layer: usize,
    pub key: TileKey,
    pub preview: bool,
    pub pixels: Range<u32>,
}

/// What a pane was drawn from: as long as it is the same, only tiles that changed are drawn again.
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
    /// Of a view of a plane, from tiles of these sets, from below. The cells of a phase are bare in any style.
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

/// A pane and what it shows.
#[derive(Debug)]
pub struct DrawnPane {
    pub pane: Pane,
    pub key: Option<PaneKey>,
    pub drawn: Vec<DrawnTile>,
}

impl DrawnPane {
    /// Nothing is drawn in it.
    pub fn new(pane: Pane) -> DrawnPane {
        DrawnPane { pane, key: None, drawn: Vec::new() }
    }
}

/// Pictures of one choice of channels.
#[derive(Debug)]
pub struct SceneLane {
    /// Which channels, and whether it is the loupe over them.
    pub id: LaneId,
    /// The last look that was seen whole.
    pub before: Option<TileSet>,
    /// The last pyramid that was there from end to end, or the one that is being made.
    pub overview: Option<PyramidKey>,
    /// What is wanted.
    pub look: Option<Look>,
    /// What is seen where the look is not there yet, lowest first: the whole sound coarsely, its pyramid, what there
    /// was.
    pub under: [Option<Look>; WANTED],
    /// What it is drawn in.
    pub panes: HashMap<Plane, DrawnPane>,
}

impl SceneLane {
    /// Nothing is looked at yet; until then it shows what another lane did.
    pub fn new(id: LaneId, before: Option<TileSet>, overview: Option<PyramidKey>) -> SceneLane {
        SceneLane { id, before, overview, look: None, under: Default::default(), panes: HashMap::new() }
    }

    /// Another sound: nothing of the one before is shown any more.
    pub fn forget_looks(&mut self) {
        (self.before, self.overview, self.look, self.under) = (None, None, None, Default::default());
    }
}

//! The tools of the pointer.

use super::paint_tool::PaintTool;
use crate::document::Brush;
use serde::{Deserialize, Serialize};

/// Number of tools without a brush.
const N_NAMED: usize = 9;

/// Number of selection tools among them.
const N_SELECTING: usize = N_NAMED - 2;

/// A tool of the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tool {
    /// Selects a range of time.
    SelectTime,
    /// Selects a band of frequencies.
    SelectBand,
    /// Selects a box.
    SelectBox,
    /// Selects the area inside a drawn line.
    Lasso,
    /// Paints the selection.
    SelectBrush,
    /// Selects connected cells of similar level.
    Wand,
    /// Selects a tone and its overtones.
    SelectHarmonics,
    /// Draws labels.
    Label,
    /// Pans the view.
    Hand,
    /// Paints with a brush, which defines the tool.
    #[serde(untagged)]
    Brush(PaintTool),
}

/// Defines constants for the brush tools that code refers to; other brushes need none.
macro_rules! named {
    ($($name:ident = $kind:literal),+ $(,)?) => {
        impl Tool {
            $(#[doc = concat!("Paints with the brush `", $kind, "`.")]
            pub const $name: Tool = Tool::Brush(PaintTool::named($kind));)+
        }
    };
}

named! {
    GAIN = "gain",
    ERASE = "erase",
    BLUR = "blur",
    BAND_FILTER = "band_filter",
    MODULATION_FILTER = "modulation_filter",
    WARP = "warp",
    HEAL = "heal",
    CLONE = "clone",
    SMUDGE = "smudge",
    TONE = "tone",
    NOISE = "noise",
    SHARPEN = "sharpen",
    DENOISE = "denoise",
    HARMONIC_PERCUSSIVE = "harmonic_percussive",
    REBUILD_PHASE = "rebuild_phase",
}

impl Tool {
    /// All tools in the order of the toolbar: selection tools, brushes, label tool, hand.
    pub const ALL: [Tool; N_NAMED + PaintTool::ALL.len()] = {
        let mut all = [Tool::Hand; N_NAMED + PaintTool::ALL.len()];
        let mut i = 0;
        while i < N_SELECTING {
            all[i] = Tool::SELECTING[i];
            i += 1;
        }
        while i - N_SELECTING < PaintTool::ALL.len() {
            all[i] = Tool::Brush(PaintTool::ALL[i - N_SELECTING]);
            i += 1;
        }
        all[i] = Tool::Label;
        all
    };

    /// The selection tools.
    const SELECTING: [Tool; N_SELECTING] = [
        Tool::SelectTime,
        Tool::SelectBand,
        Tool::SelectBox,
        Tool::Lasso,
        Tool::SelectBrush,
        Tool::Wand,
        Tool::SelectHarmonics,
    ];

    /// Its brush with initial settings; `None` if it has no brush.
    pub fn first_brush(self) -> Option<Brush> {
        match self {
            Tool::Brush(tool) => Brush::first(tool.row().kind),
            _ => None,
        }
    }

    /// Whether it paints.
    pub fn is_brush(self) -> bool {
        matches!(self, Tool::Brush(_))
    }

    /// Whether it is a selection tool.
    pub fn selects(self) -> bool {
        Tool::SELECTING.contains(&self)
    }

    /// Whether its brush can act once per dab.
    pub fn builds_up(self) -> bool {
        self.first_brush().is_some_and(|brush| brush.builds_up())
    }

    /// Whether its radius and hardness have an effect.
    pub fn is_shaped(self) -> bool {
        self == Tool::SelectBrush || self.first_brush().is_some_and(|brush| brush.is_shaped())
    }

    /// Whether it has a radius and a hardness.
    pub fn has_radius(self) -> bool {
        self.is_brush() || self == Tool::SelectBrush
    }
}

//! The tools: what the pointer does.

use super::paint_tool::PaintTool;
use crate::document::Brush;
use serde::{Deserialize, Serialize};

/// How many tools have a name of their own.
const N_NAMED: usize = 23;

/// What the pointer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tool {
    /// Selects a range of time.
    SelectTime,
    /// Selects a band of frequencies.
    SelectBand,
    /// Selects a box.
    SelectBox,
    /// Selects what a line runs around.
    Lasso,
    /// Paints the selection.
    SelectBrush,
    /// Selects what hangs together and is about as loud.
    Wand,
    /// Selects a tone and those above it.
    SelectHarmonics,
    /// Paints gain.
    Gain,
    /// Paints silence.
    Erase,
    /// Paints blur.
    Blur,
    /// Paints a band filter.
    BandFilter,
    /// Paints a modulation filter.
    ModulationFilter,
    /// Pushes sound along.
    Warp,
    /// Paints with sound from elsewhere.
    Clone,
    /// Fills holes from their surroundings.
    Heal,
    /// Drags sound along like wet paint.
    Smudge,
    /// Draws tones.
    Tone,
    /// Paints noise.
    Noise,
    /// Brings out what differs from its surroundings.
    Sharpen,
    /// Pulls down a noise that was learnt.
    Denoise,
    /// Gain of tones and of hits.
    HarmonicPercussive,
    /// Makes phases anew.
    RebuildPhase,
    /// Pans the view.
    Hand,
    /// Paints with a brush that states its tool.
    #[serde(untagged)]
    Brush(PaintTool),
}

impl Tool {
    /// Every tool, from top to bottom: those of brushes that state theirs stand above the hand.
    pub const ALL: [Tool; N_NAMED + PaintTool::ALL.len()] = {
        let mut all = [Tool::Hand; N_NAMED + PaintTool::ALL.len()];
        let mut i = 0;
        while i < N_NAMED - 1 {
            all[i] = Tool::NAMED[i];
            i += 1;
        }
        while i - (N_NAMED - 1) < PaintTool::ALL.len() {
            all[i] = Tool::Brush(PaintTool::ALL[i - (N_NAMED - 1)]);
            i += 1;
        }
        all
    };

    /// Those that are named here, the hand the last.
    const NAMED: [Tool; N_NAMED] = [
        Tool::SelectTime,
        Tool::SelectBand,
        Tool::SelectBox,
        Tool::Lasso,
        Tool::SelectBrush,
        Tool::Wand,
        Tool::SelectHarmonics,
        Tool::Gain,
        Tool::Erase,
        Tool::Blur,
        Tool::BandFilter,
        Tool::ModulationFilter,
        Tool::Warp,
        Tool::Heal,
        Tool::Clone,
        Tool::Smudge,
        Tool::Tone,
        Tool::Noise,
        Tool::Sharpen,
        Tool::Denoise,
        Tool::HarmonicPercussive,
        Tool::RebuildPhase,
        Tool::Hand,
    ];

    /// Whether it paints.
    pub fn is_brush(self) -> bool {
        !self.selects() && self != Tool::Hand
    }

    /// Whether it selects.
    pub fn selects(self) -> bool {
        matches!(
            self,
            Tool::SelectTime
                | Tool::SelectBand
                | Tool::SelectBox
                | Tool::Lasso
                | Tool::SelectBrush
                | Tool::Wand
                | Tool::SelectHarmonics
        )
    }

    /// Whether it can act once per dab.
    pub fn builds_up(self) -> bool {
        match self {
            Tool::Warp | Tool::Tone | Tool::Smudge | Tool::RebuildPhase => false,
            Tool::Brush(tool) => Brush::usual(tool.row().kind).is_some_and(|brush| brush.builds_up()),
            tool => tool.is_brush(),
        }
    }

    /// Whether the radius and the hardness count that it has.
    pub fn is_shaped(self) -> bool {
        match self {
            Tool::Brush(tool) => Brush::usual(tool.row().kind).is_some_and(|brush| brush.is_shaped()),
            Tool::Tone => false,
            tool => tool.has_radius(),
        }
    }

    /// Whether it has a radius and a hardness.
    pub fn has_radius(self) -> bool {
        self.is_brush() || self == Tool::SelectBrush
    }
}

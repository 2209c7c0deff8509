//! The kinds of what is kept by a name.

use crate::commands::ToolCommand;
use crate::document::KeptNoise;
use crate::tools::{Repair, Tool};

/// What is kept by a name; each has a folder of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeptKind {
    /// Noise profiles.
    Noise,
    /// What a tool is set to; previews of its brush have the same.
    Tool(Tool),
    /// What a repair is set to.
    Repair(Repair),
    /// Target levels.
    Normalise,
    /// How a selection is stretched.
    Stretch,
    /// Pitch shifts.
    PitchShift,
}

impl KeptKind {
    /// All kinds.
    pub fn all() -> Vec<KeptKind> {
        let others = [KeptKind::Noise, KeptKind::Normalise, KeptKind::Stretch, KeptKind::PitchShift];
        let repairs = Repair::ALL.map(KeptKind::Repair);
        others.into_iter().chain(repairs).chain(Tool::ALL.into_iter().filter_map(KeptKind::of_tool)).collect()
    }

    /// The kind of a tool's settings; none for a tool that has none to keep.
    pub(super) fn of_tool(tool: Tool) -> Option<KeptKind> {
        let has_settings = tool.has_radius() || matches!(tool, Tool::Wand | Tool::SelectHarmonics);
        has_settings.then_some(KeptKind::Tool(tool))
    }

    /// Its folder in the settings folder, and what its files state as their kind.
    pub(super) fn folder(self) -> String {
        match self {
            KeptKind::Noise => KeptNoise::KIND.to_owned(),
            KeptKind::Tool(Tool::Brush(tool)) => format!("tools/{}", tool.row().kind),
            KeptKind::Tool(Tool::SelectBrush) => "tools/select_brush".to_owned(),
            KeptKind::Tool(Tool::Wand) => "tools/wand".to_owned(),
            KeptKind::Tool(_) => "tools/select_harmonics".to_owned(),
            KeptKind::Repair(repair) => format!("previews/{}", repair.first().kind()),
            KeptKind::Normalise => "previews/normalise".to_owned(),
            KeptKind::Stretch => "previews/stretch".to_owned(),
            KeptKind::PitchShift => "previews/pitch_shift".to_owned(),
        }
    }

    /// What users call one of them.
    pub fn noun(self) -> &'static str {
        match self {
            KeptKind::Noise => KeptNoise::NOUN,
            _ => "preset",
        }
    }

    /// What its settings are of, as users know it.
    pub fn name(self) -> &'static str {
        match self {
            KeptKind::Noise => "Noise",
            KeptKind::Tool(tool) => ToolCommand::Pick(tool).row().name,
            KeptKind::Repair(repair) => repair.name(),
            KeptKind::Normalise => "Normalise",
            KeptKind::Stretch => "Time stretch",
            KeptKind::PitchShift => "Pitch shift",
        }
    }
}

//! The kinds of saved items.

use crate::commands::ToolCommand;
use crate::document::KeptNoise;
use crate::tools::{Repair, Tool};

/// A kind of saved item; each has its own folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeptKind {
    /// Noise profiles.
    Noise,
    /// Settings of a tool, shared with previews of its brush.
    Tool(Tool),
    /// Settings of a repair.
    Repair(Repair),
    /// Target levels.
    Normalise,
    /// Stretches of a selection.
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

    /// The kind of a tool's settings; none for a tool without settings to save.
    pub(super) fn of_tool(tool: Tool) -> Option<KeptKind> {
        let has_settings = tool.has_radius() || matches!(tool, Tool::Wand | Tool::SelectHarmonics);
        has_settings.then_some(KeptKind::Tool(tool))
    }

    /// The folder in the settings folder, and the kind stated in its files.
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

    /// The noun shown to users.
    pub fn noun(self) -> &'static str {
        match self {
            KeptKind::Noise => KeptNoise::NOUN,
            _ => "preset",
        }
    }

    /// The tool or edit that it belongs to, as shown to users.
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

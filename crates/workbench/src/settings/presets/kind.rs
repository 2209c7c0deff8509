//! The kinds of presets.

use crate::commands::ToolCommand;
use crate::document::SavedNoise;
use crate::settings::tools::{Repair, Tool};

/// A kind of preset or profile; each has a folder of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PresetKind {
    /// Noise profiles.
    Noise,
    /// Settings of a tool, also used by previews of its brush.
    Tool(Tool),
    /// Settings of a repair.
    Repair(Repair),
    /// Target levels of normalising.
    Normalise,
    /// Settings of time stretching.
    Stretch,
    /// Pitch shifts.
    PitchShift,
}

impl PresetKind {
    /// All kinds.
    pub fn all() -> Vec<PresetKind> {
        let others = [PresetKind::Noise, PresetKind::Normalise, PresetKind::Stretch, PresetKind::PitchShift];
        let repairs = Repair::ALL.map(PresetKind::Repair);
        others.into_iter().chain(repairs).chain(Tool::ALL.into_iter().filter_map(PresetKind::of_tool)).collect()
    }

    /// The kind of a tool's settings; `None` for a tool without settings to save.
    pub(super) fn of_tool(tool: Tool) -> Option<PresetKind> {
        let has_settings = tool.has_radius() || matches!(tool, Tool::Wand | Tool::SelectHarmonics);
        has_settings.then_some(PresetKind::Tool(tool))
    }

    /// The subfolder of the settings folder, which is also the kind stated in its files.
    pub(super) fn folder(self) -> String {
        match self {
            PresetKind::Noise => SavedNoise::KIND.to_owned(),
            PresetKind::Tool(Tool::Brush(tool)) => format!("tools/{}", tool.row().kind),
            PresetKind::Tool(Tool::SelectBrush) => "tools/select_brush".to_owned(),
            PresetKind::Tool(Tool::Wand) => "tools/wand".to_owned(),
            PresetKind::Tool(_) => "tools/select_harmonics".to_owned(),
            PresetKind::Repair(repair) => format!("previews/{}", repair.first().kind()),
            PresetKind::Normalise => "previews/normalise".to_owned(),
            PresetKind::Stretch => "previews/stretch".to_owned(),
            PresetKind::PitchShift => "previews/pitch_shift".to_owned(),
        }
    }

    /// Noun for display.
    pub fn noun(self) -> &'static str {
        match self {
            PresetKind::Noise => SavedNoise::NOUN,
            _ => "preset",
        }
    }

    /// Name of its tool or edit, for display.
    pub fn name(self) -> &'static str {
        match self {
            PresetKind::Noise => "Noise",
            PresetKind::Tool(tool) => ToolCommand::Pick(tool).row().name,
            PresetKind::Repair(repair) => repair.name(),
            PresetKind::Normalise => "Normalise",
            PresetKind::Stretch => "Time stretch",
            PresetKind::PitchShift => "Pitch shift",
        }
    }
}

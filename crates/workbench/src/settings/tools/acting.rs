//! Performs commands that select a tool or change its settings.
#![deny(clippy::wildcard_enum_match_arm)]

use super::tools::Tools;
use crate::commands::ToolCommand;

/// Performs a tool command.
pub fn perform_tool(command: ToolCommand, tools: &mut Tools) {
    match command {
        ToolCommand::Pick(tool) => tools.pick(tool),
        ToolCommand::Snapping => tools.toggle_snapping(),
        ToolCommand::BrushSmaller => tools.scale_radius(0.8),
        ToolCommand::BrushLarger => tools.scale_radius(1.25),
        ToolCommand::BrushSofter => tools.change(|settings| settings.hardness = tenths(settings.hardness - 0.1)),
        ToolCommand::BrushHarder => tools.change(|settings| settings.hardness = tenths(settings.hardness + 0.1)),
        ToolCommand::ResetTool => tools.reset_active(),
    }
}

/// Clamped to 0 to 1 and rounded to tenths, so that steps do not accumulate rounding errors.
fn tenths(value: f64) -> f64 {
    (value.clamp(0.0, 1.0) * 10.0).round() / 10.0
}

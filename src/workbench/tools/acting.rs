//! Commands that pick a tool or change its settings.
#![deny(clippy::wildcard_enum_match_arm)]

use super::settings::{Radius, Tools};
use crate::workbench::commands::ToolCommand;

/// Performs a command about tools.
pub fn perform_tool(command: ToolCommand, tools: &mut Tools) {
    match command {
        ToolCommand::Pick(tool) => tools.active = tool,
        ToolCommand::Snapping => tools.snapping = !tools.snapping,
        ToolCommand::BrushSmaller => scale_radius(&mut tools.radius, 0.8),
        ToolCommand::BrushLarger => scale_radius(&mut tools.radius, 1.25),
        ToolCommand::BrushSofter => tools.hardness = tenths(tools.hardness - 0.1),
        ToolCommand::BrushHarder => tools.hardness = tenths(tools.hardness + 0.1),
        ToolCommand::ResetTool => tools.reset_active(),
    }
}

/// Takes over other settings; the active tool, snapping and the learnt noise stay.
pub fn set_tools(mut settings: Tools, tools: &mut Tools) {
    (settings.active, settings.snapping) = (tools.active, tools.snapping);
    (settings.noise, settings.is_learning) = (tools.noise.take(), tools.is_learning);
    *tools = settings;
}

fn scale_radius(radius: &mut Radius, factor: f64) {
    match radius {
        Radius::Screen { points } => *points = (*points * factor as f32).clamp(2.0, 400.0),
        Radius::Locked { secs, octaves } => {
            *secs = (*secs * factor).clamp(1e-4, 60.0);
            *octaves = (*octaves * factor).clamp(1e-3, 10.0);
        }
    }
}

/// Kept to tenths, so that steps add up.
fn tenths(value: f64) -> f64 {
    (value.clamp(0.0, 1.0) * 10.0).round() / 10.0
}

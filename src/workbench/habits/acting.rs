//! Commands and acts on panels and the window's looks.
#![deny(clippy::wildcard_enum_match_arm)]

use super::layout::Layout;
use super::remember::Remembered;
use crate::workbench::acts::LayoutAct;
use crate::workbench::commands::LayoutCommand;

/// Performs a command about panels.
pub fn perform_layout(command: LayoutCommand, layout: &mut Layout) {
    match command {
        LayoutCommand::Panels => layout.has_panels = !layout.has_panels,
        LayoutCommand::Panel(panel) => layout.toggle(panel),
    }
}

/// Performs an act about panels and the window's looks.
pub fn act_on_layout(act: LayoutAct, remembered: &mut Remembered) {
    let layout = &mut remembered.layout;
    match act {
        LayoutAct::Open { panel, is_open } => layout.fold_mut(panel).is_open = is_open,
        LayoutAct::Over(panel) => layout.over = panel,
        LayoutAct::Curves { has_before, has_mean, has_most } => {
            (layout.has_before, layout.has_mean, layout.has_most) = (has_before, has_mean, has_most);
        }
        LayoutAct::Window(window) => remembered.window = window,
        LayoutAct::PhasePart(part) => remembered.view.phase_part = part,
    }
}

//! Performs commands and acts on panels and the window's appearance.
#![deny(clippy::wildcard_enum_match_arm)]

use super::layout::Layout;
use super::saved::SavedState;
use crate::bench::acts::LayoutAct;
use crate::bench::limits::{PHASE_PARTS, held_single};
use crate::commands::LayoutCommand;

/// Performs a command that shows or hides panels.
pub fn perform_layout(command: LayoutCommand, layout: &mut Layout) {
    match command {
        LayoutCommand::Panels => layout.toggle_panels(),
        LayoutCommand::Panel(panel) => layout.toggle(panel),
        LayoutCommand::Library => layout.toggle_library(),
    }
}

/// Performs an act on panels or the window's appearance.
pub fn act_on_layout(act: LayoutAct, remembered: &mut SavedState) {
    let layout = &mut remembered.layout;
    match act {
        LayoutAct::Open { panel, is_open } => layout.open(panel, is_open),
        LayoutAct::Over(panel) => layout.show_over(panel),
        LayoutAct::Curves(curves) => layout.set_curves(curves),
        LayoutAct::Width(side, width) => layout.set_width(side, width),
        LayoutAct::Window(window) => remembered.window = window.within_limits(&remembered.window),
        LayoutAct::PhasePart(part) => {
            let before = remembered.view.phase_part;
            remembered.view.phase_part = held_single(part, PHASE_PARTS, before);
        }
    }
}

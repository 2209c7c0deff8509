//! The inner edge of a side of the window: dragging it, or arrow keys, change the width.

use super::theme;
use crate::hooks::probe;
use crate::workbench::{Acts, LayoutAct, PanelSide};
use egui::{CursorIcon, EventFilter, Id, Key, Rect, Role, Sense, Ui, WidgetInfo};

/// Sensitive width, in points, within the side.
const GRAB_WIDTH: f32 = 6.0;
/// Step of an arrow key in points.
const STEP: f32 = 16.0;
/// Maximum width of a side, as a fraction of the window's.
const MAX_SIDE_SHARE: f32 = 0.4;

/// The drawn width of a side whose set width is `width`, limited in a narrow window.
pub fn width_in(ctx: &egui::Context, width: f32) -> f32 {
    width.min(MAX_SIDE_SHARE * ctx.content_rect().width()).round()
}

/// The edge of a side with area `rect` and layout width `width` in points, after its contents were drawn. A double
/// click restores the default width.
pub fn ui(ui: &Ui, side: PanelSide, (rect, width): (Rect, f32), acts: &mut Acts) {
    let (name, edge) = match side {
        PanelSide::Left => ("Width of the library", rect.with_min_x(rect.right() - GRAB_WIDTH)),
        PanelSide::Right => ("Width of the panels", rect.with_max_x(rect.left() + GRAB_WIDTH)),
    };
    let response = ui.interact(edge, Id::unique(("edge of a side", side)), Sense::click_and_drag());
    probe::note_control(ui.ctx(), name, edge);
    response.widget_info(|| WidgetInfo::labeled(Role::Splitter, true, name));
    let outwards = if side == PanelSide::Left { 1.0 } else { -1.0 };
    if let Some(at) = response.interact_pointer_pos().filter(|_| response.dragged()) {
        let width = if side == PanelSide::Left { at.x - rect.left() } else { rect.right() - at.x };
        acts.push(LayoutAct::Width(side, width.round()));
    }
    if response.double_clicked() {
        acts.push(LayoutAct::Width(side, side.usual_width()));
    }
    if response.has_focus() {
        let arrows = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, arrows));
        let steps = ui.input(|input| {
            let [right, left] = [Key::ArrowRight, Key::ArrowLeft].map(|key| input.num_presses(key) as f32);
            right - left
        });
        if steps != 0.0 {
            acts.push(LayoutAct::Width(side, width + outwards * STEP * steps));
        }
    }
    if response.hovered() || response.dragged() {
        ui.ctx().set_cursor_icon(CursorIcon::ResizeHorizontal);
        let line = match side {
            PanelSide::Left => edge.with_min_x(edge.right() - 2.0),
            PanelSide::Right => edge.with_max_x(edge.left() + 2.0),
        };
        ui.painter().rect_filled(line, 0.0, theme::palette(ui.ctx()).accent);
    }
    response.on_hover_text("Drag to resize; a double click resets.");
}

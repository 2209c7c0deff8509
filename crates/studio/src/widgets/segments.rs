//! Segmented controls.

use super::{theme, tooltip};
use crate::bars::overflow;
use crate::workbench::Acts;
use crate::workbench::commands::{Command, Facts};
use egui::{Align2, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

/// Minimum padding of a segment's text.
const SEGMENT_PADDING: f32 = 10.0;

/// A segmented control of commands, of which one is chosen.
pub fn segments(ui: &mut Ui, facts: &Facts, width: f32, choices: &[(Command, &str, bool)], acts: &mut Acts) {
    let palette = theme::palette(ui.ctx());
    let (rect, _) = ui.allocate_exact_size(vec2(width, theme::FIELD_HEIGHT), Sense::hover());
    let outline = ui.visuals().widgets.inactive.bg_stroke;
    ui.painter().rect(rect, theme::RADIUS_BUTTON, palette.field, outline, egui::StrokeKind::Inside);
    let cells = segment_cells(rect, choices.iter().map(|(_, label, _)| overflow::text_width(ui, label)).collect());
    for (&(command, label, is_chosen), cell) in choices.iter().zip(cells) {
        let enabled = command.enabled(facts);
        let sense = if enabled.is_ok() { Sense::click() } else { Sense::hover() };
        let response = ui.interact(cell, ui.scope_id().with(("segment", command)), sense);
        let name = command.row().name;
        crate::hooks::probe::note_control(ui.ctx(), name, cell);
        response.widget_info(|| WidgetInfo::selected(Role::Button, enabled.is_ok(), is_chosen, name));
        let face = match (is_chosen, enabled.is_ok() && response.hovered()) {
            (true, _) => Some(palette.active),
            (false, true) => Some(palette.hover),
            (false, false) => None,
        };
        if let Some(face) = face {
            ui.painter().rect_filled(cell.shrink(1.0), theme::RADIUS_SEGMENT, face);
        }
        let (font, colour) = match (is_chosen, enabled.is_ok()) {
            (true, _) => (theme::medium(theme::BODY), palette.text_strong),
            (false, true) => (theme::regular(theme::BODY), palette.text),
            (false, false) => (theme::regular(theme::BODY), palette.text_off),
        };
        ui.painter().text(cell.center(), Align2::CENTER_CENTER, label, font, colour);
        if response.clicked() {
            acts.push(command);
        }
        tooltip(response, command, enabled.err());
    }
}

/// Areas of segments: equally wide if every text fits, otherwise each as wide as its text plus an equal share of the
/// rest.
fn segment_cells(rect: Rect, words: Vec<f32>) -> Vec<Rect> {
    let n = words.len().max(1) as f32;
    let each = rect.width() / n;
    let is_even = words.iter().all(|word| word + SEGMENT_PADDING <= each);
    let beside = (rect.width() - words.iter().sum::<f32>()) / n;
    let mut left = rect.left();
    let cell = |word: f32| {
        let width = if is_even { each } else { word + beside };
        let cell = Rect::from_min_size(pos2(left, rect.top()), vec2(width, rect.height()));
        left += width;
        cell
    };
    words.into_iter().map(cell).collect()
}

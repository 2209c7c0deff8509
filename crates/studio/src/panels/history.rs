//! The history: every step, with its position in the sound.

use super::super::widgets::theme;
use super::super::widgets::theme::Palette;
use crate::base::number;
use crate::document::Entry;
use crate::document::brushes::Brush;
use crate::workbench::commands::Facts;
use crate::workbench::commands::table::icons;
use crate::workbench::{Acts, DocumentAct, OpenDocument, describe, place_of};
use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{Align2, Id, Rect, Response, Role, Sense, Ui, WidgetInfo, vec2};

/// A row per step; a click goes to that step. Scrolls to the current step when it changes.
pub fn ui(ui: &mut Ui, facts: &Facts, document: &OpenDocument, acts: &mut Acts) {
    let position = document.history().position();
    let seen = Id::unique("step of the history in view");
    let now = (document.id(), position);
    let is_new = ui.data_mut(|data| *data.get_temp_mut_or_default::<(u64, usize)>(seen) != now);
    egui::ScrollArea::vertical().auto_shrink([false, true]).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (step, entry) in document.history().entries().iter().enumerate() {
            let sense = if facts.is_busy { Sense::hover() } else { Sense::click() };
            let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), theme::ROW_HEIGHT), sense);
            let name = entry.edit.as_ref().map_or_else(|| "Opened".to_string(), describe);
            let spoken = format!("Step {step}: {name}");
            let is_current = step == position;
            response.widget_info(|| WidgetInfo::selected(Role::Button, !facts.is_busy, is_current, &spoken));
            if is_current && is_new {
                response.scroll_to_me(None);
                ui.data_mut(|data| data.insert_temp(seen, now));
            }
            paint(ui, rect, &response, document, (step, entry), &name);
            let response = match tooltip(document, (step, entry), &name) {
                words if words.is_empty() => response,
                words => response.on_hover_text(words),
            };
            if response.clicked() {
                acts.push(DocumentAct::GoTo(step));
            }
        }
    });
}

/// Background, icon, name, and at the right the step's position in the sound and whether it is saved.
fn paint(ui: &Ui, rect: Rect, response: &Response, document: &OpenDocument, step: (usize, &Entry), name: &str) {
    let palette = theme::palette(ui.ctx());
    let (step, entry) = step;
    let position = document.history().position();
    let face = match (step == position, response.hovered()) {
        (true, _) => Some(palette.field),
        (false, true) => Some(palette.hover),
        (false, false) => None,
    };
    if let Some(face) = face {
        ui.painter().rect_filled(rect, theme::RADIUS_BUTTON, face);
    }
    let colour = match step.cmp(&position) {
        std::cmp::Ordering::Less => palette.text,
        std::cmp::Ordering::Equal => palette.text_strong,
        std::cmp::Ordering::Greater => palette.text_off,
    };
    let painter = ui.painter();
    let icon = entry.edit.as_ref().map_or(icons::FOLDER_OPEN, |edit| icon_of(edit.brush.kind()));
    painter.text(rect.left_center() + vec2(14.0, 0.0), Align2::CENTER_CENTER, icon, theme::icons(14.0), colour);
    let right = sign(ui, rect, document, step, palette);
    let place = entry.edit.as_ref().and_then(place_of).unwrap_or_default();
    let font = theme::regular(theme::CAPTION);
    let weak = if step > position { palette.text_off } else { palette.text_weak };
    let at = egui::pos2(right, rect.center().y);
    let drawn = painter.text(at, Align2::RIGHT_CENTER, place, font, weak);
    // The name is truncated to the remaining width.
    let left = rect.left() + 30.0;
    let format = TextFormat::simple(theme::regular(theme::BODY), colour);
    let mut job = LayoutJob::single_section(name.to_owned(), format);
    job.wrap = TextWrapping::truncate_at_width((drawn.left() - 8.0 - left).max(0.0));
    let galley = painter.layout_job(job);
    painter.galley(egui::pos2(left, rect.center().y - galley.size().y / 2.0), galley, colour);
}

/// Draws a dot at the left if the step is stored in the session, and an icon at the right if it is the one saved in the
/// project or exported. Returns the right edge of the remaining space.
fn sign(ui: &Ui, rect: Rect, document: &OpenDocument, step: usize, palette: &Palette) -> f32 {
    let painter = ui.painter();
    if is_kept(document, step) {
        painter.circle_filled(rect.left_center() + vec2(4.0, 0.0), 1.5, palette.text_weak);
    }
    let (icon, colour) = match (document.saved_at() == Some(step), document.exported_at() == Some(step)) {
        (true, _) => (icons::CHECK, palette.accent),
        (false, true) => (icons::DOWNLOAD, palette.text_weak),
        (false, false) => return rect.right() - 8.0,
    };
    painter.text(rect.right_center() - vec2(12.0, 0.0), Align2::CENTER_CENTER, icon, theme::icons(14.0), colour);
    rect.right() - 24.0
}

fn is_kept(document: &OpenDocument, step: usize) -> bool {
    step > 0 && document.session().writer().is_some_and(|session| session.is_saved(step))
}

fn tooltip(document: &OpenDocument, (step, entry): (usize, &Entry), name: &str) -> String {
    let place = entry.edit.as_ref().and_then(place_of);
    let mut lines: Vec<String> = place.map(|place| format!("{name} at {place}.")).into_iter().collect();
    match (document.saved_at() == Some(step), document.exported_at() == Some(step), is_kept(document, step)) {
        (true, _, _) => lines.push("Saved in the project.".into()),
        (false, true, _) => lines.push("Exported.".into()),
        (false, false, true) => lines.push("Saved in the session; it survives a crash.".into()),
        (false, false, false) => {}
    }
    if let Some(db) = entry.consistency_db.filter(|db| db.is_finite()) {
        let db = number(db, 1);
        lines.push(format!("Consistency: the sound differs from what you painted by {db} dB."));
    }
    lines.join("\n")
}

/// The icon of the brush's tool.
fn icon_of(kind: &str) -> char {
    Brush::TOOLS.iter().find(|tool| tool.kind == kind).map_or(icons::AUDIO_WAVEFORM, |tool| tool.icon)
}

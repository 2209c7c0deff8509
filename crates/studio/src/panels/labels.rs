//! The labels of the document: where, and what they say.

use super::super::theme;
use crate::base::clock_from_secs;
use crate::document::labels::Label;
use crate::workbench::commands::icons;
use crate::workbench::{Acts, DocumentAct, OpenDocument};
use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{Align2, Rect, Response, RichText, Role, Sense, Ui, WidgetInfo, pos2, vec2};

/// Rows that are seen at once.
const MOST_ROWS: f32 = 8.0;
/// Width of the button that removes a label.
const BUTTON: f32 = 24.0;

/// Every label; a click goes there, a double click asks for another text. Only the rows in view are laid out.
pub fn ui(ui: &mut Ui, document: &OpenDocument, acts: &mut Acts) {
    let labels = document.history().labels();
    if labels.is_empty() {
        let palette = theme::palette(ui.ctx());
        ui.label(RichText::new("M names the selection or the cursor's place.").color(palette.text_weak));
        return;
    }
    let scroll = egui::ScrollArea::vertical().id_salt("labels").max_height(MOST_ROWS * theme::ROW_HEIGHT);
    ui.spacing_mut().item_spacing.y = 0.0;
    scroll.auto_shrink([false, true]).show_rows(ui, theme::ROW_HEIGHT, labels.len(), |ui, rows| {
        for label in rows.filter_map(|row| labels.at(row)) {
            row(ui, label, document, acts);
        }
    });
}

fn row(ui: &mut Ui, label: &Label, document: &OpenDocument, acts: &mut Acts) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), theme::ROW_HEIGHT), Sense::hover());
    let text_rect = Rect::from_min_max(rect.min, pos2(rect.right() - BUTTON, rect.bottom()));
    let response = ui.interact(text_rect, ui.scope_id().with(("label", label.id)), Sense::click());
    let text = if label.text.is_empty() { "(no text)" } else { label.text.lines().next().unwrap_or_default() };
    let clock = clock_from_secs(label.secs[0]);
    let spoken = format!("Label {text} at {clock}");
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &spoken));
    paint(ui, text_rect, &response, (&clock, text), is_selected(label, document));
    if response.double_clicked() {
        acts.push(DocumentAct::NameLabel(label.id));
    } else if response.clicked() {
        acts.push(DocumentAct::GoToLabel(label.id));
    }
    response.on_hover_text(words(label));
    let button = Rect::from_min_max(pos2(text_rect.right(), rect.top()), rect.max);
    let remove = egui::Button::new(RichText::new(icons::X).font(theme::icons(12.0))).frame(false);
    let remove = ui.put(button, remove).accessible_name(format!("Remove label {text} at {clock}"));
    if remove.on_hover_text("Removes the label; the sound stays as it is.").clicked() {
        acts.push(DocumentAct::RemoveLabel(label.id));
    }
}

fn is_selected(label: &Label, document: &OpenDocument) -> bool {
    let at_secs = document.cursor_secs();
    let secs = document.selected_secs().unwrap_or([at_secs; 2]);
    label.secs.iter().zip(secs).all(|(a, b)| (a - b).abs() < 1e-6)
}

/// All that a label holds, for its tooltip.
fn words(label: &Label) -> String {
    let [start, end] = label.secs.map(clock_from_secs);
    let mut lines = vec![if label.is_marker() { start } else { format!("{start} to {end}") }];
    if let Some([low, high]) = label.band_hz(f64::INFINITY) {
        lines.push(if high.is_finite() { format!("{low:.0} to {high:.0} Hz") } else { format!("from {low:.0} Hz") });
    }
    lines.extend((!label.text.is_empty()).then(|| label.text.to_string()));
    lines.extend(label.columns.iter().map(|(name, text)| format!("{name}: {text}")));
    lines.join("\n")
}

fn paint(ui: &Ui, rect: Rect, response: &Response, (clock, text): (&str, &str), is_selected: bool) {
    let palette = theme::palette(ui.ctx());
    let face = match (is_selected, response.hovered()) {
        (true, _) => Some(palette.field),
        (false, true) => Some(palette.hover),
        (false, false) => None,
    };
    if let Some(face) = face {
        ui.painter().rect_filled(rect, theme::RADIUS_BUTTON, face);
    }
    let colour = if is_selected { palette.text_strong } else { palette.text };
    let at = rect.left_center() + vec2(8.0, 0.0);
    let drawn = ui.painter().text(at, Align2::LEFT_CENTER, clock, theme::regular(theme::CAPTION), palette.text_weak);
    let left = drawn.right().max(rect.left() + 72.0) + 8.0;
    let mut job = LayoutJob::single_section(text.to_owned(), TextFormat::simple(theme::regular(theme::BODY), colour));
    job.wrap = TextWrapping::truncate_at_width((rect.right() - 4.0 - left).max(0.0));
    let galley = ui.painter().layout_job(job);
    ui.painter().galley(pos2(left, rect.center().y - galley.size().y / 2.0), galley, colour);
}

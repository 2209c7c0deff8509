//! Text over the pictures: a hint on an empty canvas, and a label while the sound before the edits is shown.

use super::marks::{self, MarkContext};
use crate::canvas::Canvas;
use crate::canvas::layout::PaneAt;
use crate::document::brushes::{Brush, VoicesBrush};
use crate::widgets::theme;
use crate::widgets::theme::CANVAS_LIGHT;
use crate::workbench::OpenDocument;
use egui::{Role, Sense, Ui, WidgetInfo, vec2};

/// Margin beside the text, in points.
const MARGIN: f32 = 12.0;
/// Font size of the label while comparing with the sound before the edits.
const COMPARED_FONT_SIZE: f32 = 32.0;

impl Canvas {
    /// Draws a one-sentence hint in the middle of the pane, until the user draws something.
    pub(in crate::canvas) fn draw_hint(&self, ui: &Ui, pane: &PaneAt, over: &MarkContext<'_>) {
        let Some(words) = words_for(over).filter(|_| is_empty(over.document) && !self.is_painting()) else {
            return;
        };
        draw_words(ui, pane, words, theme::regular(theme::BODY), words);
    }

    /// Draws a label in the middle of the pane while the sound before the edits is shown.
    pub(in crate::canvas) fn draw_compared(&self, ui: &Ui, pane: &PaneAt, over: &MarkContext<'_>) {
        if over.document.shows_before() {
            let words = if over.document.open_preview().is_some() { "Before" } else { "Original" };
            draw_words(ui, pane, words, theme::medium(COMPARED_FONT_SIZE), &format!("{words} is shown"));
        }
    }
}

/// Draws text in the middle of a pane, and exposes `spoken` to screen readers.
fn draw_words(ui: &Ui, pane: &PaneAt, words: &str, font: egui::FontId, spoken: &str) {
    let (painter, room) = (ui.painter().with_clip_rect(pane.rect), pane.rect.width() - 4.0 * MARGIN);
    let galley = painter.layout(words.into(), font, CANVAS_LIGHT, room.max(1.0));
    let rect = egui::Rect::from_center_size(pane.rect.center(), galley.size() + vec2(2.0 * MARGIN, MARGIN));
    painter.rect_filled(rect, theme::RADIUS_BUTTON, marks::dark(0.75));
    painter.galley(rect.center() - galley.size() / 2.0, galley, CANVAS_LIGHT);
    // Exposed to screen readers, but transparent to the pointer.
    let response = ui.interact(rect, ui.scope_id().with(("words over", spoken)), Sense::empty());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, spoken));
}

/// Whether a document that began as silence is still empty.
fn is_empty(document: &OpenDocument) -> bool {
    let history = document.history();
    history.original().source().is_silence()
        && history.position() == 0
        && !document.edits().is_busy()
        && document.floating().is_none()
}

fn words_for(over: &MarkContext<'_>) -> Option<&'static str> {
    match over.tools.brush().filter(|_| over.tools.active().is_brush())? {
        Brush::Voices(VoicesBrush::Drawn(_)) => {
            Some("Draw a line for a note, or click for a short one. N snaps to notes.")
        }
        brush if brush.is_pitched() => Some("Draw a line: it becomes a tone of that pitch. N snaps to notes."),
        _ => None,
    }
}

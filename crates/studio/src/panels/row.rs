//! A row of a panel: a caption and widgets.

use super::super::widgets::theme;
use egui::{Align2, Sense, Ui, vec2};

/// Width of captions.
const LABELS: f32 = 68.0;

/// A caption at the left; `add` draws the rest, and receives the remaining width in points.
pub fn row(ui: &mut Ui, caption: &str, add: impl FnOnce(&mut Ui, f32)) {
    let palette = theme::palette(ui.ctx());
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(LABELS - 4.0, theme::FIELD_HEIGHT), Sense::hover());
        let font = theme::regular(theme::BODY);
        ui.painter().text(rect.left_center(), Align2::LEFT_CENTER, caption, font, palette.text_weak);
        let width = ui.available_width();
        add(ui, width);
    });
}

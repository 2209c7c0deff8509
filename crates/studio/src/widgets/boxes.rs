//! Check boxes and radio buttons with an outline. Without it, their fill would hardly stand out from the background in
//! the dark theme.

use super::theme;
use egui::{Response, Stroke, Ui, WidgetText};

/// A check box.
pub fn checkbox(ui: &mut Ui, is_on: &mut bool, text: impl Into<WidgetText>) -> Response {
    outlined(ui, |ui| ui.checkbox(is_on, text.into()))
}

/// A radio button.
pub fn radio(ui: &mut Ui, is_chosen: bool, text: impl Into<WidgetText>) -> Response {
    outlined(ui, |ui| ui.radio(is_chosen, text.into()))
}

/// A radio button; a click sets `value` to its own.
pub fn radio_value<T: PartialEq>(ui: &mut Ui, value: &mut T, own: T, text: impl Into<WidgetText>) -> Response {
    outlined(ui, |ui| ui.radio_value(value, own, text.into()))
}

fn outlined(ui: &mut Ui, add: impl FnOnce(&mut Ui) -> Response) -> Response {
    let palette = theme::palette(ui.ctx());
    ui.scope(|ui| {
        let widgets = &mut ui.visuals_mut().widgets;
        for state in [&mut widgets.noninteractive, &mut widgets.inactive, &mut widgets.hovered, &mut widgets.active] {
            state.bg_stroke = Stroke::new(1.0, palette.stroke_strong);
        }
        add(ui)
    })
    .inner
}

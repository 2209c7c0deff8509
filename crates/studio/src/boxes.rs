//! Boxes to tick and circles to choose, with an outline that stands out from every ground they are on: their faces are
//! those of fields, which in the dark theme hardly do.

use super::theme;
use egui::{Response, Stroke, Ui, WidgetText};

/// A box to tick.
pub fn checkbox(ui: &mut Ui, is_on: &mut bool, text: impl Into<WidgetText>) -> Response {
    outlined(ui, |ui| ui.checkbox(is_on, text.into()))
}

/// One of several circles.
pub fn radio(ui: &mut Ui, is_chosen: bool, text: impl Into<WidgetText>) -> Response {
    outlined(ui, |ui| ui.radio(is_chosen, text.into()))
}

/// The same; a click gives `value` its own.
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

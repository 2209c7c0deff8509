//! What all cards are made of, and what they give.

use super::{theme, widgets};
use crate::workbench::Reply;
use crate::workbench::commands::{Command, icons};
use egui::{Button, RichText, Ui, vec2};

/// What the user chose on a card.
pub enum CardAnswer {
    /// Nothing: it is put away.
    Close,
    /// What was asked.
    Reply(Reply),
    /// Do this.
    Run(Command),
}

/// A title, and the cross that closes the card.
pub(super) fn heading(ui: &mut Ui, text: &str) -> Option<CardAnswer> {
    let palette = theme::palette(ui.ctx());
    let mut answer = None;
    ui.horizontal(|ui| {
        ui.label(RichText::new(text).font(theme::semibold(theme::BODY)).color(palette.text_strong));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let cross = RichText::new(icons::X).font(theme::icons(16.0));
            let close = ui.add(Button::new(cross).frame(false).min_size(vec2(24.0, 24.0)));
            if close.accessible_name("Close dialog").on_hover_text("Close dialog (Esc)").clicked() {
                answer = Some(CardAnswer::Close);
            }
        });
    });
    answer
}

/// Text of less weight.
pub(super) fn weak(ui: &mut Ui, text: &str) {
    let palette = theme::palette(ui.ctx());
    ui.label(RichText::new(text).color(palette.text_weak));
}

/// The button that Enter presses, unless something else has the keyboard.
pub(super) fn primary(ui: &mut Ui, text: &str) -> bool {
    let palette = theme::palette(ui.ctx());
    let label = RichText::new(text).color(palette.on_accent).font(theme::medium(theme::BODY));
    let response = ui.add(Button::new(label).fill(palette.accent).min_size(vec2(88.0, theme::FIELD_HEIGHT)));
    widgets::focus_ring(ui, &response);
    super::probe::note_control(ui.ctx(), text, response.rect);
    let is_free = ui.memory(|memory| memory.focused().is_none());
    response.clicked() || is_free && ui.input(|input| input.key_pressed(egui::Key::Enter))
}

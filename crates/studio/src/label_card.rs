//! The card that names a label.

use super::card_parts::{CardAnswer, heading, primary, weak};
use crate::base::clock_from_secs;
use crate::workbench::{LabelWish, Reply};
use egui::Ui;

pub(super) fn label(ui: &mut Ui, wish: &mut LabelWish, is_new: bool) -> Option<CardAnswer> {
    let mut answer = heading(ui, if wish.label.id == 0 { "Add label" } else { "Rename label" });
    let [start, end] = wish.label.secs.map(clock_from_secs);
    let place = if wish.label.is_marker() { format!("At {start}") } else { format!("From {start} to {end}") };
    weak(ui, &format!("{place}. Labels are part of projects and of what is undone."));
    if is_new {
        // The letter of the key that opened the card is no part of the text.
        ui.input_mut(|input| input.events.retain(|event| !matches!(event, egui::Event::Text(_))));
    }
    let field = egui::TextEdit::singleline(&mut wish.text).desired_width(f32::INFINITY).char_limit(MOST_CHARS);
    let field = ui.add(field.hint_text("verse, cough, bird call \u{2026}")).accessible_name("Text of the label");
    if is_new {
        field.request_focus();
    }
    ui.horizontal(|ui| {
        if primary(ui, if wish.label.id == 0 { "Add" } else { "Rename" }) {
            answer = Some(CardAnswer::Reply(Reply::Label(wish.clone())));
        }
        if ui.button("Cancel").clicked() {
            answer = Some(CardAnswer::Close);
        }
    });
    answer
}

/// A quarter of the bytes that a text may have: no character has more than four.
const MOST_CHARS: usize = crate::document::labels::MOST_LABEL_BYTES / 4;

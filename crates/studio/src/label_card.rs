//! The card that names a label.

use super::card_parts::{CardAnswer, heading, primary, weak};
use crate::base::clock_from_secs;
use crate::workbench::{LabelWish, Reply};
use egui::{Event, Id, Key, Ui};

pub(super) fn label(ui: &mut Ui, wish: &mut LabelWish, is_new: bool) -> Option<CardAnswer> {
    let mut answer = heading(ui, if wish.label.id == 0 { "Add label" } else { "Rename label" });
    let [start, end] = wish.label.secs.map(clock_from_secs);
    let place = if wish.label.is_marker() { format!("At {start}") } else { format!("From {start} to {end}") };
    weak(ui, &format!("{place}. Labels are part of projects and of what is undone."));
    drop_letter_of_key(ui, is_new);
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

/// The letter of the key that opened the card is no part of the text: it is dropped until the key is released.
fn drop_letter_of_key(ui: &Ui, is_new: bool) {
    let id = Id::unique("key that opened the label card");
    let is_held = is_new || ui.data(|data| data.get_temp(id).unwrap_or(false));
    if is_held {
        let is_its = |event: &Event| matches!(event, Event::Text(text) if text.eq_ignore_ascii_case("m"));
        ui.input_mut(|input| input.events.retain(|event| !is_its(event)));
    }
    let is_down = ui.input(|input| input.key_down(Key::M));
    ui.data_mut(|data| data.insert_temp(id, is_held && is_down));
}

/// A quarter of the bytes that a text may have: no character has more than four.
const MOST_CHARS: usize = crate::document::labels::MOST_LABEL_BYTES / 4;

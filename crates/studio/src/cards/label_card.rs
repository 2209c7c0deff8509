//! The card that edits text and colour of a label, or of several new ones at once.

use super::card_parts::{CardAnswer, heading, primary, type_at_once, weak};
use crate::base::clock_from_secs;
use crate::document::labels::N_COLOURS;
use crate::widgets::theme;
use crate::workbench::{LabelTextEdit, Reply};
use egui::{Color32, Event, Id, Key, Rect, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2};
use std::sync::Arc;

/// Maximum number of suggested texts.
const MAX_SUGGESTIONS: usize = 5;
/// Size of a colour swatch, in points.
const SWATCH: f32 = 24.0;

pub(crate) fn label(ui: &mut Ui, options: &mut LabelTextEdit, is_new: bool) -> Option<CardAnswer> {
    let adds = options.labels.first().is_none_or(|label| label.id == 0);
    let mut answer = heading(ui, &title(options, adds));
    weak(ui, &place(options));
    drop_letter_of_key(ui, is_new);
    let field = egui::TextEdit::singleline(&mut options.text).desired_width(f32::INFINITY).char_limit(MAX_CHARS);
    let field = ui.add(field.hint_text("verse, cough, bird call \u{2026}")).accessible_name("Text of the label");
    type_at_once(&field, is_new);
    let goes_down = field.has_focus() && ui.input(|input| input.key_pressed(Key::ArrowDown));
    if let Some(text) = offered(ui, options, goes_down) {
        options.text = text.to_string();
        answer = Some(CardAnswer::Reply(Reply::Label(options.clone())));
    }
    colours(ui, &mut options.colour);
    ui.horizontal(|ui| {
        if primary(ui, if adds { "Add" } else { "Rename" }) {
            answer = Some(CardAnswer::Reply(Reply::Label(options.clone())));
        }
        if ui.button("Cancel").clicked() {
            answer = Some(CardAnswer::Close);
        }
    });
    answer
}

fn title(options: &LabelTextEdit, adds: bool) -> String {
    match (adds, options.labels.len()) {
        (true, 0 | 1) => "Add label".into(),
        (true, n) => format!("Label {n} places"),
        (false, _) => "Rename label".into(),
    }
}

fn place(options: &LabelTextEdit) -> String {
    let place = match &options.labels[..] {
        [one] if one.is_marker() => format!("At {}", clock_from_secs(one.secs[0])),
        [one] => format!("From {} to {}", clock_from_secs(one.secs[0]), clock_from_secs(one.secs[1])),
        _ => "All get the same text".into(),
    };
    format!("{place}. Labels are part of projects and of what is undone.")
}

/// Buttons of known texts that contain the typed text; returns the one that was clicked. Down moves the focus from the
/// field to the first.
fn offered(ui: &mut Ui, options: &LabelTextEdit, goes_down: bool) -> Option<Arc<str>> {
    let typed = options.text.trim().to_lowercase();
    // Texts that begin with the typed text come before those that contain it elsewhere.
    let place = |text: &Arc<str>| text.to_lowercase().find(&typed).filter(|_| text.to_lowercase() != typed);
    let begins = options.known.iter().filter(|text| place(text) == Some(0));
    let holds = options.known.iter().filter(|text| place(text).is_some_and(|place| place > 0));
    let offered: Vec<&Arc<str>> = begins.chain(holds).take(MAX_SUGGESTIONS).collect();
    if offered.is_empty() {
        return None;
    }
    let mut taken = None;
    ui.horizontal_wrapped(|ui| {
        for (at, text) in offered.into_iter().enumerate() {
            let line = text.lines().next().unwrap_or_default();
            let short: String = line.chars().take(MAX_SHOWN_CHARS).collect();
            let button = ui.button(short).on_hover_text("Takes this text.");
            if goes_down && at == 0 {
                button.request_focus();
            }
            if button.accessible_name(format!("Use the text {line}")).clicked() {
                taken = Some(text.clone());
            }
        }
    });
    taken
}

/// A swatch for each colour; a click on the chosen one clears it.
fn colours(ui: &mut Ui, colour: &mut Option<u8>) {
    let palette = theme::palette(ui.ctx());
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 4.0);
        for at in 0..N_COLOURS {
            let (rect, response) = ui.allocate_exact_size(vec2(SWATCH, SWATCH), Sense::click());
            let is_on = *colour == Some(at);
            swatch(ui, rect, theme::label_colour(Some(at), palette), is_on);
            let name = format!("Colour {}", at + 1);
            response.widget_info(|| WidgetInfo::selected(egui::Role::Button, true, is_on, &name));
            if response.on_hover_text(&name).clicked() {
                *colour = (!is_on).then_some(at);
            }
        }
    });
}

fn swatch(ui: &Ui, rect: Rect, colour: Color32, is_on: bool) {
    let palette = theme::palette(ui.ctx());
    let line = Stroke::new(if is_on { 2.0 } else { 0.0 }, palette.text_strong);
    ui.painter().rect(rect.shrink(3.0), theme::RADIUS_SEGMENT, colour, line, StrokeKind::Outside);
}

/// Drops the letter of the key that opened the card, while the key is held and shortly after the card opened. Keeps it
/// if the key is pressed again.
fn drop_letter_of_key(ui: &Ui, is_new: bool) {
    let id = Id::unique("until when the letter that opened the label card is dropped");
    let (now_secs, is_down) = ui.input(|input| (input.time, input.key_down(Key::M)));
    let until_secs = if is_new { now_secs + LETTER_SECS } else { ui.data(|data| data.get_temp(id).unwrap_or(0.0)) };
    if now_secs > until_secs {
        return;
    }
    let is_its = |event: &Event| matches!(event, Event::Text(text) if text.eq_ignore_ascii_case("m"));
    let is_press = |event: &Event| matches!(event, Event::Key { key: Key::M, pressed: true, repeat: false, .. });
    ui.input_mut(|input| {
        if is_new || !input.events.iter().any(is_press) {
            input.events.retain(|event| !is_its(event));
        }
    });
    let until_secs = if is_down { until_secs.max(now_secs + LETTER_SECS) } else { until_secs };
    ui.data_mut(|data| data.insert_temp(id, until_secs));
}

/// Seconds within which the letter of a key press may arrive.
const LETTER_SECS: f64 = 0.4;

/// Maximum number of characters of a text: a character takes up to four bytes.
const MAX_CHARS: usize = crate::document::labels::MAX_LABEL_BYTES / 4;
/// Maximum number of characters of a displayed suggestion.
const MAX_SHOWN_CHARS: usize = 24;

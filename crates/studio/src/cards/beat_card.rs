//! The card of the beat grid: tempo, beats per bar and first bar. The tempo can be typed, tapped, or detected in the
//! sound.

use super::card_parts::{CardAnswer, captioned_within, heading, primary, type_at_once, weak};
use crate::base::number;
use crate::document::BeatGrid;
use crate::hooks::probe;
use crate::input::typed::secs_from_text;
use crate::widgets::boxes;
use crate::widgets::values::{Captioned, Value};
use crate::workbench::{BeatAnswer, BeatOptions, FoundBeat, Reply};
use egui::{DragValue, Event, Id, Key, Response, Ui};

/// Width of the captions, in points.
const CAPTION_WIDTH: f32 = 76.0;

pub(crate) fn ui(ui: &mut Ui, options: &mut BeatOptions, found: FoundBeat, is_new: bool) -> Option<CardAnswer> {
    let mut answer = heading(ui, "Beat grid");
    weak(ui, "Lines at bars and beats. Cutting and adding time leaves them where they are.");
    let key_secs = tap_key(ui);
    let (tempo, button_secs) = row(ui, "Tempo", |ui, caption| {
        let field = tempo_field(ui, &mut options.tempo_bpm).labelled_by(caption);
        let button = ui.button("Tap").on_hover_text("Press in time with the sound, or press T; two taps begin.");
        probe::note_control(ui.ctx(), "Tap", button.rect);
        (field, pressed_secs(ui, &button))
    });
    type_at_once(&tempo, is_new);
    row(ui, "Beats a bar", |ui, caption| beats_field(ui, &mut options.beats_a_bar).labelled_by(caption));
    let first_bar = row(ui, "First bar", |ui, caption| first_bar_field(ui, options, caption));
    for at_secs in key_secs.into_iter().chain(button_secs) {
        leave(ui, &tempo);
        if let Some(tempo_bpm) = options.taps.tap(at_secs) {
            options.tempo_bpm = (tempo_bpm * 10.0).round() / 10.0;
        }
    }
    boxes::checkbox(ui, &mut options.is_shown, "Show bars and beats");
    answer = sound_row(ui, options, found, [&tempo, &first_bar]).or(answer);
    ui.horizontal(|ui| {
        if primary(ui, "Set") {
            answer = Some(CardAnswer::Reply(Reply::Beat(BeatAnswer::Set(options.clone()))));
        }
        if options.has_grid && ui.button("Remove").on_hover_text("Takes the bars and beats away.").clicked() {
            answer = Some(CardAnswer::Reply(Reply::Beat(BeatAnswer::Remove(options.document))));
        }
        if ui.button("Cancel").clicked() {
            answer = Some(CardAnswer::Close);
        }
    });
    answer
}

/// A row of the card: a caption and its widgets.
fn row<R>(ui: &mut Ui, name: &str, add: impl FnOnce(&mut Ui, Id) -> R) -> R {
    captioned_within(ui, name, CAPTION_WIDTH, add)
}

/// A field without a caption of its own.
fn field<'a>(name: &'a str, what: &'a str, unit: &'a str) -> Value<'a> {
    Value { name, what, width: 112.0, unit, caption: Captioned::Nothing }
}

fn tempo_field(ui: &mut Ui, tempo_bpm: &mut f64) -> Response {
    let [slowest, fastest] = BeatGrid::TEMPO_BPM;
    let value = DragValue::new(tempo_bpm).speed(0.1).max_decimals(3);
    field("Tempo", "Beats per minute.", "BPM").show_within(ui, value, slowest..=fastest)
}

fn beats_field(ui: &mut Ui, beats_a_bar: &mut u32) -> Response {
    let [min, max] = BeatGrid::BEATS_PER_BAR.map(f64::from);
    let value = DragValue::new(beats_a_bar).speed(0.1);
    field("Beats a bar", "How many beats a bar has.", "").show_within(ui, value, min..=max)
}

fn first_bar_field(ui: &mut Ui, options: &mut BeatOptions, caption: Id) -> Response {
    let [first, last] = BeatGrid::FIRST_BAR_SECS;
    let value = DragValue::new(&mut options.first_bar_secs).speed(0.005).max_decimals(4).custom_parser(secs_from_text);
    let response = field("First bar", "Where the first bar begins.", "s").show_within(ui, value, first..=last);
    let response = response.labelled_by(caption);
    let at = format!("The cursor is at {} s.", number(options.cursor_secs, 3));
    if ui.button("At cursor").on_hover_text(at).clicked() {
        leave(ui, &response);
        options.first_bar_secs = options.cursor_secs.clamp(first, last);
    }
    response
}

/// The button that detects the beat in the sound, and its result. A new result is copied to the fields once.
fn sound_row(ui: &mut Ui, options: &mut BeatOptions, found: FoundBeat, fields: [&Response; 2]) -> Option<CardAnswer> {
    let mut answer = None;
    ui.horizontal(|ui| {
        let button = ui.add_enabled(found != FoundBeat::Pending, egui::Button::new("From the sound"));
        let what = "Finds the tempo and the first sound of the selection, or of the file.";
        if button.on_hover_text(what).clicked() {
            answer = Some(CardAnswer::Reply(Reply::Beat(BeatAnswer::Find(options.document))));
        }
        match found {
            FoundBeat::Unasked => {}
            FoundBeat::Pending => weak(ui, "Listening\u{2026}"),
            FoundBeat::None => weak(ui, "No steady beat was found; tap it, or type the tempo."),
            FoundBeat::Found { tempo_bpm, first_secs } => {
                let tempo = number(tempo_bpm, 1);
                weak(ui, &format!("{tempo} BPM, first sound at {} s.", number(first_secs, 3)));
            }
        }
    });
    let is_changed = found != options.found;
    options.found = found;
    if let FoundBeat::Found { tempo_bpm, first_secs } = found
        && is_changed
    {
        fields.into_iter().for_each(|field| leave(ui, field));
        (options.tempo_bpm, options.first_bar_secs) =
            ((tempo_bpm * 10.0).round() / 10.0, (first_secs * 1e4).round() / 1e4);
    }
    answer
}

/// Takes the focus from a field and discards the text being typed, which would overwrite the value just set by a tap, a
/// button or the detection.
fn leave(ui: &Ui, field: &Response) {
    ui.memory_mut(|memory| memory.surrender_focus(field.id));
    ui.data_mut(|data| data.remove::<String>(field.id));
}

/// Time in seconds at which T was pressed. Removes the letter from the input, so that number fields do not receive it.
fn tap_key(ui: &Ui) -> Option<f64> {
    ui.input_mut(|input| {
        let is_key = |event: &Event| matches!(event, Event::Key { key: Key::T, modifiers, .. } if modifiers.is_none());
        let is_text = |event: &Event| matches!(event, Event::Text(text) if text.eq_ignore_ascii_case("t"));
        let is_tap = |event: &Event| matches!(event, Event::Key { pressed: true, repeat: false, .. } if is_key(event));
        let is_tapped = input.events.iter().any(is_tap);
        input.events.retain(|event| !is_key(event) && !is_text(event));
        is_tapped.then_some(input.time)
    })
}

/// Time at which a button was pressed. Counts pointer down rather than up, as that is in time with the beat.
fn pressed_secs(ui: &Ui, button: &Response) -> Option<f64> {
    let (is_down, is_up, now_secs) =
        ui.input(|input| (input.pointer.primary_pressed(), input.pointer.primary_released(), input.time));
    (button.is_pointer_button_down_on() && is_down || button.clicked() && !is_up).then_some(now_secs)
}

//! The timbre of the voice brush, edited field by field in a popup of the option bar.

use crate::bars::overflow;
use crate::dsp::voices::{Timbre, Vibrato};
use crate::widgets::values::{Captioned, Value};
use crate::widgets::{theme, values};
use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{Button, DragValue, Grid, PopupCloseBehavior, Ui, vec2};
use std::ops::RangeInclusive;

const NAME: &str = "Edit timbre";
const BUTTON: &str = "Edit";

/// Initial vibrato values for a timbre without vibrato.
const VIBRATO: Vibrato = Vibrato { cents: 0.0, hz: 5.0, delay_secs: 0.3, fade_secs: 0.4 };

/// The button that opens the editor in a popup. In the bar's overflow menu, the fields are shown directly.
pub fn button(ui: &mut Ui, timbre: &mut Timbre) {
    if !overflow::has_place(ui, NAME, overflow::text_width(ui, BUTTON) + 24.0) {
        return;
    }
    if overflow::is_menu(ui) {
        return overflow::apart(ui, |ui| fields(ui, timbre));
    }
    let button = Button::new(BUTTON).min_size(vec2(0.0, theme::FIELD_HEIGHT));
    let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let (response, _) = MenuButton::from_button(button).config(config).ui(ui, |ui| {
        overflow::apart(ui, |ui| fields(ui, timbre));
    });
    crate::hooks::probe::note_control(ui.ctx(), NAME, response.rect);
    response.accessible_name(NAME).on_hover_text("Attack, release, voices, vibrato and breath of this timbre.");
}

/// A row for each value of this timbre.
fn fields(ui: &mut Ui, timbre: &mut Timbre) {
    // Otherwise, fields in a menu would look like menu entries.
    ui.reset_style();
    Grid::new("timbre").num_columns(2).spacing(vec2(12.0, 6.0)).show(ui, |ui| {
        envelope(ui, timbre);
        if timbre.measured.is_some() {
            let what = "How much the recorded levels stay at their frequencies, as of an instrument's body, rather than \
                        move with the pitch.";
            percent(ui, "Formants", what, &mut timbre.formants);
        } else {
            softness(ui, timbre);
        }
        unison(ui, timbre);
        vibrato(ui, timbre);
        percent(ui, "Breath", "Noise around each partial.", &mut timbre.breath);
    });
    if timbre.measured.is_some() {
        let what = "The recording lasts as long as the note; off, it ends when it ended.";
        values::tick(ui, "Stretch to the note", what, &mut timbre.stretch_time);
    }
}

fn envelope(ui: &mut Ui, timbre: &mut Timbre) {
    let adsr = &mut timbre.adsr;
    seconds(ui, "Attack", "From the start of a note to its full level.", &mut adsr.attack_secs);
    seconds(ui, "Decay", "From the full level to the one that is held.", &mut adsr.decay_secs);
    percent(ui, "Sustain", "The level that is held until the note ends.", &mut adsr.sustain);
    seconds(ui, "Release", "From the end of a note to silence.", &mut adsr.release_secs);
}

/// Decay of partials, and the filter.
fn softness(ui: &mut Ui, timbre: &mut Timbre) {
    let what = "Time in which a partial falls by 60 dB, as of a string or a bell; 0: it is held.";
    seconds(ui, "Ring", what, &mut timbre.decay_secs);
    if let Some(cutoff) = &mut timbre.cutoff {
        let (mut end, before) = (cutoff.end, cutoff.end);
        let what = "Where the filter ends, as a multiple of the note's frequency: higher is brighter.";
        number(ui, ("Brightness", what, "\u{d7}"), DragValue::new(&mut end).speed(0.05).fixed_decimals(1), 0.5..=64.0);
        if end != before {
            // The filter's start keeps its ratio to the end.
            cutoff.start = (cutoff.start * end / before).clamp(0.05, 500.0);
            cutoff.end = end;
        }
    }
}

fn unison(ui: &mut Ui, timbre: &mut Timbre) {
    let field = DragValue::new(&mut timbre.unison).speed(0.05);
    number(ui, ("Voices", "How many voices sound on each note.", ""), field, 1.0..=9.0);
    let field = DragValue::new(&mut timbre.detune_cents).speed(0.2).fixed_decimals(1);
    number(ui, ("Detune", "How far the outer voices are out of tune.", "cents"), field, 0.0..=100.0);
    percent(ui, "Spread", "How far the outer voices lie to the left and the right.", &mut timbre.spread);
}

fn vibrato(ui: &mut Ui, timbre: &mut Timbre) {
    let mut vibrato = timbre.vibrato.unwrap_or(VIBRATO);
    let field = DragValue::new(&mut vibrato.cents).speed(0.2).fixed_decimals(1);
    number(ui, ("Vibrato", "How far the pitch swings up and down; 0: not at all.", "cents"), field, 0.0..=1200.0);
    let field = DragValue::new(&mut vibrato.hz).speed(0.02).fixed_decimals(1);
    number(ui, ("Vibrato rate", "How often it swings in a second.", "Hz"), field, 0.0..=100.0);
    if vibrato != timbre.vibrato.unwrap_or(VIBRATO) {
        timbre.vibrato = Some(vibrato);
    }
}

fn seconds(ui: &mut Ui, name: &str, what: &str, value: &mut f64) {
    number(ui, (name, what, "s"), DragValue::new(value).speed(0.005).fixed_decimals(3), 0.0..=30.0);
}

fn percent(ui: &mut Ui, name: &str, what: &str, value: &mut f64) {
    let field = DragValue::from_get_set(|new| {
        if let Some(new) = new {
            *value = (new / 100.0).clamp(0.0, 1.0);
        }
        (*value * 1e6).round() / 1e4
    });
    number(ui, (name, what, "%"), field.speed(0.5).fixed_decimals(0), 0.0..=100.0);
}

/// A row: name and value.
fn number(ui: &mut Ui, (name, what, unit): (&str, &str, &str), field: DragValue<'_>, range: RangeInclusive<f64>) {
    Value { name, what, width: 88.0, unit, caption: Captioned::Name }.show_within(ui, field, range);
    ui.end_row();
}

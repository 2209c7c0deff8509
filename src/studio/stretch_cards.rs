//! Cards about pitch, length and sample rate: pitch shift, time stretch, resampling.

use super::card_parts::{CardAnswer, heading, primary, weak};
use super::widgets::Value;
use crate::base::number;
use crate::media::{MAX_RATE_HZ, MIN_RATE_HZ};
use crate::workbench::limits::{SEMITONES, STRETCH_PERCENT};
use crate::workbench::{Reply, ResampleWish, StretchWish};
use egui::{DragValue, Ui};

fn value<'a>(name: &'a str, what: &'a str, unit: &'a str) -> Value<'a> {
    Value { name, what, width: 112.0, unit, has_caption: true }
}

/// The button that does it, and the one that does not.
fn buttons(ui: &mut Ui, does: &str, reply: impl FnOnce() -> Reply) -> Option<CardAnswer> {
    let mut answer = None;
    ui.horizontal(|ui| {
        if primary(ui, does) {
            answer = Some(CardAnswer::Reply(reply()));
        }
        if ui.button("Cancel").clicked() {
            answer = Some(CardAnswer::Close);
        }
    });
    answer
}

pub(super) fn pitch_shift(ui: &mut Ui, semitones: &mut f64) -> Option<CardAnswer> {
    let closed = heading(ui, "Pitch shift");
    weak(ui, "Moves the selection up or down; its length stays.");
    let field = DragValue::new(semitones).speed(0.05).max_decimals(2);
    let range = SEMITONES[0]..=SEMITONES[1];
    value("Shift by", "In semitones; cents follow the point.", "semitones").show_within(ui, field, range);
    buttons(ui, "Shift", || Reply::PitchShift(*semitones)).or(closed)
}

pub(super) fn stretch(ui: &mut Ui, wish: &mut StretchWish) -> Option<CardAnswer> {
    let closed = heading(ui, "Time stretch");
    weak(ui, "Makes the selection longer or shorter at its own pitch. The result floats until you place it.");
    let field = DragValue::new(&mut wish.percent).speed(0.2).max_decimals(2);
    let range = STRETCH_PERCENT[0]..=STRETCH_PERCENT[1];
    value("New length", "In percent of the selection.", "%").show_within(ui, field, range);
    let secs = wish.selected_secs * wish.percent / 100.0;
    if secs > 0.0 {
        weak(ui, &format!("{} s become {} s.", number(wish.selected_secs, 3), number(secs, 3)));
    }
    ui.checkbox(&mut wish.replaces, "Erase the original")
        .on_hover_text("Otherwise the original stays beneath the result.");
    buttons(ui, "Stretch", || Reply::Stretch(*wish)).or(closed)
}

pub(super) fn resample(ui: &mut Ui, wish: &mut ResampleWish) -> Option<CardAnswer> {
    let closed = heading(ui, "Resample to a new document");
    weak(ui, &format!("The sound has {} Hz and stays as it is.", wish.from_hz));
    ui.horizontal(|ui| {
        let rate = DragValue::new(&mut wish.rate_hz).speed(100.0).range(MIN_RATE_HZ..=MAX_RATE_HZ);
        let rate = rate.custom_parser(super::typed::hz_from_text);
        value("Sample rate", "Samples per second.", "Hz").show(ui, rate);
        for rate_hz in [44_100, 48_000, 96_000] {
            let label = format!("{}", f64::from(rate_hz) / 1000.0);
            if ui.button(label).on_hover_text(format!("{rate_hz} Hz")).clicked() {
                wish.rate_hz = rate_hz;
            }
        }
    });
    buttons(ui, "Resample", || Reply::Resample(wish.rate_hz)).or(closed)
}

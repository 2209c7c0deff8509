//! Cards for pitch shift, time stretch and resampling.

use super::card_parts::{CardAnswer, heading, primary, sample_rate, type_at_once, value, weak};
use crate::base::{khz_from_hz, length_from_secs};
use crate::widgets::boxes;
use crate::workbench::bench::limits::{SEMITONES, STRETCH_PERCENT};
use crate::workbench::{Reply, ResampleOptions, StretchOptions};
use egui::{DragValue, Ui};

/// Draws the confirm and cancel buttons.
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

pub(crate) fn pitch_shift(ui: &mut Ui, semitones: &mut f64, is_new: bool) -> Option<CardAnswer> {
    let closed = heading(ui, "Pitch shift");
    weak(ui, "Moves the selection up or down; its length stays.");
    let field = DragValue::new(semitones).speed(0.05).max_decimals(2);
    let range = SEMITONES[0]..=SEMITONES[1];
    let what = "In semitones; cents follow the point.";
    // Wide, as the long unit is beside the number in the field.
    let field = value("Shift by", what, "semitones").wide(184.0).show_within(ui, field, range);
    type_at_once(&field, is_new);
    buttons(ui, "Shift", || Reply::PitchShift(*semitones)).or(closed)
}

pub(crate) fn stretch(ui: &mut Ui, options: &mut StretchOptions, is_new: bool) -> Option<CardAnswer> {
    let closed = heading(ui, "Time stretch");
    weak(ui, "Makes the selection longer or shorter at its own pitch. The result floats until you place it.");
    let field = DragValue::new(&mut options.percent).speed(0.2).max_decimals(2);
    let range = STRETCH_PERCENT[0]..=STRETCH_PERCENT[1];
    let field = value("New length", "In percent of the selection.", "%").show_within(ui, field, range);
    type_at_once(&field, is_new);
    let secs = options.selected_secs * options.percent / 100.0;
    if secs > 0.0 {
        weak(ui, &format!("{} become {}.", length_from_secs(options.selected_secs, 3), length_from_secs(secs, 3)));
    }
    boxes::checkbox(ui, &mut options.replaces, "Erase the original")
        .on_hover_text("Otherwise the original stays beneath the result.");
    buttons(ui, "Stretch", || Reply::Stretch(*options)).or(closed)
}

pub(crate) fn resample(ui: &mut Ui, options: &mut ResampleOptions, is_new: bool) -> Option<CardAnswer> {
    let closed = heading(ui, "Resample to a new document");
    weak(ui, &format!("This document stays at {}.", khz_from_hz(f64::from(options.from_hz))));
    type_at_once(&sample_rate(ui, &mut options.rate_hz), is_new);
    buttons(ui, "Resample", || Reply::Resample(options.rate_hz)).or(closed)
}

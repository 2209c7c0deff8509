//! Cards for a new canvas, and for adding or inserting silence.

use super::card_parts::{CardAnswer, heading, primary, sample_rate, type_at_once, value, weak};
use crate::base::clock_from_secs;
use crate::media::MAX_CHANNELS;
use crate::workbench::bench::limits::CANVAS_SECS;
use crate::workbench::{NewCanvas, Reply};
use egui::{DragValue, Ui};

pub(crate) fn new_canvas(ui: &mut Ui, options: &mut NewCanvas, is_new: bool) -> Option<CardAnswer> {
    let mut answer = heading(ui, "New canvas");
    weak(ui, "Silence to paint and paste into, or to drop a picture or a MIDI file on. You can make it longer later.");
    let secs = DragValue::new(&mut options.secs).speed(0.1).max_decimals(3);
    let secs = secs.custom_parser(crate::input::typed::secs_from_text);
    let length = value("Length of the canvas", "In seconds, or as 1:02.5.", "s");
    type_at_once(&length.show_within(ui, secs, CANVAS_SECS[0]..=CANVAS_SECS[1]), is_new);
    sample_rate(ui, &mut options.rate_hz);
    let n_channels = DragValue::new(&mut options.n_channels).speed(0.05).range(1..=MAX_CHANNELS);
    value("Number of channels", "1 for mono, 2 for stereo.", "").show(ui, n_channels);
    ui.horizontal(|ui| {
        if primary(ui, "Create") {
            answer = Some(CardAnswer::Reply(Reply::New { canvas: *options, has_picture: false }));
        }
        let what = "Creates the canvas, then opens a picture (PNG, JPEG, OpenEXR) to lay over it as sound.";
        if ui.button("With a picture\u{2026}").on_hover_text(what).clicked() {
            answer = Some(CardAnswer::Reply(Reply::New { canvas: *options, has_picture: true }));
        }
        if ui.button("Cancel").clicked() {
            answer = Some(CardAnswer::Close);
        }
    });
    answer
}

pub(crate) fn lengthen(ui: &mut Ui, secs: &mut f64, is_new: bool) -> Option<CardAnswer> {
    silence(ui, ["Add silence at the end", "Adds silence at the end. You can undo it."], secs, is_new, Reply::Lengthen)
}

pub(crate) fn insert_silence(ui: &mut Ui, at_secs: f64, secs: &mut f64, is_new: bool) -> Option<CardAnswer> {
    let what = format!("Inserts silence at {}; what follows moves.", clock_from_secs(at_secs));
    silence(ui, ["Insert silence", &what], secs, is_new, |secs| Reply::InsertSilence([at_secs, secs]))
}

fn silence(
    ui: &mut Ui,
    [title, what]: [&str; 2],
    secs: &mut f64,
    is_new: bool,
    reply: impl FnOnce(f64) -> Reply,
) -> Option<CardAnswer> {
    let mut answer = heading(ui, title);
    weak(ui, what);
    let field = DragValue::new(secs).speed(0.1).max_decimals(3).custom_parser(crate::input::typed::secs_from_text);
    let length = value("Add", "In seconds, or as 1:02.5.", "s");
    type_at_once(&length.show_within(ui, field, CANVAS_SECS[0]..=CANVAS_SECS[1]), is_new);
    ui.horizontal(|ui| {
        if primary(ui, "Add silence") {
            answer = Some(CardAnswer::Reply(reply(*secs)));
        }
        if ui.button("Cancel").clicked() {
            answer = Some(CardAnswer::Close);
        }
    });
    answer
}

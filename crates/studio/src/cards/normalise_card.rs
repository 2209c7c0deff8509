//! The card for normalising: target level, current levels, and the resulting ones.

use super::card_parts::{CardAnswer, heading, primary, type_at_once, value, weak};
use crate::base::number;
use crate::document::SoundLevels;
use crate::document::brushes::Normalise;
use crate::widgets::{boxes, theme};
use crate::workbench::{MeasuredLevels, NormaliseOptions, Reply};
use egui::{DragValue, RichText, Ui};

pub(crate) fn ui(
    ui: &mut Ui,
    options: &mut NormaliseOptions,
    levels: MeasuredLevels,
    is_new: bool,
) -> Option<CardAnswer> {
    let mut answer = heading(ui, "Normalise");
    weak(
        ui,
        match options.is_selection {
            true => "One gain for the selection, over all channels that are shown.",
            false => "One gain for the whole file, over all channels that are shown.",
        },
    );
    let was_loudness = options.is_loudness;
    ui.horizontal(|ui| {
        boxes::radio_value(ui, &mut options.is_loudness, false, "To a peak")
            .on_hover_text("The level of the loudest sample.");
        boxes::radio_value(ui, &mut options.is_loudness, true, "To a loudness")
            .on_hover_text("How loud the whole is heard: integrated loudness by ITU-R BS.1770, with its gates.");
    });
    // Separate ids, so that text being typed into a field is not taken over by the other.
    let field = ui.push_id(options.is_loudness, |ui| level_field(ui, options)).inner;
    type_at_once(&field, is_new || options.is_loudness != was_loudness);
    match levels {
        MeasuredLevels::Pending => weak(ui, "Measuring\u{2026}"),
        MeasuredLevels::Unknown => {}
        MeasuredLevels::Silent => weak(ui, "There is only silence to normalise; select a sound."),
        MeasuredLevels::Known(levels) => outcome(ui, options, levels),
    }
    ui.horizontal(|ui| {
        if levels != MeasuredLevels::Silent && primary(ui, "Normalise") {
            answer = Some(CardAnswer::Reply(Reply::Normalise(*options)));
        }
        if ui.button("Cancel").clicked() {
            answer = Some(CardAnswer::Close);
        }
    });
    answer
}

/// The field of the target level.
fn level_field(ui: &mut Ui, options: &mut NormaliseOptions) -> egui::Response {
    let range = Normalise::LEVELS[0]..=Normalise::LEVELS[1];
    let (level, name, what, unit) = match options.is_loudness {
        true => (&mut options.loudness_lufs, "Target loudness", "Of all that is not silence.", "LUFS"),
        false => (&mut options.peak_db, "Target peak", "Of the loudest sample.", "dBFS"),
    };
    value(name, what, unit).show_within(ui, DragValue::new(level).speed(0.1).max_decimals(2), range)
}

/// The current and the resulting levels, and a remedy if the result would clip.
fn outcome(ui: &mut Ui, options: &mut NormaliseOptions, levels: SoundLevels) {
    weak(ui, &format!("Now: {}.", words(levels)));
    if let Some(after) = options.result(levels) {
        weak(ui, &format!("After: {}.", words(after)));
    }
    if !options.passes_peak(levels) {
        return;
    }
    let palette = theme::palette(ui.ctx());
    let what = "Peaks above 0 dBFS clip in 16- and 24-bit files.";
    ui.label(RichText::new(what).color(palette.danger));
    if ui.button("Limit to 0 dBFS").on_hover_text("Lowers the target until the peak is at 0 dBFS.").clicked() {
        *options = options.stopped_at_peak();
    }
}

fn words(levels: SoundLevels) -> String {
    let peak = format!("peak {} dBFS", number(levels.peak_db, 1));
    match levels.loudness_lufs {
        Some(lufs) => format!("{peak}, loudness {} LUFS", number(lufs, 1)),
        None => format!("{peak}, too quiet for a loudness"),
    }
}

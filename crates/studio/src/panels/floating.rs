//! Numeric fields of the floating paste: edges of a picture, start and transposition of notes.

use super::super::input::typed::{hz_from_text, secs_from_text};
use super::super::widgets;
use super::super::widgets::values;
use super::super::widgets::values::{Captioned, Value};
use super::row::row;
use crate::base::clock_from_secs;
use crate::document::brushes::PictureBrush;
use crate::dsp::Axis;
use crate::dsp::strokes::picture::PictureTurn;
use crate::workbench::bench::limits::PASTE_UNITS;
use crate::workbench::commands::ClipboardCommand;
use crate::workbench::{Acts, DocumentAct, Floating, OpenDocument};
use egui::{DragValue, Ui};

const TURNS: [PictureTurn; 4] =
    [PictureTurn::None, PictureTurn::Quarter, PictureTurn::Half, PictureTurn::ThreeQuarters];

/// Minimum length and height of a picture whose edges are typed.
const MIN_SECS: f64 = 1e-3;
const MIN_HZ: f64 = 0.1;

/// Fields for a floating picture or floating notes; false for other floating sounds, which have none.
pub fn ui(ui: &mut Ui, floating: &Floating, document: &OpenDocument, acts: &mut Acts) -> bool {
    if let Some(brush) = floating.picture() {
        let mut edited = brush.clone();
        picture(ui, &mut edited, document);
        if edited != *brush {
            acts.push(DocumentAct::FloatPicture(Box::new(edited)));
        }
        return true;
    }
    if floating.notes().is_some() {
        let mut offset = floating.offset;
        notes(ui, &mut offset, document);
        if offset != floating.offset {
            acts.push(DocumentAct::Float(offset));
        }
        return true;
    }
    false
}

/// Buttons that place a time-stretched paste: one mixes its excess length with the audio that follows, the other moves
/// that audio later.
pub fn follows(ui: &mut Ui, acts: &mut Acts) {
    row(ui, "Place", |ui, _| {
        let overlap = ui.button("Overlap").on_hover_text("Adds what is longer to what follows (Enter).");
        if overlap.clicked() {
            acts.push(ClipboardCommand::LandPaste);
        }
        let push = ui.button("Push").on_hover_text("Moves what follows, so that nothing overlaps (Shift+Enter).");
        if push.clicked() {
            acts.push(ClipboardCommand::LandPushing);
        }
    });
}

/// Edges and buttons to rotate and mirror a picture.
fn picture(ui: &mut Ui, brush: &mut PictureBrush, document: &OpenDocument) {
    let (secs_speed, hz_speed) = speeds(document);
    let value = |name, what, unit, width: f32| Value {
        name,
        what,
        width: width / 2.0 - 2.0,
        unit,
        caption: Captioned::Nothing,
    };
    row(ui, "Time", |ui, width| {
        let [start, end] = brush.area.secs;
        let what = "Type 1.5, 250 ms or 1:02.5.";
        let field = time_field(&mut brush.area.secs[0], secs_speed).range(f64::NEG_INFINITY..=end - MIN_SECS);
        value("Start of the picture", what, "", width).show(ui, field);
        let field = time_field(&mut brush.area.secs[1], secs_speed).range(start + MIN_SECS..=f64::INFINITY);
        value("End of the picture", what, "", width).show(ui, field);
    });
    row(ui, "Band", |ui, width| {
        let [low, high] = brush.area.hz;
        let min = if brush.area.axis == Axis::Log { 1.0 } else { 0.0 };
        let what = "Type 440, 2k or A4.";
        let field = band_field(&mut brush.area.hz[0], hz_speed).range(min..=high - MIN_HZ);
        value("Lowest frequency of the picture", what, "Hz", width).show(ui, field);
        let field = band_field(&mut brush.area.hz[1], hz_speed).range(low + MIN_HZ..=f64::INFINITY);
        value("Highest frequency of the picture", what, "Hz", width).show(ui, field);
    });
    row(ui, "Turn", |ui, width| {
        let name = "Turn of the picture";
        if let Some(turn) = widgets::choice(ui, name, width / 2.0 - 2.0, brush.look.turn, &TURNS, turn_name) {
            brush.look.turn = turn;
        }
        values::tick(ui, "Flip", "Mirrors the picture, left to right.", &mut brush.look.is_flipped);
    });
}

/// Start and transposition of notes.
fn notes(ui: &mut Ui, offset: &mut [f64; 2], document: &OpenDocument) {
    let (secs_speed, _) = speeds(document);
    row(ui, "Time", |ui, width| {
        let what = "Time of the first beat. Type 1.5, 250 ms or 1:02.5.";
        let value = Value { name: "Start of the notes", what, width, unit: "", caption: Captioned::Nothing };
        value.show(ui, time_field(&mut offset[0], secs_speed));
    });
    row(ui, "Pitch", |ui, width| {
        let [min, max] = PASTE_UNITS.map(|octaves| 12.0 * octaves);
        let semitones = DragValue::from_get_set(|new| {
            if let Some(new) = new {
                offset[1] = new / 12.0;
            }
            // Hides the rounding error of the conversion from octaves.
            (12.0 * offset[1] * 1e6).round() / 1e6
        });
        let what = "How far the notes are transposed, in semitones.";
        let value =
            Value { name: "Transposition of the notes", what, width, unit: "semitones", caption: Captioned::Nothing };
        value.show_within(ui, typed_field(semitones).speed(0.02).max_decimals(2), min..=max);
    });
}

/// Change per point of a drag: seconds and hertz.
fn speeds(document: &OpenDocument) -> (f64, f64) {
    let view = document.view();
    ((view.secs[1] - view.secs[0]) / 1000.0, (view.hz[1] - view.hz[0]) / 2000.0)
}

/// A field of a time, formatted as on the rulers.
fn time_field(secs: &mut f64, speed: f64) -> DragValue<'_> {
    let field = typed_field(DragValue::new(secs)).speed(speed).max_decimals(6);
    // A drag may move the start before time 0, which is shown and typed with a minus sign.
    field.custom_formatter(|secs, _| clock_from_secs(secs)).custom_parser(|text| {
        match text.trim().strip_prefix(['-', '\u{2212}']) {
            Some(text) => secs_from_text(text).map(|secs| -secs),
            None => secs_from_text(text),
        }
    })
}

fn band_field(hz: &mut f64, speed: f64) -> DragValue<'_> {
    typed_field(DragValue::new(hz)).speed(speed).fixed_decimals(1).custom_parser(hz_from_text)
}

/// A field that takes a typed value only once it is complete, since a partial value may be invalid. Existing values
/// outside the range are kept.
fn typed_field(field: DragValue<'_>) -> DragValue<'_> {
    field.update_while_editing(false).clamp_existing_to_range(false)
}

fn turn_name(turn: PictureTurn) -> String {
    match turn {
        PictureTurn::None => "0\u{b0}",
        PictureTurn::Quarter => "90\u{b0}",
        PictureTurn::Half => "180\u{b0}",
        PictureTurn::ThreeQuarters => "270\u{b0}",
    }
    .into()
}

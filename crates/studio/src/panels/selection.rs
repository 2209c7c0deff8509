//! The selection: its range, typed or dragged, and its measurements.

use super::super::input::typed::{hz_from_text, secs_from_text};
use super::super::widgets::values::{Captioned, Value};
use super::super::widgets::{boxes, theme};
use super::floating;
use super::row::row;
use crate::base::{Note, clock_from_secs, length_from_secs, number};
use crate::document::brushes::Gain;
use crate::dsp::{Axis, Selection, Shape};
use crate::workbench::commands::{Facts, ToolCommand};
use crate::workbench::{Acts, DocumentAct, Figures, OpenDocument, new_feather, over_selection};
use egui::{Align2, DragValue, RichText, Role, Sense, Ui, WidgetInfo, pos2, vec2};

/// Fields for start, end, length, lowest and highest frequency of the selection's bounding rectangle, and its
/// measurements. While a picture or notes float, their fields instead.
pub fn ui(ui: &mut Ui, facts: &Facts, document: &OpenDocument, acts: &mut Acts) {
    if document.floating().is_some_and(|floating| floating::ui(ui, floating, document, acts)) {
        return;
    }
    if facts.can_push {
        floating::follows(ui, acts);
    }
    let (duration_secs, nyquist_hz) = (document.duration_secs(), document.history().original().sample_rate_hz() / 2.0);
    let secs = document.selected_secs();
    let hz = document.selected_hz();
    let mut new_secs = secs.unwrap_or([0.0, duration_secs]);
    let mut new_hz = hz.unwrap_or([0.0, nyquist_hz]);
    time_row(ui, &mut new_secs, duration_secs);
    band_row(ui, &mut new_hz, nyquist_hz);
    let has_gain = document.selection().is_some() && !document.is_reading();
    length_row(ui, &mut new_secs, duration_secs, |ui| {
        if has_gain {
            gain_field(ui, document, acts);
        }
    });
    let secs_changed = new_secs != secs.unwrap_or([0.0, duration_secs]);
    let hz_changed = new_hz != hz.unwrap_or([0.0, nyquist_hz]);
    if secs_changed || hz_changed {
        let secs = if secs_changed { Some(new_secs) } else { secs };
        let hz = if hz_changed { Some(new_hz) } else { hz };
        let feather = document.selection().map_or([0.0; 2], |selection| match selection.shapes.as_slice() {
            [(_, Shape::Rectangle { feather, axis: Axis::Linear, .. })] => *feather,
            _ => [0.0; 2],
        });
        // A new selection gets the same soft edges as one drawn with the pointer.
        let grid = crate::view::grid_of(document.shown(), &document.view().transform);
        let feather = if document.selection().is_some() { feather } else { new_feather(&grid) };
        let selection = Selection::rectangle(secs, hz, feather, Axis::Linear);
        acts.push(DocumentAct::Select(Some(selection)));
    }
    row(ui, "Snap", |ui, _| {
        let mut is_on = facts.is_snapping;
        let spec = ToolCommand::Snapping.row();
        let label = boxes::checkbox(ui, &mut is_on, "To peaks and onsets");
        if label.on_hover_text(format!("{} ({})", spec.what, spec.keys[0])).changed() {
            acts.push(ToolCommand::Snapping);
        }
    });
    let palette = theme::palette(ui.ctx());
    let text = match (document.selection(), document.selected_secs()) {
        (None, _) => Some("Nothing is selected: brushes affect everything."),
        (Some(_), None) => Some("All times."),
        (Some(_), Some(_)) => None,
    };
    if let Some(text) = text {
        ui.label(RichText::new(text).color(palette.text_weak));
    }
    if let Some(figures) = document.figures() {
        figures_rows(ui, &figures);
    }
}

/// A gain that is applied to the selection once typed or dragged; then the field returns to 0 dB.
fn gain_field(ui: &mut Ui, document: &OpenDocument, acts: &mut Acts) {
    let palette = theme::palette(ui.ctx());
    let id = egui::Id::unique("gain of the selection");
    let mut gain_db: f64 = ui.data(|data| data.get_temp(id)).unwrap_or(0.0);
    ui.label(RichText::new("Gain").color(palette.text_weak));
    let what = "Changes the level of the selection by this much as soon as it is typed or dragged.";
    let width = ui.available_width();
    let value = Value { name: "Gain of the selection", what, width, unit: "dB", caption: Captioned::Nothing };
    let field = DragValue::new(&mut gain_db).speed(0.1).fixed_decimals(1).update_while_editing(false);
    let response = value.show_within(ui, field, Gain::RANGE_DB[0]..=Gain::RANGE_DB[1]);
    if gain_db != 0.0 && !response.dragged() && !response.has_focus() {
        if let Some(edit) = over_selection(document, Gain { gain_db }.into(), 1.0) {
            acts.push(DocumentAct::Edit(Box::new(edit)));
        }
        gain_db = 0.0;
    }
    ui.data_mut(|data| data.insert_temp(id, gain_db));
}

fn time_row(ui: &mut Ui, secs: &mut [f64; 2], duration_secs: f64) {
    row(ui, "Time", |ui, width| {
        let [start, end] = secs;
        let speed = duration_secs / 2000.0;
        let value = |name| Value {
            name,
            what: "Type 1.5, 250 ms or 1:02.5.",
            width: width / 2.0 - 2.0,
            unit: "",
            caption: Captioned::Nothing,
        };
        let shown = |secs: f64, _: std::ops::RangeInclusive<usize>| clock_from_secs(secs);
        let field = DragValue::new(start)
            .range(0.0..=*end)
            .speed(speed)
            .max_decimals(6)
            .custom_formatter(shown)
            .custom_parser(secs_from_text);
        value("Start of the selection").show(ui, field);
        let field =
            DragValue::new(end).range(*start..=duration_secs).speed(speed).max_decimals(6).custom_formatter(shown);
        value("End of the selection").show(ui, field.custom_parser(secs_from_text));
    });
}

fn band_row(ui: &mut Ui, hz: &mut [f64; 2], nyquist_hz: f64) {
    row(ui, "Band", |ui, width| {
        let [low, high] = hz;
        let value = |name| Value {
            name,
            what: "Type 440, 2k or A4.",
            width: width / 2.0 - 2.0,
            unit: "Hz",
            caption: Captioned::Nothing,
        };
        let field = DragValue::new(low)
            .range(0.0..=*high)
            .speed(nyquist_hz / 4000.0)
            .fixed_decimals(1)
            .custom_parser(hz_from_text);
        value("Lowest frequency of the selection").show(ui, field);
        let field = DragValue::new(high)
            .range(*low..=nyquist_hz)
            .speed(nyquist_hz / 4000.0)
            .fixed_decimals(1)
            .custom_parser(hz_from_text);
        value("Highest frequency of the selection").show(ui, field);
    });
}

/// The length row; `beside` adds further fields to it.
fn length_row(ui: &mut Ui, secs: &mut [f64; 2], duration_secs: f64, beside: impl FnOnce(&mut Ui)) {
    row(ui, "Length", |ui, width| {
        let [start, end] = secs;
        let first = *start;
        let what = "From start to end. Type 1.5, 250 ms or 1:02.5; that moves the end.";
        let width = width / 2.0 - 2.0;
        let value = Value { name: "Length of the selection", what, width, unit: "", caption: Captioned::Nothing };
        let length = DragValue::from_get_set(|new| {
            if let Some(new) = new {
                *end = first + new;
            }
            *end - first
        });
        let length = length.range(0.0..=duration_secs - first).speed(duration_secs / 2000.0);
        let shown = |secs: f64, _: std::ops::RangeInclusive<usize>| length_from_secs(secs, 3);
        value.show(ui, length.max_decimals(6).custom_formatter(shown).custom_parser(secs_from_text));
        beside(ui);
    });
}

/// Peak, level and centroid of the selection.
fn figures_rows(ui: &mut Ui, figures: &Figures) {
    let palette = theme::palette(ui.ctx());
    let hertz = |hz: Option<f64>| match hz {
        Some(hz) => format!("{} Hz", number(hz, 1)),
        None => "silence".into(),
    };
    let note = figures.peak_hz.and_then(Note::from_hz).map(|note| format!(" {note}")).unwrap_or_default();
    let decibels = |db: f64| format!("{} dB", number(db, 1));
    let note = if note.is_empty() { "\u{2013}".to_owned() } else { note.trim().to_owned() };
    let pairs = [
        [("Peak", hertz(figures.peak_hz)), ("Note", note)],
        [("Level", decibels(figures.peak_db)), ("RMS", decibels(figures.rms_db))],
        [("Centroid", hertz(figures.centroid_hz)), ("", String::new())],
    ];
    for pair in pairs {
        let (all, _) = ui.allocate_exact_size(vec2(ui.available_width(), 20.0), Sense::hover());
        let half = all.width() / 2.0;
        for (i, (caption, text)) in pair.into_iter().enumerate().filter(|(_, (caption, _))| !caption.is_empty()) {
            let left = all.left() + i as f32 * (half + 6.0);
            let cell = egui::Rect::from_min_size(pos2(left, all.top()), vec2(half - 6.0, all.height()));
            let response = ui.interact(cell, ui.scope_id().with(("figure", caption)), Sense::hover());
            response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{caption} {text}")));
            let (font, strong) = (theme::regular(theme::BODY), theme::medium(theme::BODY));
            ui.painter().text(cell.left_center(), Align2::LEFT_CENTER, caption, font, palette.text_weak);
            ui.painter().text(cell.right_center(), Align2::RIGHT_CENTER, text, strong, palette.text_strong);
        }
    }
}

//! The transport: playback buttons, time, audition settings, values under the pointer, monitor gain and level meters.

use super::meter_row;
use crate::base::{Note, clock_from_secs, number};
use crate::playback::PlayerStatus;
use crate::widgets;
use crate::widgets::values::{Captioned, Value};
use crate::widgets::{ButtonStyle, theme};
use crate::workbench::commands::table::icons;
use crate::workbench::commands::{Command, EditCommand, Facts, PlayCommand};
use crate::workbench::{
    Acts, Difference, GAIN_DB, Hearing, Meter, Meters, Monitor, OpenDocument, PlayAct, Readout, SPEEDS, Transport,
};
use egui::{Align, Align2, Button, DragValue, Layout, Rect, RichText, Sense, Ui, pos2, vec2};

/// State that the transport shows.
pub struct Shown<'a> {
    /// The document.
    pub document: Option<&'a OpenDocument>,
    /// The values under the pointer.
    pub readout: Option<&'a Readout>,
    /// The audition setting: the part of the sound that is played.
    pub hearing: Hearing,
    /// Level of the last change, while that is played alone.
    pub difference: Option<Difference>,
}

/// Width of gain and meters at the right, in points.
const MONITOR_WIDTH: f32 = 300.0;
const SLIDER_WIDTH: f32 = 96.0;
const SPEED_WIDTH: f32 = 64.0;
/// Window width in points below which meters are hidden.
const NARROW: f32 = 800.0;

/// Draws the bar.
pub fn ui(ui: &mut Ui, facts: &Facts, shown: &Shown<'_>, transport: &Transport, acts: &mut Acts) {
    let width = ui.ctx().content_rect().width();
    ui.horizontal_centered(|ui| {
        ui.add_space(10.0);
        let look = ButtonStyle::icon(32.0, 18.0);
        widgets::command_icon(ui, facts, PlayCommand::ToStart, look, acts);
        let play = if facts.is_playing { PlayCommand::Pause } else { PlayCommand::PlayStop };
        let look_play = ButtonStyle { size: vec2(44.0, 36.0), is_filled: facts.is_playing, ..look };
        widgets::command_icon(ui, facts, play, look_play, acts);
        widgets::command_icon(ui, facts, PlayCommand::Stop, look, acts);
        widgets::command_icon(ui, facts, PlayCommand::Loop, look.on(transport.looping), acts);
        ui.add_space(8.0);
        time(ui, shown.document, &transport.status);
        let speed = shown.document.map_or(1.0, |document| transport.speed(document.id()));
        if width >= NARROW || speed != 1.0 {
            choose_speed(ui, speed, acts);
        }
        widgets::bar_rule(ui);
        let is_before = shown.document.is_some_and(|document| document.shows_before());
        for (command, is_on) in [
            (Command::Play(PlayCommand::BandOnly), shown.hearing == Hearing::Band),
            (Command::Play(PlayCommand::Delta), shown.hearing == Hearing::Delta),
            (Command::Edit(EditCommand::Before), is_before),
        ] {
            toggle(ui, facts, command, is_on, width >= 1400.0, acts);
        }
        if shown.hearing == Hearing::Delta {
            difference(ui, shown.difference);
        }
        widgets::bar_rule(ui);
        let slider_width = if width >= 1300.0 { SLIDER_WIDTH } else { 0.0 };
        readouts(ui, shown.readout, speed, MONITOR_WIDTH + slider_width);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(14.0);
            // The narrowest window has room only for the gain.
            if width >= NARROW {
                meters(ui, &transport.meters, acts);
                ui.add_space(8.0);
            }
            gain(ui, &transport.monitor, slider_width, acts);
        });
    });
}

/// Choice of the playback speed, as a fraction or multiple of normal speed.
fn choose_speed(ui: &mut Ui, speed: f64, acts: &mut Acts) {
    let label = |speed: f64| match speed < 1.0 {
        true => format!("1/{:.0}", 1.0 / speed),
        false => format!("{speed:.0}\u{d7}"),
    };
    if let Some(chosen) = widgets::choice(ui, "Playback speed", SPEED_WIDTH, speed, &SPEEDS, label) {
        acts.push(PlayAct::Speed(chosen));
    }
}

fn toggle(ui: &mut Ui, facts: &Facts, command: Command, is_on: bool, has_words: bool, acts: &mut Acts) {
    let spec = command.row();
    let enabled = command.enabled(facts);
    let palette = theme::palette(ui.ctx());
    let ink = match (enabled.is_ok(), is_on) {
        (false, _) => palette.text_off,
        (true, true) => palette.accent,
        (true, false) => palette.text,
    };
    let icon = RichText::new(spec.icon.unwrap_or(' ')).font(theme::icons(18.0)).color(ink);
    let button = Button::new((icon, RichText::new(if has_words { spec.name } else { "" }).color(ink)));
    let button = button.selected(is_on).frame(is_on).min_size(vec2(32.0, 32.0));
    let response = ui.add_enabled(enabled.is_ok(), button).accessible_name(spec.name);
    if response.clicked() {
        acts.push(command);
    }
    widgets::tooltip(response, command, enabled.err());
}

fn difference(ui: &mut Ui, difference: Option<Difference>) {
    let db = |level: Option<f64>| level.map_or("\u{2212}\u{221e}".into(), |db| number(db, 1));
    let text = difference.map_or(("\u{2026}".into(), ""), |found| (db(found.rms_db), "dB"));
    let response = widgets::figure(ui, "Difference", Some(text), 84.0);
    if let (Some(response), Some(found)) = (response, difference) {
        let peak = db(found.peak_db);
        response.on_hover_text(format!("RMS level of what the last stroke changed; its peak is {peak} dB."));
    }
}

fn time(ui: &mut Ui, document: Option<&OpenDocument>, status: &PlayerStatus) {
    let palette = theme::palette(ui.ctx());
    let secs = match document {
        Some(_) if status.playing => status.position_secs,
        Some(document) => document.cursor_secs(),
        None => 0.0,
    };
    let below = match document {
        Some(document) => format!("of {}", clock_from_secs(document.duration_secs())),
        None => "no file".into(),
    };
    let (rect, response) = ui.allocate_exact_size(vec2(118.0, 40.0), egui::Sense::hover());
    let text = clock_from_secs(secs);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, format!("Time {text} {below}")));
    let colour = if document.is_some() { palette.text_strong } else { palette.text_off };
    let painter = ui.painter();
    painter.text(rect.left_top(), egui::Align2::LEFT_TOP, &text, theme::medium(20.0), colour);
    let font = theme::regular(theme::CAPTION);
    painter.text(rect.left_bottom(), egui::Align2::LEFT_BOTTOM, below, font, palette.text_weak);
}

/// The values under the pointer, as many as fit.
fn readouts(ui: &mut Ui, readout: Option<&Readout>, speed: f64, room_after: f32) {
    ui.spacing_mut().item_spacing.x = 4.0;
    let hz = readout.map(|r| r.peak_hz.unwrap_or(r.hz));
    let note = hz.and_then(Note::from_hz).map(|note| (note.to_string(), ""));
    let level = readout.and_then(|r| r.level_db).map(|db| (number(f64::from(db), 1), "dB"));
    let heard = hz.map(|hz| (number(hz * speed, 1), "Hz"));
    let phase = readout.and_then(|r| r.phase_turns).map(|turns| (number(f64::from(turns), 3), "turn"));
    for (caption, text, width) in [
        ("Time", readout.map(|r| (clock_from_secs(r.secs), "")), 76.0),
        ("Frequency", hz.map(|hz| (number(hz, 1), "Hz")), 96.0),
        ("Heard", heard, if speed == 1.0 { 0.0 } else { 96.0 }),
        ("Note", note, 84.0),
        ("Level", level, 76.0),
        ("Phase", phase, 84.0),
    ] {
        if width == 0.0 {
            continue;
        }
        if ui.available_width() < width + room_after {
            return;
        }
        widgets::figure(ui, caption, text, width);
    }
}

/// Monitor gain, from right to left: number, slider, icon.
fn gain(ui: &mut Ui, monitor: &Monitor, slider_width: f32, acts: &mut Acts) {
    let palette = theme::palette(ui.ctx());
    let what = "Playback gain, never part of a file; a limiter keeps it at or below full scale.";
    let value = Value { name: "Monitor gain", what, width: 72.0, unit: "dB", caption: Captioned::Nothing };
    let db = monitor.gain_db;
    let mut edited_db = db;
    value.show(ui, DragValue::new(&mut edited_db).range(GAIN_DB[0]..=GAIN_DB[1]).speed(0.2).fixed_decimals(1));
    if slider_width > 0.0 {
        ui.spacing_mut().slider_width = slider_width;
        let slider = egui::Slider::new(&mut edited_db, GAIN_DB[0]..=GAIN_DB[1]).show_value(false);
        let response = ui.add(slider).accessible_name("Monitor gain slider").on_hover_text(what);
        if response.double_clicked() {
            edited_db = 0.0;
        }
    }
    if edited_db != db {
        acts.push(PlayAct::Gain(edited_db));
    }
    let colour = if db == 0.0 { palette.text_weak } else { palette.accent };
    widgets::sign(ui, icons::HEADPHONES, 18.0, colour);
}

/// Two level meters above a scale, with clip lights that stay on until clicked.
fn meters(ui: &mut Ui, meters: &Meters, acts: &mut Acts) {
    let palette = theme::palette(ui.ctx());
    let (rect, response) = ui.allocate_exact_size(vec2(164.0, 40.0), Sense::click());
    let spoken = |side: &str, meter: &Meter| {
        let db = number(f64::from(meter.held_db), 0);
        format!("{side} {db} dB{}", if meter.clipped { ", clipped" } else { "" })
    };
    let [left, right] = &meters.channels;
    let words = format!("Meters: {}, {}", spoken("left", left), spoken("right", right));
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &words));
    let painter = ui.painter();
    let bars = Rect::from_min_max(rect.left_top() + vec2(14.0, 4.0), rect.right_bottom() - vec2(20.0, 16.0));
    let caption = theme::regular(theme::CAPTION);
    for (i, (meter, name)) in meters.channels.iter().zip(["L", "R"]).enumerate() {
        let top = bars.top() + 11.0 * i as f32;
        let row = |x0: f32, x1: f32| Rect::from_min_max(pos2(x0, top), pos2(x1, top + 8.0));
        painter.text(pos2(rect.left(), top + 4.0), Align2::LEFT_CENTER, name, caption.clone(), palette.text_weak);
        let light = row(bars.right() + 4.0, rect.right());
        meter_row::draw(painter, row(bars.left(), bars.right()), light, meter, ui.visuals().dark_mode);
    }
    // Omits -6, which would overlap 0.
    for db in [-60.0, -36.0, -18.0, 0.0] {
        let text = number(f64::from(db), 0);
        let at = pos2(meter_row::x_from_db(bars, db), rect.bottom());
        painter.text(at, Align2::CENTER_BOTTOM, text, caption.clone(), palette.text_weak);
    }
    if response.clicked() {
        acts.push(PlayCommand::ClearClips);
    }
    widgets::tooltip(response, PlayCommand::ClearClips, None);
}

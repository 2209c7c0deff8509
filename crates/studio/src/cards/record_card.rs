//! The recording card: input device, levels and duration.

use super::card_parts::{CardAnswer, caption, heading, primary, weak};
use crate::bars::meter_row;
use crate::base::{clock_from_secs, khz_from_hz, number};
use crate::recording::{CapturePhase, CaptureStatus};
use crate::widgets;
use crate::widgets::{boxes, theme};
use crate::workbench::{InputMeters, RecordAnswer, RecordOptions, RecordedChannels, RecordingShown, Reply};
use egui::{Rect, RichText, Sense, Ui, pos2, vec2};

/// Sample rates to choose from; `None` is the input's own.
const RATES: [Option<u32>; 7] =
    [None, Some(44_100), Some(48_000), Some(88_200), Some(96_000), Some(176_400), Some(192_000)];
/// Maximum height of the list of inputs, in points.
const LIST_HEIGHT: f32 = 150.0;
/// Total height of the meters, in points.
const METERS_HEIGHT: f32 = 48.0;

fn reply(answer: RecordAnswer) -> Option<CardAnswer> {
    Some(CardAnswer::Reply(Reply::Record(answer)))
}

pub(crate) fn ui(ui: &mut Ui, options: &mut RecordOptions, shown: RecordingShown<'_>) -> Option<CardAnswer> {
    let mut answer = heading(ui, if shown.is_recording { "Recording" } else { "Record" });
    let before = options.clone();
    ui.add_enabled_ui(!shown.is_recording, |ui| choices(ui, options));
    if *options != before {
        answer = reply(RecordAnswer::Choose(options.clone()));
    }
    if meters(ui, shown.meters) {
        answer = reply(RecordAnswer::ClearClips);
    }
    match &shown.status.fault {
        Some(fault) => {
            let palette = theme::palette(ui.ctx());
            ui.label(RichText::new(crate::workbench::sentence(fault.message())).color(palette.danger));
        }
        None => weak(ui, &words(shown.status)),
    }
    ui.horizontal(|ui| match shown.is_recording {
        true => {
            if primary(ui, "Stop") {
                answer = reply(RecordAnswer::Stop);
            }
            if ui.button("Hide").on_hover_text("Closes this; the recording goes on.").clicked() {
                answer = Some(CardAnswer::Close);
            }
        }
        false => {
            ui.add_enabled_ui(shown.status.phase == CapturePhase::Listening, |ui| {
                if primary(ui, "Record") && ui.is_enabled() {
                    answer = reply(RecordAnswer::Start);
                }
            });
            if ui.button("Cancel").clicked() {
                answer = Some(CardAnswer::Close);
            }
        }
    });
    answer
}

/// State of the device and the recording, as text.
fn words(status: &CaptureStatus) -> String {
    let Some(format) = status.format else { return "Opening the input\u{2026}".into() };
    let rate = khz_from_hz(f64::from(format.rate_hz));
    let channels = match format.n_channels {
        1 => "mono".to_owned(),
        2 => "stereo".to_owned(),
        n => format!("{n} channels"),
    };
    let mut words = format!("{rate}, {channels}, 32 bit float");
    if status.is_recording() {
        words = format!("{}    {words}", clock_from_secs(status.secs()));
        if let Some(left) = status.left_secs {
            words += &format!("    {}", left_words(left));
        }
        if status.n_lost > 0 {
            words += &format!("    {} samples lost", status.n_lost);
        }
    }
    words
}

/// Remaining recording time on the disk, such as `3 h free`.
pub(crate) fn left_words(secs: f64) -> String {
    let (n, unit) = match secs {
        secs if secs >= 7200.0 => (secs / 3600.0, "h"),
        secs if secs >= 120.0 => (secs / 60.0, "min"),
        secs => (secs, "s"),
    };
    format!("{} {unit} free", n.min(9_999.0).floor())
}

fn choices(ui: &mut Ui, options: &mut RecordOptions) {
    egui::ScrollArea::vertical().max_height(LIST_HEIGHT).show(ui, |ui| {
        ui.set_width(ui.available_width());
        if boxes::radio(ui, options.device.is_none(), "System default").clicked() {
            options.device = None;
        }
        for name in options.devices.clone() {
            if boxes::radio(ui, options.device.as_ref() == Some(&name), &name).clicked() {
                options.device = Some(name);
            }
        }
    });
    ui.horizontal(|ui| {
        let name = caption(ui, "Channels");
        let all = RecordedChannels::ALL;
        if let Some(channels) =
            widgets::named_choice(ui, name, "Channels", 90.0, options.channels, &all, |one| one.label().into())
        {
            options.channels = channels;
        }
        let name = caption(ui, "Sample rate");
        let label = |rate: Option<u32>| match rate {
            Some(rate_hz) => khz_from_hz(f64::from(rate_hz)),
            None => "Input's own".into(),
        };
        if let Some(rate_hz) = widgets::named_choice(ui, name, "Sample rate", 110.0, options.rate_hz, &RATES, label) {
            options.rate_hz = rate_hz;
        }
    });
}

/// A meter per channel, with a clip light that stays on until the meters are clicked. Returns whether they were.
fn meters(ui: &mut Ui, meters: &InputMeters) -> bool {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), METERS_HEIGHT), Sense::click());
    let spoken = meters.channels.iter().enumerate().map(|(channel, meter)| {
        let clipped = if meter.clipped { ", clipped" } else { "" };
        format!("{} {} dB{clipped}", channel + 1, number(f64::from(meter.held_db), 0))
    });
    let words = format!("Input level: {}", spoken.collect::<Vec<_>>().join("; "));
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &words));
    let height = METERS_HEIGHT / meters.channels.len().max(1) as f32;
    for (channel, meter) in meters.channels.iter().enumerate() {
        let top = rect.top() + height * channel as f32;
        let bottom = top + (height - 2.0).clamp(1.0, 16.0);
        let part = |x0: f32, x1: f32| Rect::from_min_max(pos2(x0, top), pos2(x1, bottom));
        let (bar, light) = (part(rect.left(), rect.right() - 24.0), part(rect.right() - 20.0, rect.right()));
        meter_row::draw(ui.painter(), bar, light, meter, ui.visuals().dark_mode);
    }
    let is_clicked = response.clicked();
    response.on_hover_text("Peak level of each channel, down to \u{2212}60 dB. Click to reset the clip indicators.");
    is_clicked
}

pub(crate) fn still_recording(ui: &mut Ui) -> Option<CardAnswer> {
    let mut answer = heading(ui, "A recording is running");
    weak(ui, "Quitting stops it. You are then asked whether to keep it.");
    ui.horizontal(|ui| {
        if primary(ui, "Keep recording") {
            answer = Some(CardAnswer::Close);
        }
        let danger = theme::palette(ui.ctx()).danger;
        if ui.button(RichText::new("Stop and quit").color(danger)).clicked() {
            answer = reply(RecordAnswer::StopAndQuit);
        }
    });
    answer
}

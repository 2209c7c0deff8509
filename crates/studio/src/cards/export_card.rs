//! The export card: path, preset, and all settings of a delivery.

use super::card_parts::{
    CardAnswer, CardContext, captioned, expanded, heading, primary, select_name, takes_enter, weak,
};
use super::delivery_rows;
use super::export_presets::{self, ChosenPreset};
use crate::base::{clock_from_secs, number, shown_path};
use crate::document::brushes::Normalise;
use crate::document::{Delivery, LevelTarget};
use crate::media::{Clipping, Container};
use crate::widgets::{boxes, theme};
use crate::workbench::{ClippingShown, ExportOptions, Purpose, Reply, named_by_pattern};
use egui::{RichText, Ui};
use std::path::{Path, PathBuf};

/// Width of the card's content, in points.
pub const WIDTH: f32 = 560.0;

/// Draws the card. `text` is the path; `replaces` an existing file that the user was warned of overwriting.
pub fn ui(
    ui: &mut Ui,
    options: &mut ExportOptions,
    text: &mut String,
    replaces: &mut Option<PathBuf>,
    about: &CardContext<'_>,
    is_new: bool,
) -> Option<CardAnswer> {
    let mut answer = heading(ui, &format!("Export {}", about.name));
    let entered = path(ui, text, replaces, is_new);
    let is_naming = options.naming.is_some();
    let ExportOptions { delivery, preset, naming, .. } = &mut *options;
    let of_presets = export_presets::row(ui, ChosenPreset { delivery, preset, naming }, text, about.export.presets);
    if let Some(chosen) = of_presets.chosen {
        *text = path_for(text, &chosen, about.export.own_container);
        *replaces = None;
        *options.delivery = chosen;
    }
    let container = choices(ui, options, text, replaces, about);
    if options.delivery.container.is_some() {
        // The extension typed in the path takes precedence.
        options.delivery.container = Some(container);
    }
    // An export before closing a file always covers the whole file.
    if let Some([start, end]) = about.selected_secs.filter(|_| options.then.is_none()) {
        let [from, to] = [start, end].map(clock_from_secs);
        let part = boxes::checkbox(ui, &mut options.is_selection, format!("Export the selection only, {from} to {to}"));
        if part.on_hover_text("The selected range of time, at all frequencies.").changed() {
            *text = named_for(text, options.is_selection);
            *replaces = None;
        }
    }
    outcome(ui, options, text, about);
    ui.horizontal(|ui| {
        let button = if replaces.is_some() { "Replace" } else { "Export" };
        // Enter in the name of a preset saves the preset.
        if (primary(ui, button) || entered) && !is_naming && !text.trim().is_empty() {
            let (purpose, path) = (Purpose::Export(options.clone()), expanded(text));
            answer = Some(CardAnswer::Reply(Reply::Path { purpose, path, replaces: replaces.clone() }));
        }
        if ui.button("Save as\u{2026}").on_hover_text("Choose the place in a file dialog.").clicked() {
            answer = Some(CardAnswer::Reply(Reply::ExportWhere(options.clone())));
        }
        // Cancelling an export before closing keeps the file open.
        if ui.button(if options.then.is_some() { "Keep editing" } else { "Cancel" }).clicked() {
            answer = Some(CardAnswer::Close);
        }
    });
    of_presets.answer.map(|answer| CardAnswer::Reply(Reply::Preset(answer))).or(answer)
}

/// The path field; returns whether Enter was pressed in it.
fn path(ui: &mut Ui, text: &mut String, replaces: &mut Option<PathBuf>, is_new: bool) -> bool {
    let field = captioned(ui, "Path", |ui, name| {
        let hint = "A sound, such as /home/you/sound.wav";
        let field = ui.add(egui::TextEdit::singleline(text).desired_width(f32::INFINITY).hint_text(hint));
        field.labelled_by(name).accessible_name("Path")
    });
    let what = "The file to write. Its name may have fields: {name}, {start} and {end}, as in {name}_{start}.wav.";
    let field = field.on_hover_text(what);
    if field.changed() {
        *replaces = None;
    }
    if is_new {
        field.request_focus();
        select_name(ui.ctx(), field.id, text);
    }
    if replaces.is_some() {
        let palette = theme::palette(ui.ctx());
        ui.label(RichText::new("This file already exists and would be replaced.").color(palette.danger));
    }
    field.lost_focus() && takes_enter(ui.ctx())
}

/// The path with the file name and extension of a preset.
fn path_for(text: &str, preset: &Delivery, own: Container) -> String {
    let path = Path::new(text.trim());
    let container = preset.container_for(own);
    let path = match &preset.name {
        Some(name) => path.with_file_name(format!("{name}.{}", container.ending())),
        None if Container::of(path) == container && path.extension().is_some() => path.to_path_buf(),
        None => path.with_extension(container.ending()),
    };
    path.to_string_lossy().into_owned()
}

/// Draws all settings; returns the container.
fn choices(
    ui: &mut Ui,
    options: &mut ExportOptions,
    text: &mut String,
    replaces: &mut Option<PathBuf>,
    about: &CardContext<'_>,
) -> Container {
    delivery_rows::ui(ui, &mut options.delivery, about, |ui, delivery| kind(ui, delivery, text, replaces))
}

/// The choice of the container. The current one is given by the path's extension; choosing another replaces it.
fn kind(ui: &mut Ui, delivery: &mut Delivery, text: &mut String, replaces: &mut Option<PathBuf>) -> Container {
    let now = Container::of(Path::new(text.trim()));
    let mut chosen = now;
    delivery_rows::kinds(ui, &mut chosen, &Container::ALL, |container| container.name().to_string());
    if chosen != now {
        let path = Path::new(text.trim()).with_extension(chosen.ending());
        *text = path.to_string_lossy().into_owned();
        *replaces = None;
        delivery.container = Some(chosen);
    }
    chosen
}

/// Shows the file name that a pattern produces, and whether samples would clip.
fn outcome(ui: &mut Ui, options: &mut ExportOptions, text: &str, about: &CardContext<'_>) {
    let palette = theme::palette(ui.ctx());
    let refused = |ui: &mut Ui, what: &str| {
        ui.label(RichText::new(crate::workbench::sentence(what)).color(palette.danger));
    };
    if text.contains('{') {
        let secs = about.selected_secs.filter(|_| options.is_selection).unwrap_or([0.0, about.export.secs]);
        let stem = Path::new(&about.name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        match named_by_pattern(&expanded(text), &stem.unwrap_or_default(), secs) {
            Ok(path) => {
                let name = path.file_name().map(|name| shown_path(Path::new(name))).unwrap_or_default();
                weak(ui, &format!("Named {name}."));
            }
            Err(error) => refused(ui, error.message()),
        }
    }
    match about.export.clipping {
        ClippingShown::Pending => weak(ui, "Looking for samples that would clip\u{2026}"),
        ClippingShown::Refused(why) => refused(ui, why),
        ClippingShown::Known(Clipping { n_samples: 0, .. }) => weak(
            ui,
            match is_plain(&options.delivery) && keeps_bits(Container::of(Path::new(text.trim())), about) {
                true => "Nothing clips. Samples outside your edits are written unchanged.",
                false => "Nothing clips.",
            },
        ),
        ClippingShown::Known(clipping) => {
            ui.horizontal(|ui| {
                let samples = match clipping.n_samples {
                    1 => "1 sample would clip".to_owned(),
                    n => format!("{} samples would clip", number(n as f64, 0)),
                };
                let what = format!("{samples}, by up to {} dB.", number(clipping.over_db, 1));
                ui.label(RichText::new(what).color(palette.danger));
                let peak = format!("Gives the loudest sample {} dBFS.", number(Normalise::PEAK_DB, 0));
                if ui.button("Normalise").on_hover_text(peak).clicked() {
                    options.delivery.level = LevelTarget::Peak(Normalise::PEAK_DB);
                }
            });
        }
    }
}

/// Whether a container is certain to preserve the source's samples. FLAC has no float samples, so it qualifies only if
/// the source is FLAC.
fn keeps_bits(container: Container, about: &CardContext<'_>) -> bool {
    !container.is_lossy() && (container != Container::Flac || about.export.own_container == Container::Flac)
}

/// Whether the settings write samples unchanged.
fn is_plain(delivery: &Delivery) -> bool {
    let Delivery { format, channels, level, rate_hz, .. } = delivery;
    let usual = Delivery::default();
    (*format, *channels, *level, *rate_hz) == (usual.format, usual.channels, usual.level, usual.rate_hz)
}

/// The path after switching between the selection and the whole file: replaces a suggested suffix, `-edited` or
/// `-part`, by the other, and keeps a name typed by the user.
fn named_for(text: &str, is_selection: bool) -> String {
    let (from, to) = if is_selection { ("-edited.", "-part.") } else { ("-part.", "-edited.") };
    match text.rsplit_once(from) {
        Some((stem, ending)) if !ending.contains(['/', '.']) => format!("{stem}{to}{ending}"),
        _ => text.to_owned(),
    }
}

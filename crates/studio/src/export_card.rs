//! Asks how and where to export: path, type, format and dither on one card.

use super::card_parts::{
    About, CardAnswer, captioned, expanded, heading, path_field, primary, select_name, takes_enter, weak,
};
use super::{theme, widgets};
use crate::base::clock_from_secs;
use crate::media::{Container, Dither, ExportFormat, SampleFormat};
use crate::workbench::{ExportWish, Purpose, Reply};
use egui::{RichText, Ui};
use std::path::{Path, PathBuf};

/// Draws it; `text` is the path, `replaces` a file there that the user was told of.
pub fn ui(
    ui: &mut Ui,
    wish: &mut ExportWish,
    text: &mut String,
    replaces: &mut Option<PathBuf>,
    about: &About<'_>,
    is_new: bool,
) -> Option<CardAnswer> {
    let mut answer = heading(ui, &format!("Export {}", about.name));
    let entered = path(ui, text, replaces, is_new);
    let container = container(ui, text, replaces);
    // Lossy files hold no samples.
    if !container.is_lossy() {
        format(ui, wish, container, about);
        dither(ui, wish, container, about);
    }
    // Before a file closes all of it is exported.
    if let Some([start, end]) = about.selected_secs.filter(|_| wish.then.is_none()) {
        let [from, to] = [start, end].map(clock_from_secs);
        let part = ui.checkbox(&mut wish.is_selection, format!("Export the selection only, {from} to {to}"));
        if part.on_hover_text("The selected range of time, at all frequencies.").changed() {
            *text = named_for(text, wish.is_selection);
            *replaces = None;
        }
    }
    weak(ui, "Writes a new file. Samples outside your edits are written unchanged.");
    ui.horizontal(|ui| {
        let button = if replaces.is_some() { "Replace" } else { "Export" };
        if (primary(ui, button) || entered) && !text.trim().is_empty() {
            let (purpose, path) = (Purpose::Export(wish.clone()), expanded(text));
            answer = Some(CardAnswer::Reply(Reply::Path { purpose, path, replaces: replaces.clone() }));
        }
        if ui.button("Save as\u{2026}").on_hover_text("Choose the place in a file dialog.").clicked() {
            answer = Some(CardAnswer::Reply(Reply::ExportWhere(wish.clone())));
        }
        // A file that is about to close stays open.
        if ui.button(if wish.then.is_some() { "Keep editing" } else { "Cancel" }).clicked() {
            answer = Some(CardAnswer::Close);
        }
    });
    answer
}

/// The field; whether Enter was pressed in it.
fn path(ui: &mut Ui, text: &mut String, replaces: &mut Option<PathBuf>, is_new: bool) -> bool {
    let field = path_field(ui, text, "A sound, such as /home/you/sound.wav");
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

/// The kind of file, which the ending of the name states.
fn container(ui: &mut Ui, text: &mut String, replaces: &mut Option<PathBuf>) -> Container {
    let now = Container::of(Path::new(text.trim()));
    captioned(ui, "Type", |ui, caption| {
        let label = |container: Container| container.name().to_string();
        let chosen = widgets::named_choice(ui, caption, "Type", 120.0, now, &Container::ALL, label);
        match chosen.filter(|chosen| *chosen != now) {
            Some(chosen) => {
                let path = Path::new(text.trim()).with_extension(chosen.ending());
                *text = path.to_string_lossy().into_owned();
                *replaces = None;
                chosen
            }
            None => now,
        }
    })
}

fn format(ui: &mut Ui, wish: &mut ExportWish, container: Container, about: &About<'_>) {
    let formats: &[ExportFormat] = match container {
        Container::Wav | Container::Mp3 | Container::Opus => &[
            ExportFormat::Source,
            ExportFormat::Pcm16,
            ExportFormat::Pcm24,
            ExportFormat::Pcm32,
            ExportFormat::Float32,
        ],
        Container::Flac => &[ExportFormat::Source, ExportFormat::Pcm16, ExportFormat::Pcm24, ExportFormat::Pcm32],
    };
    // FLAC holds no floats.
    if !formats.contains(&wish.format) {
        wish.format = ExportFormat::Pcm24;
    }
    captioned(ui, "Format", |ui, caption| {
        let label = |format| format_name(format, about.source_format, container);
        if let Some(format) = widgets::named_choice(ui, caption, "Format", 240.0, wish.format, formats, label) {
            wish.format = format;
        }
    });
}

fn dither(ui: &mut Ui, wish: &mut ExportWish, container: Container, about: &About<'_>) {
    let source_is_float = !matches!(about.source_format, Some(SampleFormat::Pcm { .. }));
    let is_float = container == Container::Wav
        && (wish.format == ExportFormat::Float32 || wish.format == ExportFormat::Source && source_is_float);
    captioned(ui, "Dither", |ui, caption| {
        if is_float {
            weak(ui, "None: floats are written unchanged, even beyond full scale.");
            return;
        }
        let label = |dither| {
            match dither {
                None => "Automatic (16 bits and below)",
                Some(Dither::Tpdf) => "TPDF",
                Some(Dither::None) => "None",
            }
            .to_string()
        };
        let all = [None, Some(Dither::Tpdf), Some(Dither::None)];
        if let Some(dither) = widgets::named_choice(ui, caption, "Dither", 240.0, wish.dither, &all, label) {
            wish.dither = dither;
        }
    });
}

fn format_name(format: ExportFormat, source: Option<SampleFormat>, container: Container) -> String {
    match (format, container) {
        (ExportFormat::Source, _) => match (source, container) {
            (Some(SampleFormat::Pcm { bits }), _) => format!("Same as source ({bits} bit)"),
            (Some(_), Container::Flac) => "24 bit (FLAC holds no floats)".into(),
            (Some(SampleFormat::Float32), _) => "Same as source (32-bit float)".into(),
            (Some(SampleFormat::Float64), _) => "Same as source (64-bit float)".into(),
            (Some(SampleFormat::Lossy), _) => "As decoded (32-bit float)".into(),
            (None, _) => "Same as source".into(),
        },
        (ExportFormat::Pcm16, _) => "16 bit".into(),
        (ExportFormat::Pcm24, _) => "24 bit".into(),
        (ExportFormat::Pcm32, Container::Flac) => "32 bit (few players read it)".into(),
        (ExportFormat::Pcm32, _) => "32 bit".into(),
        (ExportFormat::Float32, _) => "32-bit float".into(),
    }
}

/// A suggested name follows what is exported; a name of the user's own stays.
fn named_for(text: &str, is_selection: bool) -> String {
    let (from, to) = if is_selection { ("-edited.", "-part.") } else { ("-part.", "-edited.") };
    match text.rsplit_once(from) {
        Some((stem, ending)) if !ending.contains(['/', '.']) => format!("{stem}{to}{ending}"),
        _ => text.to_owned(),
    }
}

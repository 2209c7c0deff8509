//! The card of an export by label: settings, and a summary of the files that will be written.

use super::card_parts::{CardAnswer, CardContext, caption, captioned, chosen_path, expanded, heading, primary, weak};
use super::delivery_rows;
use super::export_presets::{self, ChosenPreset};
use crate::document::PartsConflict;
use crate::document::labels::NamePattern;
use crate::media::Container;
use crate::widgets;
use crate::widgets::short_names::without_middle;
use crate::widgets::values::{Captioned, Value};
use crate::widgets::{boxes, theme};
use crate::workbench::bench::limits::{FADE_MS, PAD_SECS};
use crate::workbench::{PartLabels, PartsOptions, PartsShown, PartsTableKind, PlannedParts, Reply, name_of, sentence};
use egui::{DragValue, RichText, TextEdit, Ui};
use std::path::Path;

/// Window height in points below which rows are closer together.
const LOW_HEIGHT: f32 = 480.0;
/// Width of the field of the name pattern, in points.
const NAMES: f32 = 286.0;
/// Widths of the table list, of the list of labels, and of the text pattern.
const TABLE: f32 = 130.0;
const LABELS: f32 = 126.0;
const TEXT: f32 = 116.0;
/// Width of a number field.
const NUMBER: f32 = 64.0;
/// Maximum number of characters of a displayed file name.
const MAX_SHOWN_CHARS: usize = 44;

/// Help on the fields of a name pattern.
const FIELDS: &str =
    "How files are called, of {name}, {label}, {n}, {n:03}, {start}, {end}, {low}, {high}, {channel} and {id}.";

/// Draws the card.
pub(crate) fn ui(ui: &mut Ui, options: &mut PartsOptions, about: &CardContext<'_>, is_new: bool) -> Option<CardAnswer> {
    if ui.ctx().content_rect().height() < LOW_HEIGHT {
        ui.spacing_mut().item_spacing.y = 3.0;
    }
    let mut answer = heading(ui, &format!("Export {} by label", about.name));
    let (field, asks) = chosen_path(ui, &mut options.folder, "Folder", "A folder, such as /home/you/calls");
    if is_new {
        field.request_focus();
    }
    if asks {
        answer = Some(CardAnswer::Reply(Reply::ExportPartsWhere(Box::new(options.clone()))));
    }
    names(ui, options);
    labels(ui, options);
    edges(ui, options);
    let is_naming = options.naming.is_some();
    let own = about.export.own_container;
    let container = options.delivery.container_for(own);
    // A preset includes the name pattern.
    let path = format!("{}.{}", options.pattern.trim(), container.ending());
    let PartsOptions { delivery, preset, naming, .. } = &mut *options;
    let of_presets = export_presets::row(ui, ChosenPreset { delivery, preset, naming }, &path, about.export.presets);
    if let Some(chosen) = of_presets.chosen {
        if let Some(name) = &chosen.name {
            options.pattern = name.clone();
        }
        *options.delivery = chosen;
    }
    delivery_rows::ui(ui, &mut options.delivery, about, |ui, delivery| {
        let all: Vec<Option<Container>> = std::iter::once(None).chain(Container::ALL.map(Some)).collect();
        delivery_rows::kinds(ui, &mut delivery.container, &all, |kind| match kind {
            Some(container) => container.name().to_owned(),
            None => format!("As the sound: {}", own.name()),
        });
        delivery.container_for(own)
    });
    let is_ready = outcome(ui, about.export.parts);
    ui.horizontal(|ui| {
        ui.add_enabled_ui(is_ready, |ui| {
            // Enter in the name of a preset saves the preset.
            if primary(ui, "Export") && ui.is_enabled() && !is_naming {
                let folder = expanded(&options.folder);
                answer = Some(CardAnswer::Reply(Reply::ExportParts(Box::new(options.clone()), folder)));
            }
        });
        if ui.button("Cancel").clicked() {
            answer = Some(CardAnswer::Close);
        }
        boxes::checkbox(ui, &mut options.replaces, "Replace files that are there");
    });
    of_presets.answer.map(|answer| CardAnswer::Reply(Reply::Preset(answer))).or(answer)
}

/// Draws the name pattern and the kind of table.
fn names(ui: &mut Ui, options: &mut PartsOptions) {
    captioned(ui, "Names", |ui, name| {
        let field =
            TextEdit::singleline(&mut options.pattern).desired_width(NAMES).hint_text(NamePattern::DEFAULT_PATTERN);
        ui.add(field).labelled_by(name).accessible_name("Names").on_hover_text(FIELDS);
        let name = caption(ui, "Table");
        let label = |table: PartsTableKind| {
            match table {
                PartsTableKind::None => "None",
                PartsTableKind::Csv => "CSV",
                PartsTableKind::HuggingFace => "Hugging Face",
            }
            .to_owned()
        };
        if let Some(table) = widgets::named_choice(ui, name, "Table", TABLE, options.table, &PartsTableKind::ALL, label)
        {
            options.table = table;
        }
    });
}

/// Draws the choice of labels to export.
fn labels(ui: &mut Ui, options: &mut PartsOptions) {
    captioned(ui, "Labels", |ui, name| {
        let is_filtered = !options.listed.trim().is_empty();
        let listed = is_filtered.then_some(PartLabels::Listed);
        let all: Vec<PartLabels> = [PartLabels::All, PartLabels::WithText].into_iter().chain(listed).collect();
        let label = |labels: PartLabels| {
            match labels {
                PartLabels::All => "All labels",
                PartLabels::WithText => "With this text",
                PartLabels::Listed => "As listed",
            }
            .to_owned()
        };
        if let Some(labels) = widgets::named_choice(ui, name, "Labels", LABELS, options.labels, &all, label) {
            options.labels = labels;
        }
        if options.labels == PartLabels::WithText {
            let name = caption(ui, "Text");
            let field = ui.add(TextEdit::singleline(&mut options.text).desired_width(TEXT).hint_text("call*"));
            let what = "* stands for any letters, ? for one.";
            field.labelled_by(name).accessible_name("Text").on_hover_text(what);
        }
        let what = "Cuts the whole sound at its markers instead of taking ranges out of it.";
        boxes::checkbox(ui, &mut options.splits, "Split at markers").on_hover_text(what);
    });
}

/// Draws padding and fades of each range, and the choice to export only its band.
fn edges(ui: &mut Ui, options: &mut PartsOptions) {
    let number = |ui: &mut Ui, (name, what, unit): (&str, &str, &str), value: &mut f64, [min, max]: [f64; 2]| {
        let caption = caption(ui, name);
        let field = Value { name, what, width: NUMBER, unit, caption: Captioned::Nothing };
        let speed = if unit == "s" { 0.01 } else { 0.5 };
        field.show_within(ui, DragValue::new(value).speed(speed).max_decimals(3), min..=max).labelled_by(caption);
    };
    ui.horizontal(|ui| {
        let takes_ranges = !options.splits;
        ui.add_enabled_ui(takes_ranges, |ui| {
            number(ui, ("Before", "Sound before each range.", "s"), &mut options.pad_secs[0], PAD_SECS);
            number(ui, ("After", "Sound after each range.", "s"), &mut options.pad_secs[1], PAD_SECS);
        });
        number(ui, ("Fade", "Fades both ends of each file.", "ms"), &mut options.fade_ms, FADE_MS);
        ui.add_enabled_ui(takes_ranges, |ui| {
            let what = "Writes only what sounds in the band of each label.";
            boxes::checkbox(ui, &mut options.is_band_only, "Only the box's band").on_hover_text(what);
        });
    });
}

/// Describes the files to be written, or the reason why they cannot be; returns whether they can.
fn outcome(ui: &mut Ui, shown: PartsShown<'_>) -> bool {
    let refused = |ui: &mut Ui, what: &str| {
        let palette = theme::palette(ui.ctx());
        ui.label(RichText::new(what).color(palette.danger));
        false
    };
    match shown {
        PartsShown::Pending => weak(ui, "Counting the files\u{2026}"),
        PartsShown::Refused(why) => return refused(ui, &sentence(why)),
        PartsShown::Planned(PlannedParts { hindrance: Some(hindrance), .. }) => {
            return refused(ui, &hindrance_words(hindrance));
        }
        PartsShown::Planned(planned) => weak(ui, &planned_words(planned)),
    }
    true
}

fn shown_name(name: &str) -> String {
    without_middle(name, |name| name.chars().count() <= MAX_SHOWN_CHARS)
}

/// Summary such as `Writes 24 files, crow_001_call.wav first, and crow-parts.csv.`
fn planned_words(planned: &PlannedParts) -> String {
    let first = shown_name(&planned.first);
    let files = match planned.n_files {
        1 => format!("Writes {first}"),
        n => format!("Writes {n} files, {first} first"),
    };
    let table = match &planned.table {
        Some(table) => format!(", and {}", shown_name(table)),
        None => String::new(),
    };
    let outside = match planned.n_outside {
        0 => String::new(),
        1 => " 1 label has no sound of its own.".into(),
        n => format!(" {n} labels have no sound of their own."),
    };
    format!("{files}{table}.{outside}")
}

fn hindrance_words(hindrance: &PartsConflict) -> String {
    let name = |path: &Path| shown_name(&name_of(path));
    match hindrance {
        PartsConflict::OwnFile(path) => {
            format!("{} is the sound itself. Choose another folder or other names.", name(path))
        }
        PartsConflict::Present { first, n: 1 } => {
            format!("{} is already there. Choose another folder, or tick Replace.", name(first))
        }
        PartsConflict::Present { first, n } => {
            format!("{} and {} more are already there. Choose another folder, or tick Replace.", name(first), n - 1)
        }
        PartsConflict::NoFolder(path) => format!("{} is a file. Choose a folder.", name(path)),
    }
}

//! The row of presets on the export card: the chosen preset, or the field that names a new one.

use super::card_parts::{captioned, takes_enter};
use crate::document::{Delivery, ExportPreset, ExportPresets};
use crate::media::Container;
use crate::widgets;
use crate::workbench::PresetAnswer;
use egui::{Button, Ui};
use std::path::Path;

/// Result of drawing the row.
#[derive(Default)]
pub struct PresetRow {
    /// Settings of a preset that was just chosen.
    pub chosen: Option<Delivery>,
    /// A request to save or remove a preset.
    pub answer: Option<PresetAnswer>,
}

/// The state of an export card that the row of presets changes.
pub struct ChosenPreset<'a> {
    /// The settings on the card.
    pub delivery: &'a mut Delivery,
    /// Name of the preset chosen last.
    pub preset: &'a mut Option<String>,
    /// The name being typed for a new preset, if any.
    pub naming: &'a mut Option<String>,
}

/// Draws the row; `text` is the path, whose file name may be a pattern.
pub fn row(ui: &mut Ui, options: ChosenPreset<'_>, text: &str, presets: Option<&ExportPresets>) -> PresetRow {
    match options.naming.take() {
        Some(name) => naming(ui, options, text, name),
        None => choosing(ui, options, presets),
    }
}

fn choosing(ui: &mut Ui, options: ChosenPreset<'_>, presets: Option<&ExportPresets>) -> PresetRow {
    let mut done = PresetRow::default();
    let none = ExportPresets::default();
    let all = &presets.unwrap_or(&none).presets;
    // A preset is current only while the settings equal its own.
    let is_of = |preset: &&ExportPreset| {
        Some(&preset.name) == options.preset.as_ref()
            && preset.delivery == Delivery { container: preset.delivery.container, ..options.delivery.clone() }
            && preset.delivery.container.is_none_or(|container| options.delivery.container == Some(container))
    };
    let current = all.iter().position(|preset| is_of(&preset));
    captioned(ui, "Preset", |ui, caption| {
        let choices: Vec<Option<usize>> = std::iter::once(None).chain((0..all.len()).map(Some)).collect();
        let label = |index: Option<usize>| match index.and_then(|index| all.get(index)) {
            Some(preset) => preset.name.clone(),
            None => "None".into(),
        };
        let chosen = widgets::named_choice(ui, caption, "Preset", 166.0, current, &choices, label);
        if let Some(chosen) = chosen {
            let preset = chosen.and_then(|index| all.get(index));
            *options.preset = preset.map(|preset| preset.name.clone());
            done.chosen = Some(preset.map(|preset| preset.delivery.clone()).unwrap_or_default());
        }
        if ui.button("Save as preset\u{2026}").on_hover_text("Keeps these choices by a name.").clicked() {
            *options.naming = Some(options.preset.clone().unwrap_or_default());
            // Frees the focus for the name field.
            ui.memory_mut(|memory| memory.focused().into_iter().for_each(|id| memory.surrender_focus(id)));
        }
        let own = current.and_then(|index| all.get(index)).filter(|preset| preset.is_users);
        let remove = ui.add_enabled(own.is_some(), Button::new("Remove preset"));
        let remove = remove.on_disabled_hover_text("Choose a preset that you saved.");
        if let (true, Some(preset)) = (remove.clicked(), own) {
            done.answer = Some(PresetAnswer::Remove(preset.name.clone()));
            *options.preset = None;
        }
    });
    done
}

fn naming(ui: &mut Ui, options: ChosenPreset<'_>, text: &str, mut name: String) -> PresetRow {
    let mut done = PresetRow::default();
    captioned(ui, "Name", |ui, caption| {
        let field = ui.add(egui::TextEdit::singleline(&mut name).desired_width(166.0).hint_text("Name of the preset"));
        let field = field.labelled_by(caption).accessible_name("Name of the preset");
        let is_first = ui.memory(|memory| memory.focused().is_none());
        let entered = field.lost_focus() && takes_enter(ui.ctx());
        if is_first && !entered {
            field.request_focus();
        }
        let saves = ui.button("Save preset").clicked() || entered;
        if saves && !name.trim().is_empty() {
            // The preset includes the container and name pattern of the path.
            let path = Path::new(text.trim());
            let pattern = path.file_stem().map(|stem| stem.to_string_lossy()).filter(|stem| stem.contains('{'));
            options.delivery.container = Some(Container::of(path));
            options.delivery.name = pattern.map(String::from);
            *options.preset = Some(name.trim().to_owned());
            done.answer = Some(PresetAnswer::Keep(name, Box::new(options.delivery.clone())));
        } else if !ui.button("Do not save").clicked() {
            *options.naming = Some(name);
        }
    });
    done
}

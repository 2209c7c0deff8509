//! The option bar during a preview: settings of the edit, the choice of the sound played, and buttons to apply or
//! cancel.

use super::super::options::heal_options;
use super::super::widgets::segments::segments;
use super::super::widgets::theme;
use super::super::widgets::{self, ButtonStyle};
use super::options::{OptionContext, brush_options, noise, parameters_of_tool, presets, strength};
use super::{overflow, repair_options};
use crate::workbench::commands::table::icons;
use crate::workbench::commands::{Command, FindCommand, PreviewCommand, ToolCommand};
use crate::workbench::{Act, Acts, EditPreview, OpenDocument, PreviewKind, Repair, Tool, ToolSettings, Tools};
use egui::{Align, Layout, RichText, Ui};

/// Window width in points below which texts are shorter or omitted, to make room for the settings.
const NARROW: f32 = 1400.0;
/// Space after the last button, in points.
const TRAILING_SPACE: f32 = 10.0;
/// Width of an icon with its gap, in points.
const ICON: f32 = 36.0;
const APPLY: &str = "Apply";
const CANCEL: &str = "Cancel";

/// Draws the bar for a document's preview, whose settings are among those of `tools`.
pub(super) fn bar(
    ui: &mut Ui,
    shown: OptionContext<'_>,
    tools: &Tools,
    document: &OpenDocument,
    preview: &EditPreview,
    acts: &mut Acts,
) {
    let palette = theme::palette(ui.ctx());
    let is_narrow = ui.ctx().content_rect().width() < NARROW;
    let mut edited = tools.settings().clone();
    ui.horizontal_centered(|ui| {
        ui.add_space(14.0);
        widgets::sign(ui, icons::EYE, 18.0, palette.accent);
        let name = if is_narrow {
            name_of(preview.kind()).to_owned()
        } else {
            format!("Preview: {}", name_of(preview.kind()))
        };
        ui.label(RichText::new(name).font(theme::semibold(theme::BODY)).color(palette.text_strong));
        widgets::bar_rule(ui);
        let is_compared = preview.kind() == PreviewKind::Heal;
        let segments_width = if is_narrow { 164.0 } else { 234.0 };
        let buttons = [APPLY, CANCEL].map(|text| widgets::button_width(ui, text) + 8.0);
        let others_width =
            TRAILING_SPACE + buttons.iter().sum::<f32>() + ICON * if is_compared { 3.0 } else { 2.0 } + 8.0;
        let mut show = |ui: &mut Ui, acts: &mut Acts| {
            found(ui, preview);
            fields(ui, shown, preview, &mut edited, acts);
            presets(ui, shown, acts);
        };
        overflow::in_bar(ui, segments_width + others_width, |ui| show(ui, acts));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(TRAILING_SPACE);
            widgets::command_button(ui, shown.facts, PreviewCommand::Apply, APPLY, acts);
            widgets::command_button(ui, shown.facts, PreviewCommand::Cancel, CANCEL, acts);
            let icon = ButtonStyle::icon(28.0, 16.0);
            if is_compared {
                let is_on = preview.comparison().is_some();
                widgets::command_icon(ui, shown.facts, PreviewCommand::Compare, icon.on(is_on), acts);
            }
            widgets::command_icon(ui, shown.facts, PreviewCommand::Loop, icon.on(shown.facts.is_playing), acts);
            let (is_before, is_delta) = (document.shows_before(), shown.facts.is_delta);
            let choices = [
                (Command::from(PreviewCommand::HearAfter), "After", !is_before && !is_delta),
                (PreviewCommand::HearBefore.into(), "Before", is_before),
                (PreviewCommand::HearDifference.into(), "Difference", !is_before && is_delta),
            ];
            segments(ui, shown.facts, segments_width, &choices, acts);
            overflow::menu(ui, |ui| show(ui, acts));
        });
    });
    if edited != *tools.settings() {
        acts.push(Act::Tools(Box::new(edited)));
    }
}

fn name_of(kind: PreviewKind) -> &'static str {
    match kind {
        PreviewKind::Heal => "Heal",
        PreviewKind::ReduceNoise => "Reduce noise",
        PreviewKind::Repair(repair) => repair.name(),
        PreviewKind::Brush(tool) => ToolCommand::Pick(tool).row().name,
    }
}

fn fields(ui: &mut Ui, shown: OptionContext<'_>, preview: &EditPreview, settings: &mut ToolSettings, acts: &mut Acts) {
    let rate_hz = preview.base().sample_rate_hz();
    match preview.kind() {
        PreviewKind::Heal if shown.facts.can_compare => heal_options::fields(ui, &mut settings.heal),
        PreviewKind::Heal => {
            let what = RichText::new("Clicks that were found are predicted from the samples around them.");
            ui.add(egui::Label::new(what.color(theme::palette(ui.ctx()).text_weak)).truncate());
        }
        PreviewKind::ReduceNoise => {
            learnt_noise(ui, shown, acts);
            parameters_of_tool(ui, Tool::DENOISE, settings, shown.figures);
        }
        PreviewKind::Repair(repair) => {
            if repair == Repair::Isolate {
                learnt_noise(ui, shown, acts);
            }
            repair_options::fields(ui, repair, settings, rate_hz);
        }
        PreviewKind::Brush(tool) => {
            brush_options(ui, shown, tool, settings, acts);
            strength(ui, settings);
        }
    }
}

/// The choice of noise profile, and the button that learns another.
fn learnt_noise(ui: &mut Ui, shown: OptionContext<'_>, acts: &mut Acts) {
    noise(ui, shown, acts);
    if overflow::has_place(ui, FindCommand::LearnNoise.row().name, 28.0) {
        widgets::command_icon(ui, shown.facts, FindCommand::LearnNoise, ButtonStyle::icon(28.0, 16.0), acts);
    }
}

/// A summary of the findings of the edit.
fn found(ui: &mut Ui, preview: &EditPreview) {
    let Some(words) = preview.found() else { return };
    if overflow::has_place(ui, "Found", overflow::text_width(ui, words) + 8.0) {
        ui.label(RichText::new(words).color(theme::palette(ui.ctx()).text));
    }
}

//! The option bar: the settings of a floating paste or a preview, else those of the current tool.

use super::options::{OptionContext, tool_bar};
use super::{picture_options, preview_options};
use crate::workbench::commands::Facts;
use crate::workbench::{Acts, Floating, LabelClass, OpenDocument, PresetStore, Tools, kind_of_options};
use egui::Ui;

/// Draws the option bar.
pub fn options(
    ui: &mut Ui,
    facts: &Facts,
    tools: &Tools,
    (document, classes, keeping): (Option<&OpenDocument>, &[LabelClass], &PresetStore),
    acts: &mut Acts,
) {
    let picture = document.and_then(OpenDocument::floating).and_then(Floating::picture);
    if let Some(brush) = picture {
        return picture_options::bar(ui, facts, brush, acts);
    }
    let figures = document.and_then(|document| document.figures());
    let presets = kind_of_options(document, tools);
    let shown = OptionContext { facts, figures: figures.as_ref(), tools, keeping, presets, classes };
    match document.and_then(|document| Some((document, document.open_preview()?))) {
        Some((document, preview)) => preview_options::bar(ui, shown, tools, document, preview, acts),
        None => tool_bar(ui, shown, tools, document, acts),
    }
}

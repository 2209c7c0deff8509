//! The cards of a run over files: one for script, files and output, and one for the results.

use super::card_parts::{CardAnswer, caption, captioned, chosen_path, expanded, heading, primary, weak};
use crate::bars::overflow;
use crate::media::Container;
use crate::widgets;
use crate::widgets::short_names::without_middle;
use crate::widgets::{boxes, theme};
use crate::workbench::{FilesRun, Reply, RunFilesOptions, RunFilesOrder, RunPlace, RunRow};
use egui::{Align, Layout, RichText, TextEdit, Ui, vec2};
use std::path::PathBuf;

/// Maximum height of the list of results, in points.
const LIST_HEIGHT: f32 = 320.0;
/// Height of a result: the file, and its outcome below.
const ROW_HEIGHT: f32 = 38.0;

/// Draws the card that asks for script, files and output.
pub(crate) fn ask(ui: &mut Ui, options: &mut RunFilesOptions, is_new: bool) -> Option<CardAnswer> {
    let mut answer = heading(ui, "Run on files");
    let before = options.clone();
    let place = |options: &RunFilesOptions, place| {
        Some(CardAnswer::Reply(Reply::RunFilesWhere(Box::new(options.clone()), place)))
    };
    let name = caption(ui, "Folders and files, one on each line");
    let field = TextEdit::multiline(&mut options.inputs).desired_rows(3).desired_width(f32::INFINITY);
    let field = ui.add(field.hint_text("Such as /home/you/takes, or drop them here")).labelled_by(name);
    let field = field.accessible_name("Folders and files");
    if is_new {
        field.request_focus();
    }
    if ui.button("Add folder\u{2026}").on_hover_text("Choose a folder in a dialog.").clicked() {
        answer = place(options, RunPlace::Input);
    }
    script(ui, options);
    if !options.uses_history
        && chosen_path(ui, &mut options.script, "Script", "A script, such as /home/you/clean.json").1
    {
        answer = place(options, RunPlace::Script);
    }
    let inputs = lines(&options.inputs);
    let suggested = inputs.first().map(|first| RunFilesOptions::suggested_output(first)).unwrap_or_default();
    if chosen_path(ui, &mut options.output, "Output", &suggested.to_string_lossy()).1 {
        answer = place(options, RunPlace::Output);
    }
    captioned(ui, "Names", |ui, caption| {
        let field = TextEdit::singleline(&mut options.name).desired_width(f32::INFINITY).hint_text("{relative}");
        let what = "Of {relative}, the path below the folder, {name} and {n:03}.";
        ui.add(field).labelled_by(caption).accessible_name("Names").on_hover_text(what);
    });
    kind(ui, options);
    boxes::checkbox(ui, &mut options.overwrites, "Replace outputs that are there");
    if *options != before {
        options.problem = None;
    }
    if let Some(problem) = &options.problem {
        let palette = theme::palette(ui.ctx());
        ui.label(RichText::new(problem).color(palette.danger));
    }
    ui.horizontal(|ui| {
        if primary(ui, "Run") {
            let output = match options.output.trim() {
                "" => suggested,
                typed => expanded(typed),
            };
            let script = (!options.uses_history).then(|| expanded(&options.script));
            let order = RunFilesOrder { options: options.clone(), inputs, script, output };
            answer = Some(CardAnswer::Reply(Reply::RunFiles(Box::new(order))));
        }
        if ui.button("Cancel").clicked() {
            answer = Some(CardAnswer::Close);
        }
    });
    answer
}

/// The paths in a field, one per line.
fn lines(text: &str) -> Vec<PathBuf> {
    text.lines().filter(|line| !line.trim().is_empty()).map(expanded).collect()
}

fn script(ui: &mut Ui, options: &mut RunFilesOptions) {
    if options.document.is_none() {
        return;
    }
    ui.horizontal(|ui| {
        boxes::radio_value(ui, &mut options.uses_history, true, "The edits of this file");
        boxes::radio_value(ui, &mut options.uses_history, false, "A script");
    });
}

fn kind(ui: &mut Ui, options: &mut RunFilesOptions) {
    captioned(ui, "Type", |ui, caption| {
        let all: Vec<Option<Container>> = std::iter::once(None).chain(Container::ALL.map(Some)).collect();
        let label = |kind: Option<Container>| match kind {
            None => "As each file".to_owned(),
            Some(container) => container.name().to_owned(),
        };
        if let Some(kind) = widgets::named_choice(ui, caption, "Type", 140.0, options.container, &all, label) {
            options.container = kind;
        }
    });
}

/// Draws the card with the results of a run, failures first.
pub(crate) fn report(ui: &mut Ui, run: &FilesRun) -> Option<CardAnswer> {
    let mut answer = heading(ui, &run.title());
    weak(ui, "Those to look at come first.");
    let height = LIST_HEIGHT.min(ROW_HEIGHT * run.rows.len() as f32);
    let list = egui::ScrollArea::vertical().max_height(height).auto_shrink([false, true]);
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        list.show_rows(ui, ROW_HEIGHT, run.rows.len(), |ui, range| {
            for shown in &run.rows[range] {
                row(ui, shown);
            }
        });
    });
    ui.horizontal(|ui| {
        if primary(ui, "Close") {
            answer = Some(CardAnswer::Close);
        }
        if ui.button("Show folder").on_hover_text("Shows the outputs in the file manager.").clicked() {
            answer = Some(CardAnswer::Reply(Reply::ShowFolder(run.folder.clone())));
        }
    });
    answer
}

fn row(ui: &mut Ui, row: &RunRow) {
    let palette = theme::palette(ui.ctx());
    let colour = if row.has_failed { palette.danger } else { palette.text };
    let size = vec2(ui.available_width(), ROW_HEIGHT);
    ui.allocate_ui_with_layout(size, Layout::top_down(Align::Min), |ui| {
        ui.set_min_size(size);
        ui.spacing_mut().item_spacing.y = 0.0;
        let named = |file: &str| format!("{}  {file}", row.status);
        let file = without_middle(&row.file, |file| overflow::text_width(ui, &named(file)) <= size.x);
        ui.label(RichText::new(named(&file)).color(colour)).on_hover_text(&row.file);
        let sentence = RichText::new(&row.sentence).size(theme::CAPTION).color(palette.text_weak);
        ui.add(egui::Label::new(sentence).truncate()).on_hover_text(&row.sentence);
    });
}

//! The footer below the list, of constant height: the button that adds a folder, and progress of adding.

use super::context::LibraryContext;
use crate::base::number;
use crate::studio::widgets::theme;
use crate::studio::widgets::{self, ButtonStyle};
use crate::workbench::commands::BrowseCommand;
use crate::workbench::commands::table::icons;
use crate::workbench::{Acts, AddedFolders};
use egui::{Align, CornerRadius, Layout, Rect, RichText, Ui, UiBuilder, vec2};

/// Height of the footer, with the line above and the progress bar.
pub const HEIGHT: f32 = 41.0;
/// Height of the line and of the bar.
const BAR: f32 = 2.0;

/// Draws the footer into the whole of `ui`, with padding at both sides.
pub fn ui(ui: &mut Ui, context: LibraryContext<'_>, padding: f32, acts: &mut Acts) {
    let palette = theme::palette(ui.ctx());
    let all = ui.max_rect();
    let added = context.browser.added();
    let is_adding = added.is_running || added.is_paused;
    let line = Rect::from_min_size(all.min, vec2(all.width(), if is_adding { BAR } else { 1.0 }));
    ui.painter().rect_filled(line, CornerRadius::ZERO, palette.stroke);
    if is_adding && added.report.queued > 0 {
        let part = (added.report.done() as f32 / added.report.queued as f32).min(1.0);
        let done = Rect::from_min_size(line.min, vec2(line.width() * part, BAR));
        ui.painter().rect_filled(done, CornerRadius::ZERO, palette.accent);
    }
    let inside = all.with_min_y(all.top() + BAR).shrink2(vec2(padding, 0.0));
    let row = UiBuilder::new().max_rect(inside).layout(Layout::left_to_right(Align::Center));
    ui.scope_builder(row, |ui| {
        ui.spacing_mut().item_spacing.x = 8.0;
        widgets::command_button(ui, context.facts, BrowseCommand::AddFolder, "Add folder\u{2026}", acts);
        if is_adding {
            adding(ui, context, acts);
        } else {
            failures(ui, context, acts);
        }
    });
}

/// Progress of adding folders, with a button that pauses it.
fn adding(ui: &mut Ui, context: LibraryContext<'_>, acts: &mut Acts) {
    let added = context.browser.added();
    let swap = added.is_paused.then_some(icons::PLAY);
    let style = ButtonStyle { swap, ..ButtonStyle::icon(24.0, 14.0) }.on(added.is_paused);
    widgets::command_icon(ui, context.facts, BrowseCommand::Pause, style, acts);
    let all = progress_words(added);
    let room = ui.available_width();
    let font = theme::regular(theme::CAPTION);
    let width =
        |words: &String| ui.painter().layout_no_wrap(words.clone(), font.clone(), egui::Color32::WHITE).size().x;
    // The longest text that fits; the tooltip has the full text.
    let shown = all.iter().find(|words| width(words) <= room).or(all.last()).cloned().unwrap_or_default();
    let colour = theme::palette(ui.ctx()).text;
    ui.label(RichText::new(shown).size(theme::CAPTION).color(colour)).on_hover_text(&all[0]);
}

/// The progress text in decreasing lengths.
fn progress_words(added: &AddedFolders) -> Vec<String> {
    let count = |n: u64| number(n as f64, 0);
    let (done, queued) = (added.report.done(), added.report.queued);
    let part = format!("{} of {}", count(done), count(queued));
    let words = match &added.waits_for {
        Some(holder) => format!("Waiting for {holder}"),
        // Folders are being walked, and no file has been found yet.
        None if queued == 0 && added.is_paused => "Paused".to_owned(),
        None if queued == 0 => "Looking for sounds".to_owned(),
        None if added.is_paused => format!("Paused at {part}"),
        None if added.is_background => format!("Analysing {part}"),
        None => format!("Adding {part}"),
    };
    let mut all = Vec::new();
    if added.report.failed > 0 {
        all.push(format!("{words}, {} failed", count(added.report.failed)));
    }
    all.push(words);
    if added.waits_for.is_some() {
        all.push("Waiting".to_owned());
    } else if queued > 0 {
        all.push(part);
    }
    all
}

/// Files that failed in the last run, with a button to retry.
fn failures(ui: &mut Ui, context: LibraryContext<'_>, acts: &mut Acts) {
    let added = context.browser.added();
    let n = added.report.failed;
    // While the folders are shown, they list the failures.
    if n == 0 || context.browser.folders().is_some() {
        return;
    }
    widgets::command_icon(ui, context.facts, BrowseCommand::Retry, ButtonStyle::icon(24.0, 14.0), acts);
    let words = if n == 1 { "1 file failed".to_owned() } else { format!("{} files failed", number(n as f64, 0)) };
    let colour = theme::palette(ui.ctx()).danger;
    let why: Vec<String> = added.failures.iter().map(|one| format!("{}: {}", one.path, one.error)).collect();
    ui.label(RichText::new(words).size(theme::CAPTION).color(colour)).on_hover_text(why.join("\n"));
}

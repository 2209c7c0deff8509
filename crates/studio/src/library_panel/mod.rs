//! The library of sounds at the left: search, chips, the list, folders being added. It draws the state of the workbench
//! and pushes acts.

mod context;
mod controls;
mod dragged;
mod folders;
mod footer;
mod headings;
mod list;
mod menu;
mod row;
mod thumbs;

use super::widgets::theme;
use super::widgets::{self, ButtonStyle};
use crate::base::number;
use crate::workbench::commands::table::icons;
use crate::workbench::commands::{BrowseCommand, LayoutCommand};
use crate::workbench::{Acts, Browser, LibraryMode};
pub use context::LibraryContext;
use dragged::Dragged;
use egui::{Align2, Rect, RichText, Sense, Ui, UiBuilder, pos2, vec2};
use folders::FolderRows;
use list::SoundList;
use thumbs::Thumbs;

const PADDING: f32 = 12.0;
const HEADING: f32 = 28.0;

/// State of the panel between frames.
#[derive(Default)]
pub struct LibraryPanel {
    /// The text being typed.
    text: String,
    list: SoundList,
    folders: FolderRows,
    thumbs: Thumbs,
    dragged: Option<Dragged>,
}

impl LibraryPanel {
    /// Draws the panel into the whole of `ui`.
    pub fn ui(&mut self, ui: &mut Ui, context: LibraryContext<'_>, acts: &mut Acts) {
        ui.spacing_mut().item_spacing.y = 0.0;
        heading(ui, context, acts);
        let margin = egui::Margin::symmetric(PADDING as i8, 4);
        let mut goes_to_list = false;
        egui::Frame::new().inner_margin(margin).show(ui, |ui| {
            ui.spacing_mut().item_spacing = vec2(4.0, 6.0);
            self.folders.ui(ui, context, acts);
            controls::modes(ui, context, acts);
            match context.browser.mode() {
                LibraryMode::All => {
                    goes_to_list = controls::search(ui, &mut self.text, context.browser, acts);
                    controls::chips(ui, context.browser, acts);
                }
                LibraryMode::Similar => {
                    if context.browser.is_filling() {
                        controls::filling(ui, context, acts);
                    }
                    goes_to_list = controls::search(ui, &mut self.text, context.browser, acts);
                    controls::dials(ui, context.browser, acts);
                    controls::chips(ui, context.browser, acts);
                }
                LibraryMode::Duplicates => controls::null_test(ui, context.browser, acts),
            }
        });
        widgets::rule(ui);
        let rest = ui.available_rect_before_wrap();
        let above = Rect::from_min_max(rest.min, pos2(rest.right(), rest.bottom() - footer::HEIGHT));
        ui.scope_builder(UiBuilder::new().max_rect(above), |ui| self.sounds(ui, context, goes_to_list, acts));
        let below = Rect::from_min_max(above.left_bottom(), rest.max);
        ui.scope_builder(UiBuilder::new().max_rect(below), |ui| footer::ui(ui, context, PADDING, acts));
    }

    /// The list with its headings, or the reason why it is empty.
    fn sounds(&mut self, ui: &mut Ui, context: LibraryContext<'_>, goes_to_list: bool, acts: &mut Acts) {
        if let Some(words) = empty_words(context.browser) {
            egui::Frame::new().inner_margin(egui::Margin::same(PADDING as i8)).show(ui, |ui| {
                ui.label(RichText::new(words).color(theme::palette(ui.ctx()).text_weak));
            });
            return;
        }
        self.thumbs.begin(context.colormap);
        headings::ui(ui, context.browser, PADDING, acts);
        let drag = self.list.ui(ui, context, &mut self.thumbs, goes_to_list, acts);
        self.thumbs.end(ui.ctx());
        if let Some(id) = drag {
            let row = context.browser.row(id);
            let (name, has_pitch) = row.map_or_else(Default::default, |row| (row.name(), row.pitch_hz.is_some()));
            self.dragged = Some(Dragged { id, name, has_pitch });
        }
    }

    /// After the canvas: draws a dragged sound at the pointer, and drops it on release.
    pub fn drag(&mut self, ctx: &egui::Context, panes: &[super::canvas::PaneAt], acts: &mut Acts) {
        if let Some(dragged) = &self.dragged
            && dragged.follow(ctx, panes, acts)
        {
            self.dragged = None;
        }
    }
}

/// Title, number of listed sounds, and commands for the whole library.
fn heading(ui: &mut Ui, context: LibraryContext<'_>, acts: &mut Acts) {
    let palette = theme::palette(ui.ctx());
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        let buttons = 3.0 * 24.0 + 8.0;
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width() - buttons, HEADING), Sense::hover());
        let font = theme::semibold(theme::HEADING);
        let at = pos2(rect.left() + PADDING, rect.center().y);
        ui.painter().text(at, Align2::LEFT_CENTER, "Library", font, palette.text_strong);
        let n = context.browser.entries().len();
        if n > 0 && !context.browser.is_partial() {
            let words = if n == 1 { "1 sound".to_owned() } else { format!("{} sounds", number(n as f64, 0)) };
            let at = pos2(rect.right() - 8.0, rect.center().y);
            ui.painter().text(at, Align2::RIGHT_CENTER, words, theme::regular(theme::CAPTION), palette.text_weak);
        }
        let style = ButtonStyle::icon(24.0, 14.0);
        let is_matched = context.browser.is_matched();
        widgets::command_icon(ui, context.facts, BrowseCommand::MatchLoudness, style.on(is_matched), acts);
        let has_folders = context.browser.folders().is_some();
        widgets::command_icon(ui, context.facts, BrowseCommand::Folders, style.on(has_folders), acts);
        let close = ButtonStyle { swap: Some(icons::X), ..style };
        widgets::command_icon(ui, context.facts, LayoutCommand::Library, close, acts);
    });
}

/// The text in place of an empty list.
fn empty_words(browser: &Browser) -> Option<String> {
    if let Some(trouble) = browser.trouble() {
        return Some(format!("{}.", capitalised(trouble)));
    }
    if !browser.entries().is_empty() {
        return None;
    }
    let words = match browser.mode() {
        _ if browser.is_searching() => "Searching\u{2026}",
        LibraryMode::All if browser.is_absent() => {
            "Drop a folder of sounds here. It is read and analysed, never changed, and stays on this machine."
        }
        LibraryMode::All if browser.added().is_running && browser.query().is_empty() => "Reading the folder\u{2026}",
        LibraryMode::All if browser.query().is_empty() => "There are no sounds in the library yet. Drop a folder here.",
        LibraryMode::All | LibraryMode::Similar => "Nothing found. Remove a word or a filter.",
        LibraryMode::Duplicates => "There are no duplicates.",
    };
    Some(words.to_owned())
}

fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

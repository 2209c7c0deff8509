//! The lane of notices below the canvas: never a modal, never over the picture. While a button of the pointer is down the
//! lane keeps its height, so that the picture does not move under a stroke.

use super::{probe, theme, widgets};
use crate::workbench::commands::icons;
use crate::workbench::{Acts, Notice, NoticeAct, Notices, Severity};
use egui::{Galley, RichText, Ui, Vec2, vec2};
use std::path::Path;
use std::sync::Arc;

/// Most lines of one, and its widest text.
const MOST_LINES: usize = 3;
const WIDTH: f32 = 760.0;
/// Least height of a row, and the room around its text.
const ROW: f32 = 32.0;
const ROOM: f32 = 12.0;
/// What the buttons of a report say.
const COPY: &str = "Copy";
const SHOW_FOLDER: &str = "Show folder";
/// Icon, cross and margins of a row.
const SIDES: f32 = 84.0;
/// Under these heights of the window, two rows and one row have room.
const LOW: [f32; 2] = [700.0, 460.0];

/// The lane, and how it was when a button of the pointer went down.
#[derive(Debug, Default)]
pub struct NoticeLane {
    height: f32,
    held: Option<Held>,
}

/// What stays as it is while a button is down.
#[derive(Debug, Clone, Copy)]
struct Held {
    height: f32,
    newest: u64,
}

/// A notice as it is drawn.
struct Row<'a> {
    notice: &'a Notice,
    text: Arc<Galley>,
    height: f32,
}

/// How many rows a window of this height, in points, has room for.
pub fn n_rows(window_height: f32) -> usize {
    match window_height {
        height if height < LOW[1] => 1,
        height if height < LOW[0] => 2,
        _ => 3,
    }
}

impl NoticeLane {
    /// Draws the newest at the bottom of `ui`; nothing where there is nothing to say.
    pub fn ui(&mut self, ui: &mut Ui, notices: &Notices, acts: &mut Acts) {
        let palette = theme::palette(ui.ctx());
        let n_most = n_rows(ui.ctx().content_rect().height());
        self.held = match (ui.input(|input| input.pointer.any_down()), self.held) {
            (false, _) => None,
            (true, Some(held)) => Some(held),
            (true, None) => {
                let newest = notices.all().iter().map(|notice| notice.id).max().unwrap_or(0);
                Some(Held { height: self.height, newest })
            }
        };
        let newest = self.held.map_or(u64::MAX, |held| held.newest);
        let known: Vec<&Notice> = notices.all().iter().filter(|notice| notice.id <= newest).collect();
        let shown = &known[known.len().saturating_sub(n_most)..];
        let width = ui.available_width();
        let rows: Vec<Row<'_>> = shown.iter().map(|notice| Row::new(notice, width, ui)).collect();
        let height = rows.iter().map(|row| row.height).sum();
        self.height = self.held.map_or(height, |held| held.height);
        if self.height == 0.0 {
            return;
        }
        let lane = egui::Panel::bottom("notices").exact_size(self.height).resizable(false);
        lane.frame(widgets::plain(palette.raised)).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            rows.into_iter().for_each(|row| row.ui(ui, acts));
        });
    }
}

impl<'a> Row<'a> {
    fn new(notice: &'a Notice, width: f32, ui: &Ui) -> Row<'a> {
        let names = notice.action.map(|action| action.row().name).into_iter();
        let names = names.chain(notice.report.iter().flat_map(|_| [COPY, SHOW_FOLDER]));
        let buttons: f32 = names.map(|name| widgets::button_width(ui, name) + 16.0).sum();
        let text = text(notice, (width - SIDES - buttons).clamp(120.0, WIDTH), ui);
        let height = (text.size().y + ROOM).max(ROW);
        Row { notice, text, height }
    }

    fn ui(self, ui: &mut Ui, acts: &mut Acts) {
        let palette = theme::palette(ui.ctx());
        let Row { notice, text, height } = self;
        let (icon, colour, word) = match notice.severity {
            Severity::Info => (icons::INFO, palette.accent, "Note"),
            Severity::Warning => (icons::TRIANGLE_ALERT, palette.warning, "Warning"),
            Severity::Error => (icons::CIRCLE_ALERT, palette.danger, "Error"),
        };
        let size = vec2(ui.available_width(), height);
        let row = ui.allocate_ui_with_layout(size, egui::Layout::left_to_right(egui::Align::Center), |ui| {
            ui.set_min_size(size);
            ui.spacing_mut().item_spacing.x = 8.0;
            ui.add_space(6.0);
            let sign = ui.label(RichText::new(icon).font(theme::icons(16.0)).color(colour));
            sign.accessible_name(word);
            let is_cut = text.elided;
            let label = ui.add(egui::Label::new(text));
            if is_cut {
                label.on_hover_text(notice.words());
            }
            if let Some(action) = notice.action {
                let button = ui.button(action.row().name);
                if button.clicked() {
                    acts.push(action);
                    acts.push(NoticeAct::Close(notice.id));
                }
            }
            if let Some(report) = &notice.report {
                report_buttons(ui, report, acts);
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                ui.add_space(6.0);
                let cross = RichText::new(icons::X).font(theme::icons(16.0));
                let close = ui.add(egui::Button::new(cross).frame(false).min_size(Vec2::splat(24.0)));
                if close.accessible_name("Close the notice").on_hover_text("Close the notice").clicked() {
                    acts.push(NoticeAct::Close(notice.id));
                }
            });
        });
        let line = egui::Stroke::new(1.0, palette.stroke);
        ui.painter().hline(row.response.rect.x_range(), row.response.rect.top() + 0.5, line);
        if row.response.contains_pointer() {
            acts.push(NoticeAct::Keep(notice.id));
        }
    }
}

/// Copies a report, or shows the folder in which it lies; the notice stays for the other.
fn report_buttons(ui: &mut Ui, report: &Path, acts: &mut Acts) {
    let mut button = |name: &str, act: NoticeAct| {
        let button = ui.button(name);
        probe::note_control(ui.ctx(), name, button.rect);
        if button.clicked() {
            acts.push(act);
        }
    };
    button(COPY, NoticeAct::CopyReport(report.to_path_buf()));
    if let Some(folder) = report.parent() {
        button(SHOW_FOLDER, NoticeAct::ShowFolder(folder.to_path_buf()));
    }
}

/// Message and advice within a width, a few lines at most.
fn text(notice: &Notice, room: f32, ui: &Ui) -> Arc<Galley> {
    let palette = theme::palette(ui.ctx());
    let font = theme::regular(theme::BODY);
    let mut job = egui::text::LayoutJob::default();
    job.append(&notice.words(), 0.0, egui::TextFormat::simple(font.clone(), palette.text_strong));
    if let Some(advice) = &notice.advice {
        job.append(&format!(" {advice}"), 0.0, egui::TextFormat::simple(font, palette.text_weak));
    }
    job.wrap = egui::text::TextWrapping { max_width: room, max_rows: MOST_LINES, ..Default::default() };
    ui.painter().layout_job(job)
}

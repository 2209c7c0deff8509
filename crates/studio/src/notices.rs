//! Notices float over a corner of the canvas: nothing else moves when they come and go, and none appears under the
//! pointer. While a mouse button is down, new ones wait for its release.

use super::hooks::probe;
use super::widgets;
use super::widgets::theme;
use crate::workbench::commands::table::icons;
use crate::workbench::{Acts, Notice, NoticeAct, Notices, Severity};
use egui::{Context, Galley, Id, Pos2, Rect, RichText, Ui, Vec2, pos2, vec2};
use std::path::Path;
use std::sync::Arc;

/// Maximum number of lines, and maximum width of a text.
const MAX_LINES: usize = 3;
const WIDTH: f32 = 520.0;
/// Minimum height of a row, and the padding of its text.
const ROW: f32 = 32.0;
const BUTTON_SPACE: f32 = 12.0;
/// Distance between the notices and the edges of the canvas, in points.
const MARGIN: f32 = 12.0;
/// Distance between two notices, in points.
const GAP: f32 = 6.0;
/// Labels of a report's buttons.
const COPY: &str = "Copy";
const SHOW_FOLDER: &str = "Show folder";
/// Width of a row's icon, cross and margins together.
const ROW_CHROME_WIDTH: f32 = 84.0;
/// Window heights in points below which at most two rows are shown, and below which only one is.
const LOW: [f32; 2] = [700.0, 460.0];

/// Number of areas that notices are drawn in by turns. egui keeps memory for each area that it ever saw, so notices have
/// none of their own. More than are shown at once, so that the keyboard of one that closes does not go to the next.
const AREAS: usize = 8;

/// The shown notices, and their position.
#[derive(Debug, Default)]
pub struct NoticeLane {
    /// The notice shown in each area.
    areas: [Option<u64>; AREAS],
    /// The area used last.
    last_area: usize,
    /// The newest notice when a mouse button went down; `None` while none is down.
    held: Option<u64>,
    shown: Option<Shown>,
}

/// Position of the notices.
#[derive(Debug, Clone, Copy)]
struct Shown {
    rect: Rect,
    corner: Corner,
}

/// A left corner of the canvas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Corner {
    Bottom,
    Top,
}

/// A notice prepared for drawing.
struct Row<'a> {
    notice: &'a Notice,
    text: Arc<Galley>,
    size: Vec2,
}

/// Number of rows that fit in a window of this height, in points.
pub fn n_rows(window_height: f32) -> usize {
    match window_height {
        height if height < LOW[1] => 1,
        height if height < LOW[0] => 2,
        _ => 3,
    }
}

impl NoticeLane {
    /// Draws the newest notices over the lower left corner of `canvas`, new ones above older ones; if that is under the
    /// pointer, over the upper left corner.
    pub fn ui(&mut self, ui: &Ui, canvas: Rect, notices: &Notices, acts: &mut Acts) {
        let ctx = ui.ctx();
        let newest = notices.all().iter().map(|notice| notice.id).max().unwrap_or(0);
        let is_down = ctx.input(|input| input.pointer.any_down());
        self.held = is_down.then(|| self.held.unwrap_or(newest));
        let newest = self.held.unwrap_or(u64::MAX);
        let known: Vec<&Notice> = notices.all().iter().filter(|notice| notice.id <= newest).collect();
        let shown = &known[known.len().saturating_sub(n_rows(ctx.content_rect().height()))..];
        let ids: Vec<u64> = shown.iter().map(|notice| notice.id).collect();
        let areas = self.areas_of(&ids);
        if shown.is_empty() {
            self.shown = None;
            return;
        }
        let room = canvas.shrink(MARGIN);
        let rows: Vec<Row<'_>> = shown.iter().map(|notice| Row::new(notice, room.width(), ui)).collect();
        let width = rows.iter().map(|row| row.size.x).fold(0.0, f32::max);
        let height = rows.iter().map(|row| row.size.y + GAP).sum::<f32>() - GAP;
        let pointer = ctx.input(|input| input.pointer.hover_pos());
        let place = self.place(vec2(width, height), room, pointer);
        self.shown = Some(place);
        // Stacked from the corner, oldest first, so that existing notices stay in place.
        let mut y = if place.corner == Corner::Bottom { place.rect.bottom() } else { place.rect.top() };
        let is_read = pointer.is_some_and(|at| place.rect.contains(at));
        for (row, area) in rows.into_iter().zip(areas) {
            let top = if place.corner == Corner::Bottom { y - row.size.y } else { y };
            y = if place.corner == Corner::Bottom { top - GAP } else { top + row.size.y + GAP };
            if is_read {
                acts.push(NoticeAct::Keep(row.notice.id));
            }
            row.show(ctx, area, pos2(place.rect.left(), top), acts);
        }
    }

    /// The areas of the shown notices, which keep theirs while they are shown.
    fn areas_of(&mut self, ids: &[u64]) -> Vec<usize> {
        for area in &mut self.areas {
            area.take_if(|id| !ids.contains(id));
        }
        let area_of = |id: &u64| {
            let known = self.areas.iter().position(|area| *area == Some(*id));
            known.unwrap_or_else(|| {
                let next = (1..=AREAS).map(|step| (self.last_area + step) % AREAS);
                let free = next.into_iter().find(|area| self.areas[*area].is_none()).unwrap_or_default();
                self.last_area = free;
                self.areas[free] = Some(*id);
                free
            })
        };
        ids.iter().map(area_of).collect()
    }

    /// Position of notices of a size: in the previous corner, unless they would then grow over the pointer.
    fn place(&self, size: Vec2, room: Rect, pointer: Option<Pos2>) -> Shown {
        let at = |corner: Corner| {
            let top = match corner {
                Corner::Bottom => room.bottom() - size.y,
                Corner::Top => room.top(),
            };
            Shown { rect: Rect::from_min_size(pos2(room.left(), top).round(), size), corner }
        };
        let (corner, was) = self.shown.map_or((Corner::Bottom, Rect::NOTHING), |shown| (shown.corner, shown.rect));
        let other = if corner == Corner::Bottom { Corner::Top } else { Corner::Bottom };
        let covers = |corner: Corner| {
            pointer.is_some_and(|pointer| at(corner).rect.expand(MARGIN).contains(pointer) && !was.contains(pointer))
        };
        if at(corner).rect != was && covers(corner) && !covers(other) { at(other) } else { at(corner) }
    }
}

impl<'a> Row<'a> {
    fn new(notice: &'a Notice, room: f32, ui: &Ui) -> Row<'a> {
        let names = notice.action.map(|action| action.row().offered).into_iter();
        let names = names.chain(notice.report.iter().flat_map(|_| [COPY, SHOW_FOLDER]));
        let names = names.chain(notice.folder.iter().map(|_| SHOW_FOLDER));
        let buttons: f32 = names.map(|name| widgets::button_width(ui, name)).sum();
        let text = text(notice, (room - ROW_CHROME_WIDTH - buttons).clamp(120.0, WIDTH), ui);
        let size = vec2(text.size().x + ROW_CHROME_WIDTH + buttons, (text.size().y + BUTTON_SPACE).max(ROW)).ceil();
        Row { notice, text, size }
    }

    /// Draws the notice as a card with its upper left corner at `at`.
    fn show(self, ctx: &Context, area: usize, at: Pos2, acts: &mut Acts) {
        let palette = theme::palette(ctx);
        let area = egui::Area::new(Id::unique(("notice", area))).order(egui::Order::Middle);
        area.fixed_pos(at).movable(false).constrain(false).show(ctx, |ui| {
            let (outline, face) = (egui::Stroke::new(1.0, palette.stroke_strong), Rect::from_min_size(at, self.size));
            ui.painter().rect(face, theme::RADIUS_CARD, palette.raised, outline, egui::StrokeKind::Inside);
            ui.set_max_size(self.size);
            self.ui(ui, acts);
        });
    }

    fn ui(self, ui: &mut Ui, acts: &mut Acts) {
        let palette = theme::palette(ui.ctx());
        let Row { notice, text, size } = self;
        let (icon, colour, word) = match notice.severity {
            Severity::Info => (icons::INFO, palette.accent, "Note"),
            Severity::Warning => (icons::TRIANGLE_ALERT, palette.warning, "Warning"),
            Severity::Error => (icons::CIRCLE_ALERT, palette.danger, "Error"),
        };
        ui.allocate_ui_with_layout(size, egui::Layout::left_to_right(egui::Align::Center), |ui| {
            ui.set_min_size(size);
            ui.spacing_mut().item_spacing.x = 8.0;
            ui.add_space(6.0);
            let sign = ui.label(RichText::new(icon).font(theme::icons(16.0)).color(colour));
            sign.accessible_name(word);
            let is_cut = text.elided;
            let label = ui.add(egui::Label::new(text));
            if is_cut {
                let advice = notice.advice.iter().map(|advice| format!(" {advice}")).collect::<String>();
                label.on_hover_text(notice.words() + &advice);
            }
            if let Some(action) = notice.action {
                let button = ui.button(action.row().offered);
                if button.clicked() {
                    acts.push(action);
                    acts.push(NoticeAct::Close(notice.id));
                }
            }
            if let Some(report) = &notice.report {
                report_buttons(ui, report, acts);
            }
            if let Some(folder) = &notice.folder {
                button(ui, SHOW_FOLDER, NoticeAct::ShowFolder(folder.clone()), acts);
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
    }
}

/// Buttons that copy a report, or show its folder; the notice stays open, so that both can be used.
fn report_buttons(ui: &mut Ui, report: &Path, acts: &mut Acts) {
    button(ui, COPY, NoticeAct::CopyReport(report.to_path_buf()), acts);
    if let Some(folder) = report.parent() {
        button(ui, SHOW_FOLDER, NoticeAct::ShowFolder(folder.to_path_buf()), acts);
    }
}

fn button(ui: &mut Ui, name: &str, act: NoticeAct, acts: &mut Acts) {
    let button = ui.button(name);
    probe::note_control(ui.ctx(), name, button.rect);
    if button.clicked() {
        acts.push(act);
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
    job.wrap = egui::text::TextWrapping { max_width: room, max_rows: MAX_LINES, ..Default::default() };
    ui.painter().layout_job(job)
}

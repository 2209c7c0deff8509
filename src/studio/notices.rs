//! Notices at the canvas' lower left: never a modal, never in the way of the pointer while a stroke is drawn.

use super::theme;
use crate::workbench::commands::icons;
use crate::workbench::{Acts, Notice, NoticeAct, Notices, Severity};
use egui::{Align2, Id, RichText, Vec2};

/// Most lines of one, and its widest text.
const MOST_LINES: usize = 3;
const WIDTH: f32 = 560.0;
/// More than are ever in view at once.
const IDS: u64 = 16;
const HEIGHT: f32 = 40.0;

/// Draws the newest over the lower left of `canvas`.
pub fn ui(notices: &Notices, ctx: &egui::Context, canvas: egui::Rect, acts: &mut Acts) {
    let palette = theme::palette(ctx);
    let (mut closed, mut read) = (None, None);
    let first = notices.n_hidden();
    let mut above = 12.0;
    for notice in notices.all()[first..].iter().rev() {
        let offset = Vec2::new(12.0, -above);
        let (icon, colour, word) = match notice.severity {
            Severity::Info => (icons::INFO, palette.accent, "Note"),
            Severity::Warning => (icons::TRIANGLE_ALERT, palette.warning, "Warning"),
            Severity::Error => (icons::CIRCLE_ALERT, palette.danger, "Error"),
        };
        // egui keeps every id that it ever saw.
        let area = egui::Area::new(Id::unique(("notice", notice.id % IDS)))
            .order(egui::Order::Foreground)
            .fixed_pos(canvas.left_bottom() + offset)
            .pivot(Align2::LEFT_BOTTOM)
            .constrain(false);
        let shown = area.show(ctx, |ui| {
            let frame = egui::Frame::new()
                .fill(palette.raised)
                .stroke(egui::Stroke::new(1.0, palette.stroke_strong))
                .corner_radius(theme::RADIUS_CARD)
                .inner_margin(egui::Margin { left: 12, right: 6, top: 6, bottom: 6 });
            frame.show(ui, |ui| {
                ui.set_min_height(HEIGHT - 14.0);
                ui.horizontal(|ui| {
                    let sign = ui.label(RichText::new(icon).font(theme::icons(16.0)).color(colour));
                    sign.accessible_name(word);
                    let room =
                        (canvas.width() - if notice.action.is_some() { 220.0 } else { 110.0 }).clamp(120.0, WIDTH);
                    let text = text(notice, palette, room, ui);
                    let is_cut = text.elided;
                    let label = ui.add(egui::Label::new(text));
                    if is_cut {
                        label.on_hover_text(&notice.what);
                    }
                    if let Some(action) = notice.action
                        && ui.button(action.row().name).clicked()
                    {
                        acts.push(action);
                        closed = Some(notice.id);
                    }
                    let cross = RichText::new(icons::X).font(theme::icons(16.0));
                    let close = ui.add(egui::Button::new(cross).frame(false).min_size(Vec2::splat(24.0)));
                    if close.accessible_name("Close the notice").on_hover_text("Close the notice").clicked() {
                        closed = Some(notice.id);
                    }
                });
            });
        });
        above += shown.response.rect.height() + 8.0;
        if shown.response.contains_pointer() {
            read = Some(notice.id);
        }
    }
    if let Some(id) = read {
        acts.push(NoticeAct::Keep(id));
    }
    if let Some(id) = closed {
        acts.push(NoticeAct::Close(id));
    }
}
/// Message and advice within a width, a few lines at most.
fn text(notice: &Notice, palette: &theme::Palette, room: f32, ui: &egui::Ui) -> std::sync::Arc<egui::Galley> {
    let font = theme::regular(theme::BODY);
    let mut job = egui::text::LayoutJob::default();
    job.append(&notice.words(), 0.0, egui::TextFormat::simple(font.clone(), palette.text_strong));
    if let Some(advice) = &notice.advice {
        job.append(&format!(" {advice}"), 0.0, egui::TextFormat::simple(font, palette.text_weak));
    }
    job.wrap = egui::text::TextWrapping { max_width: room, max_rows: MOST_LINES, ..Default::default() };
    ui.painter().layout_job(job)
}

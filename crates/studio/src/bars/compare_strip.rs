//! The strip that compares the modes of heal: each mode's result on the selection, its consistency and its computing
//! time. A click selects the mode for the preview.

use crate::base::number;
use crate::hooks::probe;
use crate::view::Picture;
use crate::widgets::theme;
use crate::workbench::{Act, Acts, ComparedMode, Comparison, HealMode, Tools};
use egui::{
    Align2, Color32, ColorImage, CornerRadius, Rect, Role, Sense, TextureHandle, TextureOptions, Ui, WidgetInfo, vec2,
};
use std::sync::Arc;

/// Height of the strip in points.
pub const HEIGHT: f32 = 120.0;
/// Width of a mode's entry in points.
const WIDTH: f32 = 160.0;
/// Height of a mode's picture in points.
const PICTURE_HEIGHT: f32 = 72.0;

/// Textures of the displayed pictures.
#[derive(Default)]
pub struct CompareStrip {
    textures: Vec<(Arc<Picture>, TextureHandle)>,
}

impl CompareStrip {
    /// Draws the selection before healing, and the entries of all modes.
    pub fn ui(&mut self, ui: &mut Ui, comparison: &Comparison, tools: &Tools, acts: &mut Acts) {
        self.textures.retain(|(known, _)| Arc::strong_count(known) > 1);
        egui::ScrollArea::horizontal().show(ui, |ui| {
            ui.horizontal_centered(|ui| {
                ui.add_space(10.0);
                let (rect, _) = ui.allocate_exact_size(vec2(WIDTH, HEIGHT - 8.0), Sense::hover());
                self.picture(ui, rect, comparison.before());
                words(ui, rect, "Before", "");
                for mode in HealMode::ALL {
                    self.mode(ui, mode, comparison.of(mode), tools, acts);
                }
            });
        });
    }

    fn mode(&mut self, ui: &mut Ui, mode: HealMode, compared: Option<&ComparedMode>, tools: &Tools, acts: &mut Acts) {
        let palette = theme::palette(ui.ctx());
        let (rect, response) = ui.allocate_exact_size(vec2(WIDTH, HEIGHT - 8.0), Sense::click());
        let is_chosen = tools.settings().heal.mode == mode;
        let name = format!("Take {}", mode.label());
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_chosen, &name));
        probe::note_control(ui.ctx(), &name, rect);
        let face = match (is_chosen, response.hovered()) {
            (true, _) => Some(palette.active),
            (false, true) => Some(palette.hover),
            (false, false) => None,
        };
        if let Some(face) = face {
            ui.painter().rect_filled(rect, theme::RADIUS_BUTTON, face);
        }
        let result = compared.map(|compared| compared.outcome.as_ref());
        self.picture(ui, rect, result.and_then(Result::ok).map(|result| &result.picture));
        let figures = figures_of(compared);
        words(ui, rect, mode.label(), &figures);
        if response.clicked() {
            let mut settings = tools.settings().clone();
            settings.heal.mode = mode;
            acts.push(Act::Tools(Box::new(settings)));
        }
        let why = match result {
            Some(Err(error)) => crate::workbench::sentence(error.message()),
            Some(Ok(_)) => "Consistency: how close the spectrogram is to the healed cells; lower is better.".into(),
            None => "Not computed yet.".into(),
        };
        response.on_hover_text(format!("{} {why}", mode.what()));
    }

    fn picture(&mut self, ui: &Ui, rect: Rect, picture: Option<&Arc<Picture>>) {
        let palette = theme::palette(ui.ctx());
        let at = Rect::from_min_size(rect.min + vec2(8.0, 6.0), vec2(rect.width() - 16.0, PICTURE_HEIGHT));
        ui.painter().rect_filled(at, CornerRadius::ZERO, palette.field);
        let Some(picture) = picture else { return };
        let known = self.textures.iter().position(|(known, _)| Arc::ptr_eq(known, picture));
        let index = known.unwrap_or_else(|| {
            let image = ColorImage::from_rgb(picture.size, &picture.rgb);
            let texture = ui.ctx().load_texture("compared mode", image, TextureOptions::LINEAR);
            self.textures.push((picture.clone(), texture));
            self.textures.len() - 1
        });
        let uv = Rect::from_min_max(egui::Pos2::ZERO, egui::pos2(1.0, 1.0));
        ui.painter().image(self.textures[index].1.id(), at, uv, Color32::WHITE);
    }
}

/// Figures of a mode, such as `-31.2 dB, 0.12 s`; an ellipsis until computed, a dash after an error.
fn figures_of(compared: Option<&ComparedMode>) -> String {
    match compared.map(|compared| (compared.secs, compared.outcome.as_ref())) {
        None => "\u{2026}".into(),
        Some((_, Err(_))) => "\u{2013}".into(),
        Some((secs, Ok(result))) => match result.consistency_db {
            Some(db) => format!("{} dB, {} s", number(db, 1), number(secs, 2)),
            None => format!("{} s", number(secs, 2)),
        },
    }
}

fn words(ui: &Ui, rect: Rect, name: &str, figures: &str) {
    let palette = theme::palette(ui.ctx());
    let left = rect.left_bottom() + vec2(8.0, -18.0);
    ui.painter().text(left, Align2::LEFT_BOTTOM, name, theme::medium(theme::CAPTION), palette.text_strong);
    let below = rect.left_bottom() + vec2(8.0, -4.0);
    ui.painter().text(below, Align2::LEFT_BOTTOM, figures, theme::regular(theme::CAPTION), palette.text_weak);
}

//! Tint over the pictures for the fraction of speech in each cell, during a preview that isolates speech.

use crate::dsp::repair::isolation::SpeechMap;
use crate::view::Viewport;
use egui::{Color32, ColorImage, Painter, Pos2, Rect, TextureHandle, pos2};
use std::sync::Arc;

/// Points of the window per pixel of the tint.
const STEP: f32 = 3.0;
/// Opacity where a cell is entirely speech.
const OPACITY: f32 = 0.45;

/// One tint per pane, cached until the speech map, the viewport, the pane or the colour changes.
#[derive(Default)]
pub struct SpeechTint(Vec<Tinted>);

struct Tinted {
    map: Arc<SpeechMap>,
    viewport: Viewport,
    pane: Rect,
    colour: Color32,
    texture: TextureHandle,
}

impl SpeechTint {
    /// Tints pane `index` by the fraction of speech in each cell.
    pub fn draw(
        &mut self,
        painter: &Painter,
        (index, pane): (usize, Rect),
        viewport: &Viewport,
        map: &Arc<SpeechMap>,
        colour: Color32,
    ) {
        let is_same = |known: &Tinted| {
            Arc::ptr_eq(&known.map, map) && known.viewport == *viewport && known.pane == pane && known.colour == colour
        };
        if !self.0.get(index).is_some_and(is_same) {
            let (image, options) = (image_of(viewport, pane, map, colour), egui::TextureOptions::LINEAR);
            match self.0.get_mut(index) {
                Some(tinted) => {
                    tinted.texture.set(image, options);
                    (tinted.map, tinted.viewport, tinted.pane, tinted.colour) = (map.clone(), *viewport, pane, colour);
                }
                None => {
                    let texture = painter.ctx().load_texture("speech", image, options);
                    self.0.push(Tinted { map: map.clone(), viewport: *viewport, pane, colour, texture });
                }
            }
        }
        if let Some(tinted) = self.0.get(index) {
            let whole = Rect::from_min_max(Pos2::ZERO, pos2(1.0, 1.0));
            painter.image(tinted.texture.id(), pane, whole, Color32::WHITE);
        }
    }

    /// Clears the tints, once no preview isolates speech.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

fn image_of(viewport: &Viewport, pane: Rect, map: &SpeechMap, colour: Color32) -> ColorImage {
    let size = [pane.width(), pane.height()].map(|length| ((length / STEP).ceil() as usize).max(1));
    let x = |at: usize| f64::from(pane.left()) + f64::from(pane.width()) * at as f64 / size[0] as f64;
    let y = |at: usize| f64::from(pane.top()) + f64::from(pane.height()) * (at as f64 + 0.5) / size[1] as f64;
    let columns: Vec<[f64; 2]> = (0..size[0]).map(|at| [x(at), x(at + 1)].map(|x| viewport.secs_from_x(x))).collect();
    let mut pixels = Vec::with_capacity(size[0] * size[1]);
    for row in 0..size[1] {
        let hz = viewport.hz_from_y(y(row));
        pixels.extend(columns.iter().map(|secs| colour.gamma_multiply(OPACITY * map.share(*secs, hz))));
    }
    ColorImage::new(size, pixels)
}

//! A floating picture on the canvas: draws its pixels and handles, and resizes it when a handle is dragged.

use super::marks;
use crate::canvas::hand::edges;
use crate::canvas::hand::edges::Grip;
use crate::dsp::Axis;
use crate::dsp::strokes::picture::{Bitmap, PictureArea, PictureLook, PictureView, Tint};
use crate::view::Viewport;
use egui::{Color32, ColorImage, Painter, Pos2, Rect, TextureHandle, pos2};
use std::sync::Arc;

/// Maximum width and height of the drawn picture, in pixels.
const MAX_SIDE: usize = 256;
/// Opacity of a white pixel.
const OPACITY: f64 = 0.75;
/// Maximum distance from an edge, in points, at which a press grabs it.
const REACH_POINTS: f32 = 10.0;
/// Minimum distance between opposite edges, in points.
const MIN_POINTS: f64 = 8.0;

/// The texture of the floating picture.
#[derive(Default)]
pub struct PictureGhost {
    of: Option<(Arc<Bitmap>, PictureLook, TextureHandle)>,
}

impl PictureGhost {
    /// Draws a picture over its area, with its handles.
    pub fn draw(
        &mut self,
        painter: &Painter,
        viewport: &Viewport,
        area: &PictureArea,
        bitmap: &Arc<Bitmap>,
        look: PictureLook,
    ) {
        let is_known = self.of.as_ref().is_some_and(|(of, seen, _)| Arc::ptr_eq(of, bitmap) && *seen == look);
        if !is_known {
            let image = image_of(&PictureView::new(bitmap, look, Tint::Luma));
            let texture = painter.ctx().load_texture("floating picture", image, egui::TextureOptions::LINEAR);
            self.of = Some((bitmap.clone(), look, texture));
        }
        let rect = rect_of(area, viewport);
        if let Some((_, _, texture)) = &self.of {
            let whole = Rect::from_min_max(Pos2::ZERO, pos2(1.0, 1.0));
            painter.image(texture.id(), rect, whole, Color32::WHITE);
        }
        let middle = rect.center();
        for x in [rect.left(), middle.x, rect.right()] {
            for y in [rect.top(), middle.y, rect.bottom()] {
                if pos2(x, y) != middle {
                    marks::handle(painter, pos2(x, y));
                }
            }
        }
    }
}

/// A white image whose opacity is the picture's brightness, so that the spectrogram shows through dark areas.
fn image_of(view: &PictureView<'_>) -> ColorImage {
    let whole = view.size();
    let size = whole.map(|side| side.clamp(1, MAX_SIDE));
    let nearest = |i: usize, side: usize| (i * whole[side] / size[side]).min(whole[side].saturating_sub(1));
    let pixel = |(x, y): (usize, usize)| {
        let (x, y) = (nearest(x, 0), nearest(y, 1));
        let opacity = view.brightness(x, y) * view.alpha(x, y) * OPACITY;
        Color32::from_white_alpha((opacity * 255.0).round().clamp(0.0, 255.0) as u8)
    };
    let places = (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| (x, y)));
    ColorImage::new(size, places.map(pixel).collect())
}

/// The rectangle of an area, in points of the window.
fn rect_of(area: &PictureArea, viewport: &Viewport) -> Rect {
    let [left, right] = area.secs.map(|secs| viewport.x_from_secs(secs) as f32);
    let [bottom, top] = area.hz.map(|hz| viewport.y_from_hz(hz) as f32);
    Rect::from_min_max(pos2(left, top), pos2(right, bottom))
}

/// The edge or corner under a press; `None` elsewhere.
pub fn grip_at(area: &PictureArea, viewport: &Viewport, at: Pos2) -> Option<Grip> {
    edges::grip_at(rect_of(area, viewport), at, REACH_POINTS, [true, true])
}

/// An area after dragging one of its edges or corners; with `keeps` a corner preserves the aspect ratio.
pub fn resized(area: &PictureArea, grip: Grip, viewport: &Viewport, places: [Pos2; 2], keeps: bool) -> PictureArea {
    let [start, now] = places;
    let axis = area.axis;
    let min_hz = if axis == Axis::Log { 1.0 } else { 0.0 };
    let units = |hz: f64| axis.units_from_hz(hz.max(min_hz));
    let by = [
        viewport.secs_from_x(f64::from(now.x)) - viewport.secs_from_x(f64::from(start.x)),
        units(viewport.hz_from_y(f64::from(now.y))) - units(viewport.hz_from_y(f64::from(start.y))),
    ];
    let edges = [area.secs, area.hz.map(units)];
    let min = [MIN_POINTS * viewport.secs_per_pixel(), MIN_POINTS * viewport.units_per_pixel()];
    let length = |side: usize| edges[side][1] - edges[side][0];
    let mut lengths = [0, 1].map(|side| (length(side) + f64::from(grip[side]) * by[side]).max(min[side]));
    if keeps && grip.iter().all(|side| *side != 0) {
        let factor = (lengths[0] / length(0)).max(lengths[1] / length(1));
        lengths = [0, 1].map(|side| length(side) * factor);
    }
    let [secs, held] = [0, 1].map(|side| {
        let [low, high] = edges[side];
        match grip[side] {
            -1 => [high - lengths[side], high],
            1 => [low, low + lengths[side]],
            _ => [low, high],
        }
    });
    let hz =
        [0, 1].map(|edge| if held[edge] == edges[1][edge] { area.hz[edge] } else { axis.hz_from_units(held[edge]) });
    PictureArea { secs, hz, axis }
}

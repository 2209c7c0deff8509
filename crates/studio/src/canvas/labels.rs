//! Labels over a picture: a line for a marker, the outline of a range with its band, and the text at the top.

use super::super::theme::{self, Palette};
use crate::document::labels::LabelSet;
use crate::view::Viewport;
use egui::{Painter, Rect, Stroke, StrokeKind, pos2, vec2};

/// Narrower than this, a range is drawn as a marker.
const LEAST_POINTS: f32 = 2.0;
/// More labels in view than this are drawn without their texts.
const MOST_TEXTS: usize = 400;
/// And more than this are not drawn one by one.
const MOST_DRAWN: usize = 4_000;

pub fn draw(painter: &Painter, rect: Rect, viewport: &Viewport, labels: &LabelSet, palette: &Palette) {
    if labels.is_empty() {
        return;
    }
    let painter = painter.with_clip_rect(rect);
    let in_view: Vec<_> = labels.in_range(viewport.secs).take(MOST_DRAWN).collect();
    let (line, has_texts) = (Stroke::new(1.0, palette.accent), in_view.len() <= MOST_TEXTS);
    let mut last_right = f32::MIN;
    for label in in_view {
        let [left, right] = label.secs.map(|secs| (viewport.x_from_secs(secs) as f32).clamp(-1e6, 1e6));
        let band = label.band_hz(viewport.hz[1]);
        let [top, bottom] = band.map_or([rect.top(), rect.bottom()], |[low, high]| {
            [high, low].map(|hz| viewport.y_from_hz(hz).clamp(-1e6, 1e6) as f32)
        });
        if right - left < LEAST_POINTS {
            painter.line_segment([pos2(left, top), pos2(left, bottom)], line);
        } else {
            let outline = Rect::from_min_max(pos2(left, top), pos2(right, bottom));
            painter.rect_stroke(outline, 0.0, line, StrokeKind::Inside);
        }
        let text = label.text.lines().next().unwrap_or_default();
        let at = pos2(left.max(rect.left()) + 3.0, rect.top() + 2.0);
        if has_texts && !text.is_empty() && at.x > last_right {
            let galley = painter.layout_no_wrap(text.into(), theme::regular(theme::CAPTION), palette.text_strong);
            let face = Rect::from_min_size(at, galley.size()).expand2(vec2(2.0, 1.0));
            painter.rect_filled(face, theme::RADIUS_SEGMENT, palette.raised);
            last_right = face.right();
            painter.galley(at, galley, palette.text_strong);
        }
    }
}

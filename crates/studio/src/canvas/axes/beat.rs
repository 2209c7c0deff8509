//! Bars and beats: lines on the pictures, and numbers in a strip below the time ruler. Painting only.

use crate::canvas::overlay::marks::dark;
use crate::document::BeatGrid;
use crate::view::{BeatLineKind, Viewport, beat_lines};
use crate::widgets::theme;
use crate::widgets::theme::{CANVAS_LIGHT, CAPTION, Palette};
use egui::{Painter, Rect, Stroke, pos2};

/// Minimum gap between numbers, in points.
const NUMBER_GAP: f32 = 8.0;

/// Lines at bars, and fainter ones at beats and their subdivisions: a light line over a dark one, as for all marks on
/// the canvas, but subtle.
pub fn lines(painter: &Painter, pane: Rect, viewport: &Viewport, grid: &BeatGrid) {
    for line in beat_lines(grid, viewport) {
        let x = (viewport.x_from_secs(line.secs) as f32).round() + 0.5;
        let [below, above] = match line.kind {
            BeatLineKind::Bar => [0.3, 0.42],
            BeatLineKind::Beat => [0.2, 0.2],
            BeatLineKind::Part => [0.12, 0.1],
        };
        painter.vline(x + 1.0, pane.y_range(), Stroke::new(1.0, dark(below)));
        painter.vline(x, pane.y_range(), Stroke::new(1.0, CANVAS_LIGHT.gamma_multiply(above)));
    }
}

/// The numbers of bars, and of beats where they fit, next to ticks.
pub fn ruler(painter: &Painter, strip: Rect, viewport: &Viewport, grid: &BeatGrid, palette: &Palette) {
    let painter = painter.with_clip_rect(strip);
    painter.rect_filled(strip, 0.0, palette.raised);
    let all = beat_lines(grid, viewport);
    let galley = |label: &str, colour| painter.layout_no_wrap(label.to_owned(), theme::regular(CAPTION), colour);
    let bars: Vec<f32> = all
        .iter()
        .filter(|line| line.kind == BeatLineKind::Bar)
        .map(|line| viewport.x_from_secs(line.secs) as f32)
        .collect();
    let mut last_right = f32::MIN;
    for line in &all {
        let x = viewport.x_from_secs(line.secs) as f32;
        let is_bar = line.kind == BeatLineKind::Bar;
        let (height, colour) = match line.kind {
            BeatLineKind::Bar => (strip.height(), palette.text_weak),
            BeatLineKind::Beat => (6.0, palette.stroke_strong),
            BeatLineKind::Part => (3.0, palette.stroke_strong),
        };
        let tick = [pos2(x, strip.bottom() - height), pos2(x, strip.bottom())];
        painter.line_segment(tick, Stroke::new(1.0, colour));
        let Some(label) = &line.label else { continue };
        let galley = galley(label, if is_bar { palette.text } else { palette.text_weak });
        let (left, right) = (x + 3.0, x + 3.0 + galley.size().x + NUMBER_GAP);
        // The number of a beat is hidden where it would overlap that of the next bar.
        let next_bar = bars.iter().copied().find(|bar| *bar > x).unwrap_or(f32::MAX);
        if left >= last_right && (is_bar || right <= next_bar) {
            last_right = right;
            painter.galley(pos2(left, strip.top() + 1.0), galley, palette.text);
        }
    }
}

//! Search results: ticks on the rulers and a faint tint on the pictures, where many outlines would hide their contents.

use crate::dsp::{Combine, Selection, ShapeExtent};
use crate::view::Viewport;
use crate::widgets::theme::{CANVAS_LIGHT, Palette};
use crate::workbench::{OpenDocument, found_places};
use egui::{Painter, Rangef, Rect};

/// Opacity of the white tint over a result.
const TINT: f32 = 0.22;
/// Minimum width of a tint and of a tick, in points.
const MIN_WIDTH: f32 = 2.0;
/// Length of a tick.
const TICK: f32 = 8.0;

/// The extents of all search results, if the selection consists of them alone; otherwise empty.
pub fn places_alone(document: &OpenDocument) -> Vec<ShapeExtent> {
    let is_alone = |selection: &&Selection| matches!(selection.shapes.as_slice(), [_] | [.., (Combine::Intersect, _)]);
    if document.selection().filter(is_alone).is_some() { found_places(document) } else { Vec::new() }
}

/// Draws the tint of each result in view.
pub fn tints(painter: &Painter, pane: Rect, viewport: &Viewport, places: &[ShapeExtent]) {
    let face = CANVAS_LIGHT.gamma_multiply(TINT);
    let mut last: Option<Rect> = None;
    for [secs, hz] in places {
        let x = secs.map_or(pane.x_range(), |secs| x_range(viewport, secs));
        let y = hz.map_or(pane.y_range(), |hz| y_range(viewport, hz));
        let rect = Rect::from_x_y_ranges(x, y);
        // Zoomed out, several results cover the same pixels, and their tints would add up.
        if rect.intersects(pane) && last.is_none_or(|last| !last.contains(rect.center())) {
            painter.rect_filled(rect, 0.0, face);
            last = Some(rect);
        }
    }
}

/// Draws a tick on the time ruler at each result that has a time range.
pub fn time_ticks(painter: &Painter, ruler: Rect, viewport: &Viewport, places: &[ShapeExtent], palette: &Palette) {
    let ranges = places.iter().filter_map(|[secs, _]| Some(x_range(viewport, (*secs)?)));
    for x in apart(ranges, ruler.x_range()) {
        painter.rect_filled(Rect::from_x_y_ranges(x, ruler.bottom() - TICK..=ruler.bottom()), 0.0, palette.accent);
    }
}

/// Draws a tick on the frequency ruler at each result that spans all times, such as a line of hum.
pub fn hz_ticks(painter: &Painter, ruler: Rect, viewport: &Viewport, places: &[ShapeExtent], palette: &Palette) {
    let ranges = places.iter().filter(|place| place[0].is_none()).filter_map(|[_, hz]| Some(y_range(viewport, (*hz)?)));
    for y in apart(ranges, ruler.y_range()) {
        painter.rect_filled(Rect::from_x_y_ranges(ruler.right() - TICK..=ruler.right(), y), 0.0, palette.accent);
    }
}

/// Visible ranges, without those that overlap the previous one.
fn apart(ranges: impl Iterator<Item = Rangef>, seen: Rangef) -> Vec<Rangef> {
    let mut all: Vec<Rangef> = Vec::new();
    for range in ranges.filter(|range| range.max >= seen.min && range.min <= seen.max) {
        if all.last().is_none_or(|last| !last.contains(range.center())) {
            all.push(range);
        }
    }
    all
}

fn x_range(viewport: &Viewport, secs: [f64; 2]) -> Rangef {
    let [left, right] = secs.map(|secs| viewport.x_from_secs(secs).clamp(-1e6, 1e6) as f32);
    widened(Rangef::new(left, right))
}

fn y_range(viewport: &Viewport, hz: [f64; 2]) -> Rangef {
    let [bottom, top] = hz.map(|hz| viewport.y_from_hz(hz).clamp(-1e6, 1e6) as f32);
    widened(Rangef::new(top, bottom))
}

fn widened(range: Rangef) -> Rangef {
    range.expand(((MIN_WIDTH - range.span()) / 2.0).max(0.0))
}

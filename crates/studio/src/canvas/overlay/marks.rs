//! Marks on the canvas: always a light line over a dark one, never in a theme colour.

use crate::dsp::{Combine, Grid};
use crate::view::Viewport;
use crate::widgets::theme;
use crate::widgets::theme::{CANVAS_DARK, CANVAS_LIGHT};
use crate::workbench::{OpenDocument, Tools};
use egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, pos2, vec2};

/// State that the marks are drawn from.
pub struct MarkContext<'a> {
    pub document: &'a OpenDocument,
    pub tools: &'a Tools,
    pub grid: &'a Grid,
    pub hovered: Option<(Pos2, Viewport)>,
    pub heard: PlaybackMarks,
}

/// Playback state of a document.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlaybackMarks {
    /// Position of the playhead.
    pub playhead_secs: Option<f64>,
    /// The audible frequencies, if not played at normal speed.
    pub audible_hz: Option<[f64; 2]>,
}

/// Minimum drawn diameter of a brush, in points.
const MIN_RING_SIZE: f32 = 8.0;

pub(in crate::canvas) fn dark(opacity: f32) -> Color32 {
    CANVAS_DARK.gamma_multiply(opacity)
}

/// Length of the dashes of a selection's outline, in points.
pub(in crate::canvas) const DASH: f32 = 5.0;
/// Length of the gaps between the dashes, in points.
pub(in crate::canvas) const GAP: f32 = 4.0;
/// Speed of marching ants, in points per second.
const ANTS_SPEED: f64 = 12.0;
/// Seconds without input after which the ants stop, so that an idle window is not redrawn.
const ANTS_IDLE_SECS: f64 = 10.0;

/// Marching ants of a selection's outline.
#[derive(Debug, Default)]
pub struct Ants {
    last_touch_secs: f64,
    offset: f32,
}

impl Ants {
    /// Their offset, from 0 to the length of a dash with its gap; requests the next frame while they march. They stop
    /// in a window that is minimised, has no focus or was idle for a while.
    pub fn offset(&mut self, ui: &egui::Ui, are_seen: bool) -> Option<f32> {
        let (time_secs, is_touched, is_awake) = ui.input(|input| {
            let viewport = input.viewport();
            let is_awake = viewport.focused.unwrap_or(input.focused) && !viewport.minimized.unwrap_or(false);
            (input.time, !input.events.is_empty(), is_awake)
        });
        if is_touched {
            self.last_touch_secs = time_secs;
        }
        if are_seen && is_awake && time_secs - self.last_touch_secs < ANTS_IDLE_SECS {
            // Quantised to whole points, so that redraws for other reasons show the same offset.
            self.offset = ((time_secs * ANTS_SPEED).floor() % f64::from(DASH + GAP)) as f32;
            ui.ctx().request_repaint_after(std::time::Duration::from_secs_f64(1.0 / ANTS_SPEED));
        }
        Some(self.offset)
    }
}

/// Draws a lasso in progress, with its corners if drawn by clicks, and a line to the pointer.
pub fn lasso(painter: &Painter, mut line: Vec<Pos2>, has_corners: bool, pointer: Option<Pos2>) {
    let corners = line.clone();
    line.extend(pointer);
    painter.add(Shape::line(line.clone(), Stroke::new(3.0, dark(0.55))));
    painter.add(Shape::line(line, Stroke::new(1.0, CANVAS_LIGHT)));
    for (i, &corner) in corners.iter().enumerate().filter(|_| has_corners) {
        let size = if i == 0 { 9.0 } else { 5.0 };
        painter.rect_filled(Rect::from_center_size(corner, vec2(size + 2.0, size + 2.0)), 0.0, dark(0.55));
        painter.rect_filled(Rect::from_center_size(corner, vec2(size, size)), 0.0, CANVAS_LIGHT);
    }
}

/// Beside the pointer: plus if a shape is added, minus if subtracted, both crossed for intersection.
pub fn joining(painter: &Painter, at: Pos2, combine: Option<Combine>) {
    let middle = at + vec2(14.0, -12.0);
    let across = [middle - vec2(4.0, 0.0), middle + vec2(4.0, 0.0)];
    let up = [middle - vec2(0.0, 4.0), middle + vec2(0.0, 4.0)];
    let lines: &[[Pos2; 2]] = match combine {
        None => &[],
        Some(Combine::Add) => &[across, up],
        Some(Combine::Subtract) => &[across],
        Some(Combine::Intersect) => {
            &[[middle - vec2(4.0, 4.0), middle + vec2(4.0, 4.0)], [middle - vec2(4.0, -4.0), middle + vec2(4.0, -4.0)]]
        }
    };
    for (width, colour) in [(3.0, dark(0.65)), (1.25, CANVAS_LIGHT)] {
        lines.iter().for_each(|line| {
            painter.line_segment(*line, Stroke::new(width, colour));
        });
    }
}

/// Lines along an onset and a peak that the pointer snaps to, with a diamond on each at the pointer.
pub fn snapped(painter: &Painter, pane: Rect, onset_x: Option<f32>, peak_y: Option<f32>, at: Pos2) {
    let lines = [
        onset_x.map(|x| ([pos2(x, pane.top()), pos2(x, pane.bottom())], pos2(x, at.y))),
        peak_y.map(|y| ([pos2(pane.left(), y), pos2(pane.right(), y)], pos2(at.x, y))),
    ];
    for (line, middle) in lines.into_iter().flatten() {
        painter.line_segment(line, Stroke::new(3.0, dark(0.35)));
        painter.extend(Shape::dashed_line(&line, Stroke::new(1.0, CANVAS_LIGHT.gamma_multiply(0.8)), 3.0, 5.0));
        let corners = [vec2(0.0, -5.0), vec2(5.0, 0.0), vec2(0.0, 5.0), vec2(-5.0, 0.0)].map(|by| middle + by);
        painter.add(Shape::convex_polygon(corners.to_vec(), CANVAS_LIGHT, Stroke::new(1.5, CANVAS_DARK)));
    }
}

/// Draws a draggable handle: a light square on a dark one.
pub fn handle(painter: &Painter, at: Pos2) {
    let square = |size: f32| Rect::from_center_size(at, vec2(size, size));
    painter.rect_filled(square(9.0), 0.0, CANVAS_DARK);
    painter.rect_filled(square(7.0), 0.0, CANVAS_LIGHT);
}

/// Horizontal lines at the partials, starting at the pen, each with its strength, 0 to 1; the line at the pen's own
/// pitch is always opaque.
pub fn partials(painter: &Painter, x: [f32; 2], lines: &[(f32, f32)], root_y: f32) {
    let across = |y: f32| [pos2(x[0], y), pos2(x[1], y)];
    let root = std::iter::once((root_y, 1.0));
    for (y, part) in lines.iter().copied().chain(root) {
        let opacity = 0.2 + 0.8 * part;
        painter.line_segment(across(y), Stroke::new(3.0, dark(0.4 * opacity)));
        painter.line_segment(across(y), Stroke::new(1.0, CANVAS_LIGHT.gamma_multiply(opacity)));
    }
}

/// The keyboard's cursor: lines across the pane with a gap in the middle.
pub fn crosshair(painter: &Painter, at: Pos2) {
    let pane = painter.clip_rect();
    let gap = 6.0;
    let lines = [
        [pos2(pane.left(), at.y), pos2(at.x - gap, at.y)],
        [pos2(at.x + gap, at.y), pos2(pane.right(), at.y)],
        [pos2(at.x, pane.top()), pos2(at.x, at.y - gap)],
        [pos2(at.x, at.y + gap), pos2(at.x, pane.bottom())],
    ];
    for (width, colour) in [(3.0, dark(0.6)), (1.0, CANVAS_LIGHT)] {
        lines.iter().for_each(|line| {
            painter.line_segment(*line, Stroke::new(width, colour));
        });
    }
}

/// A text at a corner, kept inside the pane.
pub fn tag(painter: &Painter, pane: Rect, corner: Pos2, words: &str) {
    let galley = painter.layout_no_wrap(words.to_owned(), theme::medium(theme::CAPTION), CANVAS_LIGHT);
    let size = galley.size() + vec2(8.0, 4.0);
    let x = corner.x.min(pane.right() - size.x).max(pane.left());
    let above = corner.y - size.y - 2.0;
    let y = if above >= pane.top() { above } else { corner.y.max(pane.top()) + 2.0 };
    let rect = Rect::from_min_size(pos2(x, y), size);
    painter.rect_filled(rect, 3.0, dark(0.75));
    painter.galley(rect.min + vec2(4.0, 2.0), galley, CANVAS_LIGHT);
}

/// The brush's footprint: a ring around the affected area, and a dashed ring around the part of full strength.
pub fn brush(painter: &Painter, at: Pos2, radius: [f32; 2], hardness: f32) {
    let seen = radius.map(|radius| radius.max(MIN_RING_SIZE / 2.0));
    let ring = ellipse(at, seen);
    painter.add(Shape::line(ring.clone(), Stroke::new(3.0, dark(0.65))));
    painter.add(Shape::line(ring, Stroke::new(1.25, CANVAS_LIGHT)));
    if (0.05..0.98).contains(&hardness) && radius.iter().all(|&radius| radius > MIN_RING_SIZE) {
        let inner = ellipse(at, radius.map(|radius| radius * hardness));
        painter.add(Shape::line(inner.clone(), Stroke::new(3.0, dark(0.65))));
        painter.extend(Shape::dashed_line(&inner, Stroke::new(1.25, CANVAS_LIGHT), 2.0, 3.0));
    }
    for (width, colour) in [(3.0, dark(0.6)), (1.0, CANVAS_LIGHT)] {
        painter.line_segment([at - vec2(3.0, 0.0), at + vec2(3.0, 0.0)], Stroke::new(width, colour));
        painter.line_segment([at - vec2(0.0, 3.0), at + vec2(0.0, 3.0)], Stroke::new(width, colour));
    }
}

fn ellipse(centre: Pos2, radius: [f32; 2]) -> Vec<Pos2> {
    let n = ((radius[0] + radius[1]) / 2.0).clamp(24.0, 128.0) as usize;
    let point = |i: usize| {
        let (sin, cos) = (i as f32 / n as f32 * std::f32::consts::TAU).sin_cos();
        centre + vec2(cos * radius[0], sin * radius[1])
    };
    (0..=n).map(point).collect()
}

/// A line across all frequencies at one time.
pub fn time_line(painter: &Painter, pane: Rect, x: f32, dashed: bool) {
    let line = [pos2(x, pane.top()), pos2(x, pane.bottom())];
    painter.line_segment(line, Stroke::new(3.0, dark(0.6)));
    if dashed {
        painter.extend(Shape::dashed_line(&line, Stroke::new(1.0, CANVAS_LIGHT), 2.0, 3.0));
    } else {
        painter.line_segment(line, Stroke::new(1.0, CANVAS_LIGHT));
    }
}

/// A line across all times at one frequency.
pub fn hz_line(painter: &Painter, pane: Rect, y: f32) {
    for (width, colour) in [(3.0, dark(0.6)), (1.0, CANVAS_LIGHT)] {
        painter.hline(pane.x_range(), y, Stroke::new(width, colour));
    }
}

/// Source of a clone: a dashed ring, and a line to the pointer.
pub fn clone_source(painter: &Painter, at: Pos2, radius: [f32; 2], pointer: Option<Pos2>) {
    let ring = ellipse(at, radius.map(|radius| radius.max(MIN_RING_SIZE / 2.0)));
    painter.add(Shape::line(ring.clone(), Stroke::new(3.0, dark(0.65))));
    painter.extend(Shape::dashed_line(&ring, Stroke::new(1.25, CANVAS_LIGHT), 4.0, 4.0));
    let arms = [[at - vec2(3.0, 0.0), at + vec2(3.0, 0.0)], [at - vec2(0.0, 3.0), at + vec2(0.0, 3.0)]];
    for (width, colour) in [(3.0, dark(0.6)), (1.0, CANVAS_LIGHT)] {
        for arm in arms {
            painter.line_segment(arm, Stroke::new(width, colour));
        }
        if let Some(pointer) = pointer {
            painter.line_segment([at, pointer], Stroke::new(width * 0.6, colour.gamma_multiply(0.6)));
        }
    }
}

/// The playhead's head on the time ruler, 13 x 15, its tip at the ruler's lower edge.
pub fn playhead_head(painter: &Painter, x: f32, bottom: f32, colour: Color32) {
    let top = bottom - 15.0;
    let points = vec![
        pos2(x - 6.5, top),
        pos2(x + 6.5, top),
        pos2(x + 6.5, top + 8.0),
        pos2(x, bottom),
        pos2(x - 6.5, top + 8.0),
    ];
    painter.add(Shape::convex_polygon(points, colour, Stroke::NONE));
}

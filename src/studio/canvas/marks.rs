//! Marks on the canvas: always a light line over a dark one, never a colour of the theme.

use super::super::theme::{self, CANVAS_DARK, CANVAS_LIGHT};
use crate::dsp::{Combine, Selection, Shape as Selected, mask};
use crate::view::{Viewport, contours};
use egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, pos2, vec2};

/// A brush smaller than this is drawn this large, with a cross.
const LEAST_RING: f32 = 8.0;

fn dark(opacity: f32) -> Color32 {
    CANVAS_DARK.gamma_multiply(opacity)
}

/// Dashes of a selection's outline, and what lies between them, in points.
const DASH: f32 = 5.0;
const GAP: f32 = 4.0;
/// Points that they walk a second.
const ANTS_SPEED: f64 = 12.0;
/// They stand still when nobody has touched anything for so long: a still window costs nothing.
const ANTS_REST_SECS: f64 = 10.0;

/// The dashes of a selection's outline, which walk.
#[derive(Debug, Default)]
pub struct Ants {
    last_touch_secs: f64,
    offset: f32,
}

impl Ants {
    /// How far they have walked, from 0 to the length of a dash with its gap; asks for the next frame while they do.
    /// They stand in a window that is minimised, has no focus or was not touched for a while.
    pub fn offset(&mut self, ui: &egui::Ui, are_seen: bool) -> Option<f32> {
        let (time_secs, is_touched, is_awake) = ui.input(|input| {
            let viewport = input.viewport();
            let is_awake = viewport.focused.unwrap_or(input.focused) && !viewport.minimized.unwrap_or(false);
            (input.time, !input.events.is_empty(), is_awake)
        });
        if is_touched {
            self.last_touch_secs = time_secs;
        }
        if are_seen && is_awake && time_secs - self.last_touch_secs < ANTS_REST_SECS {
            // Whole steps, however often the window is drawn for other reasons.
            self.offset = ((time_secs * ANTS_SPEED).floor() % f64::from(DASH + GAP)) as f32;
            ui.ctx().request_repaint_after(std::time::Duration::from_secs_f64(1.0 / ANTS_SPEED));
        }
        Some(self.offset)
    }
}

/// Points between two places at which a selection is looked at for its outline.
const OUTLINE_STEP: f32 = 3.0;

/// The outlines of selections, kept as long as neither they nor the view change.
#[derive(Debug, Default)]
pub struct Outlines(Vec<Outline>);

#[derive(Debug)]
struct Outline {
    selection: Selection,
    viewport: Viewport,
    inner: Vec<Vec<Pos2>>,
    /// How far soft edges reach.
    outer: Vec<Vec<Pos2>>,
}

impl Outlines {
    /// Draws a selection's outline, where it is half selected, and soft edges as far as they reach. `ants` is how far
    /// the dashes have walked, in points; none is a selection in the making, which is solid.
    pub fn draw(
        &mut self,
        painter: &Painter,
        viewport: &Viewport,
        pane: Rect,
        selection: &Selection,
        ants: Option<f32>,
    ) {
        let is_same = |known: &Outline| known.viewport == *viewport && known.selection == *selection;
        if !self.0.iter().any(is_same) {
            // Both panes, with and without what is in the making.
            if self.0.len() >= 4 {
                self.0.remove(0);
            }
            self.0.push(Outline::new(viewport, pane, selection));
        }
        let Some(outline) = self.0.iter().find(|known| is_same(known)) else { return };
        if ants.is_some() {
            for line in &outline.outer {
                painter.add(Shape::line(line.clone(), Stroke::new(3.0, dark(0.35))));
                let light = Stroke::new(1.0, CANVAS_LIGHT.gamma_multiply(0.5));
                painter.extend(Shape::dashed_line(line, light, 1.0, 3.0));
            }
        }
        for line in &outline.inner {
            painter.add(Shape::line(line.clone(), Stroke::new(3.0, dark(0.55))));
            painter.add(Shape::line(line.clone(), Stroke::new(1.5, CANVAS_DARK)));
            match ants {
                None => _ = painter.add(Shape::line(line.clone(), Stroke::new(1.0, CANVAS_LIGHT))),
                Some(offset) => {
                    let light = Stroke::new(1.5, CANVAS_LIGHT);
                    painter.extend(Shape::dashed_line_with_offset(line, light, &[DASH], &[GAP], offset));
                }
            }
        }
    }
}

impl Outline {
    fn new(viewport: &Viewport, pane: Rect, selection: &Selection) -> Outline {
        let (inner, outer) = match selection.shapes.as_slice() {
            [(Combine::Add, Selected::Rectangle { secs, hz, feather, axis })] => {
                // Exactly where its numbers say.
                let rect =
                    |grow: f64| outline(rectangle(viewport, pane, *secs, *hz, feather.map(|by| grow * by), *axis));
                let is_soft = feather.iter().any(|&width| width > 0.0);
                (vec![rect(0.0)], if is_soft { vec![rect(1.0)] } else { Vec::new() })
            }
            _ => contoured(viewport, pane, selection),
        };
        Outline { selection: selection.clone(), viewport: *viewport, inner, outer }
    }
}

fn rectangle(
    viewport: &Viewport,
    pane: Rect,
    secs: Option<[f64; 2]>,
    hz: Option<[f64; 2]>,
    grow: [f64; 2],
    axis: crate::dsp::Axis,
) -> Rect {
    let time = secs.map_or([pane.left() - 2.0, pane.right() + 2.0], |[from, to]| {
        [from - grow[0], to + grow[0]].map(|secs| viewport.x_from_secs(secs) as f32)
    });
    let band = hz.map_or([pane.bottom() + 2.0, pane.top() - 2.0], |[low, high]| {
        let edge = |hz: f64, by: f64| {
            let grown = axis.hz_from_units(axis.units_from_hz(hz) + by);
            viewport.y_from_hz(grown).clamp(-1e5, 1e5) as f32
        };
        [edge(low, -grow[1]), edge(high, grow[1])]
    });
    Rect::from_two_pos(pos2(time[0], band[0]), pos2(time[1], band[1]))
}

/// The lines along which any selection is half selected, and along which it begins.
fn contoured(viewport: &Viewport, pane: Rect, selection: &Selection) -> (Vec<Vec<Pos2>>, Vec<Vec<Pos2>>) {
    let area = pane.expand(2.0 * OUTLINE_STEP);
    let n = |length: f32| (length / OUTLINE_STEP).ceil() as usize + 1;
    let (n_rows, n_columns) = (n(area.width()), n(area.height()));
    let x = |row: f32| area.left() + row * OUTLINE_STEP;
    let y = |column: f32| area.bottom() - column * OUTLINE_STEP;
    let secs: Vec<f64> = (0..n_rows).map(|row| viewport.secs_from_x(f64::from(x(row as f32)))).collect();
    let hz: Vec<f64> = (0..n_columns).map(|column| viewport.hz_from_y(f64::from(y(column as f32)))).collect();
    let values = mask::sample(selection, &secs, &hz);
    let lines = |level: f32| {
        let lines = contours(&values, n_rows, n_columns, level).into_iter();
        lines.map(|line| line.into_iter().map(|[row, column]| pos2(x(row), y(column))).collect()).collect()
    };
    let is_soft = values.iter().any(|value| (0.02..0.98).contains(value));
    (lines(0.5), if is_soft { lines(0.02) } else { Vec::new() })
}

/// A line around something in the making, its corners if it is drawn by clicks, and where it goes next.
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

/// Beside the pointer: plus where a shape is added, minus where it is subtracted, both crossed where they intersect.
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

/// Lines along an onset and a peak that the pointer catches on, and a diamond on each beside the pointer.
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

/// The keyboard's cursor: lines across the pane, open in the middle.
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

/// Words over a corner, inside the pane.
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

fn outline(rect: Rect) -> Vec<Pos2> {
    vec![rect.left_top(), rect.right_top(), rect.right_bottom(), rect.left_bottom(), rect.left_top()]
}

/// The brush's footprint: what is inside the ring is reached, what is inside the dashes with full strength.
pub fn brush(painter: &Painter, at: Pos2, radius: [f32; 2], hardness: f32) {
    let seen = radius.map(|radius| radius.max(LEAST_RING / 2.0));
    let ring = ellipse(at, seen);
    painter.add(Shape::line(ring.clone(), Stroke::new(3.0, dark(0.65))));
    painter.add(Shape::line(ring, Stroke::new(1.25, CANVAS_LIGHT)));
    if (0.05..0.98).contains(&hardness) && radius.iter().all(|&radius| radius > LEAST_RING) {
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

/// Where a clone takes sound from: a dashed ring, and a line to the pointer.
pub fn clone_source(painter: &Painter, at: Pos2, radius: [f32; 2], pointer: Option<Pos2>) {
    let ring = ellipse(at, radius.map(|radius| radius.max(LEAST_RING / 2.0)));
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

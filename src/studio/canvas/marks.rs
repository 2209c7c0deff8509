//! Marks on the canvas: always a light line over a dark one, never a colour of the theme.

use super::super::theme::{CANVAS_DARK, CANVAS_LIGHT};
use crate::dsp::{Combine, Selection, Shape as Selected};
use crate::view::Viewport;
use egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, pos2, vec2};

/// A brush smaller than this is drawn this large, with a cross.
const LEAST_RING: f32 = 8.0;

fn dark(opacity: f32) -> Color32 {
    CANVAS_DARK.gamma_multiply(opacity)
}

/// A selection's outline; what is subtracted is outlined too, and soft edges as far as they reach.
pub fn selection(painter: &Painter, viewport: &Viewport, pane: Rect, selection: &Selection, in_the_making: bool) {
    for (combine, shape) in &selection.shapes {
        let Selected::Rectangle { secs, hz, feather, axis } = shape;
        let rect = |grow: f64| {
            let time = secs.map_or([pane.left() - 2.0, pane.right() + 2.0], |[from, to]| {
                [from - grow * feather[0], to + grow * feather[0]].map(|secs| viewport.x_from_secs(secs) as f32)
            });
            let band = hz.map_or([pane.bottom() + 2.0, pane.top() - 2.0], |[low, high]| {
                let edge = |hz: f64, sign: f64| {
                    let grown = axis.hz_from_units(axis.units_from_hz(hz) + sign * grow * feather[1]);
                    viewport.y_from_hz(grown).clamp(-1e5, 1e5) as f32
                };
                [edge(low, -1.0), edge(high, 1.0)]
            });
            Rect::from_two_pos(pos2(time[0], band[0]), pos2(time[1], band[1]))
        };
        let outer = outline(rect(1.0));
        if feather.iter().any(|&width| width > 0.0) && *combine != Combine::Subtract && !in_the_making {
            painter.add(Shape::line(outer.clone(), Stroke::new(3.0, dark(0.35))));
            let light = Stroke::new(1.0, CANVAS_LIGHT.gamma_multiply(0.5));
            painter.extend(Shape::dashed_line(&outer, light, 1.0, 3.0));
        }
        let inner = outline(rect(0.0));
        painter.add(Shape::line(inner.clone(), Stroke::new(3.0, dark(0.55))));
        painter.add(Shape::line(inner.clone(), Stroke::new(1.5, CANVAS_DARK)));
        if in_the_making {
            painter.add(Shape::line(inner, Stroke::new(1.0, CANVAS_LIGHT)));
        } else {
            painter.extend(Shape::dashed_line(&inner, Stroke::new(1.5, CANVAS_LIGHT), 5.0, 4.0));
        }
    }
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

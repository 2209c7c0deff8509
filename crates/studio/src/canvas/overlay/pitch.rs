//! The pitch line over the pictures: the fundamental where the sound has one.

use super::marks::dark;
use crate::document::PitchLine;
use crate::dsp::pitch::pitch_line::VOICED;
use crate::view::Viewport;
use crate::widgets::theme::CANVAS_LIGHT;
use egui::{Painter, Pos2, Rect, Shape, Stroke, pos2};

/// Minimum distance between consecutive vertices of the line, in points of the window.
const MIN_SEPARATION: f32 = 0.75;

/// Draws the pitch line, light over dark, wherever the sound is voiced.
pub fn line(painter: &Painter, pane: Rect, viewport: &Viewport, line: &PitchLine) {
    for run in runs(pane, viewport, line) {
        let [below, above] = [(3.0, dark(0.5)), (1.5, CANVAS_LIGHT)].map(|(width, colour)| Stroke::new(width, colour));
        painter.add(Shape::line(run.clone(), below));
        painter.add(Shape::line(run, above));
    }
}

/// The vertices of each unbroken part of the line in view, in points of the window.
fn runs(pane: Rect, viewport: &Viewport, line: &PitchLine) -> Vec<Vec<Pos2>> {
    let at = |x: f32| (viewport.secs_from_x(f64::from(x)) / PitchLine::STEP_SECS).max(0.0) as usize;
    let n = line.points().len();
    let seen = at(pane.left()).saturating_sub(1).min(n)..(at(pane.right()) + 2).min(n);
    let (mut runs, mut run, mut last_hz) = (Vec::new(), Vec::<Pos2>::new(), 0.0f64);
    for index in seen {
        let point = line.points()[index];
        let is_on = point.confidence >= VOICED;
        let goes_on = is_on && (point.hz / last_hz).log2().abs() <= PitchLine::MAX_STEP_OCTAVES;
        if !goes_on && !run.is_empty() {
            runs.push(std::mem::take(&mut run));
        }
        if !is_on {
            continue;
        }
        last_hz = point.hz;
        let x = viewport.x_from_secs(index as f64 * PitchLine::STEP_SECS) as f32;
        let place = pos2(x, viewport.y_from_hz(point.hz) as f32);
        if run.last().is_none_or(|last| last.distance(place) >= MIN_SEPARATION) {
            run.push(place);
        }
    }
    runs.push(run);
    // A single point is a dot.
    for run in &mut runs {
        if let [only] = run[..] {
            run.push(only + egui::vec2(1.0, 0.0));
        }
    }
    runs
}

//! Converts tools to edits: the brush's size at a position, strokes, and selections drawn by hand.

use super::pointer::CLICK_POINTS;
use crate::canvas::snap::NoteCatch;
use crate::document::brushes::{Brush, CloneSource, DrawnVoice, Noise, VoicesBrush};
use crate::document::{Edit, PitchLine};
use crate::dsp::{Axis, Grid, Point, Selection, Shape, Stroke};
use crate::view::{SNAP_POINTS, Viewport, pitch_near};
use crate::workbench::{Donor, Radius, Tool, Tools, View};
use std::sync::Arc;

/// The brush's radius at a frequency, in seconds and axis units: never less than one hop and one bin.
pub fn radius_at(tools: &Tools, viewport: &Viewport, grid: &Grid, hz: f64) -> [f64; 2] {
    let axis = viewport.axis;
    let radius = match tools.radius() {
        Radius::Screen { points } => {
            [f64::from(points) * viewport.secs_per_pixel(), f64::from(points) * viewport.units_per_pixel()]
        }
        Radius::Locked { secs, octaves } if axis == Axis::Log => [secs, octaves],
        Radius::Locked { secs, octaves } => {
            let half = (octaves / 2.0).exp2();
            [secs, axis.units_from_hz(hz * half) - axis.units_from_hz(hz / half)]
        }
    };
    let hz = hz.max(if axis == Axis::Log { 1.0 } else { 0.0 });
    let one_bin = axis.units_from_hz(hz + grid.step_hz_at(hz)) - axis.units_from_hz(hz);
    [radius[0].max(grid.hop_secs()), radius[1].max(one_bin)]
}

/// The pen while drawing.
#[derive(Debug, Clone)]
pub struct Pen {
    /// Position, in points of the window.
    pub at: [f64; 2],
    /// Pressure, 0 to 1; that of a mouse is 1.
    pub pressure: f64,
    /// Notes and beats that points snap to; `None` while snapping is off.
    pub catch: Option<NoteCatch>,
    /// The pitch line that points snap to; none while it is hidden or snapping is off.
    pub line: Option<Arc<PitchLine>>,
}

/// A pointer's position as a point of a stroke, with full pressure and a frequency clamped to the spectrum.
pub fn point_at(viewport: &Viewport, grid: &Grid, at: [f64; 2]) -> Point {
    let min = if viewport.axis == Axis::Log { 1.0 } else { 0.0 };
    let hz = viewport.hz_from_y(at[1]).clamp(min, grid.nyquist_hz());
    Point { secs: viewport.secs_from_x(at[0]), hz, pressure: 1.0 }
}

/// [`point_at`] for a stroke of a brush: it snaps to the pitch line near it, else pitch snaps to the nearest note of
/// the scale and time to a line of the beat grid; pressure is the pen's.
pub fn drawn_point(brush: &Brush, viewport: &Viewport, grid: &Grid, pen: &Pen) -> Point {
    let point = Point { pressure: pen.pressure, ..point_at(viewport, grid, pen.at) };
    let line = pen.line.as_ref().filter(|_| follows_pitch(brush));
    if let Some(hz) = line.and_then(|line| pitch_near(line, viewport, pen.at, SNAP_POINTS)) {
        return Point { hz: hz.min(grid.nyquist_hz()), ..point };
    }
    let Some(catch) = pen.catch.filter(|_| brush.is_pitched()) else { return point };
    let note = catch.scale.nearest(point.hz);
    let hz = note.map_or(point.hz, |note| note.hz().min(grid.nyquist_hz()));
    Point { secs: catch.secs(viewport, point.secs), hz, ..point }
}

/// Whether strokes of a brush may follow a pitch line; warp and smudge strokes may not, since they move sound.
fn follows_pitch(brush: &Brush) -> bool {
    !matches!(brush, Brush::Warp(_) | Brush::Smudge(_))
}

/// Whether a point lies on a pitch line.
pub fn is_on_line(line: &PitchLine, point: &Point) -> bool {
    line.hz_at(point.secs).is_some_and(|hz| hz == point.hz)
}

/// The points of a pitch line between two points on it, with interpolated pressure; empty if either is off the line.
pub fn points_between(line: &PitchLine, from: &Point, to: &Point) -> Vec<Point> {
    if !is_on_line(line, from) || !is_on_line(line, to) {
        return Vec::new();
    }
    let pressure =
        |secs: f64| from.pressure + (to.pressure - from.pressure) * (secs - from.secs) / (to.secs - from.secs);
    let point = |[secs, hz]: [f64; 2]| Point { secs, hz, pressure: pressure(secs) };
    line.between(from.secs, to.secs).into_iter().map(point).collect()
}

/// The point that continues a stroke at the pen's position, if any: strokes of voices continue only once the pen has
/// moved away, so that a click remains a click. Until then the first point takes the maximum pressure.
pub fn next_point(edit: &Edit, viewport: &Viewport, point: Point) -> Option<Point> {
    let (Brush::Voices(_), Some(stroke)) = (&edit.brush, &edit.stroke) else { return Some(point) };
    let (first, last) = (stroke.points.first()?, stroke.points.last()?);
    let [from, to] = [first, &point].map(|point| viewport.x_from_secs(point.secs));
    let is_click = last.secs == first.secs && (to - from).abs() < f64::from(CLICK_POINTS);
    let harder = Point { pressure: point.pressure, ..*first };
    if is_click { (harder.pressure > last.pressure).then_some(harder) } else { Some(point) }
}

/// Source of the clone brush.
#[derive(Debug, Clone, Copy)]
pub enum CloneFrom<'a> {
    /// The sound itself, from this point.
    Place(Point),
    /// A passage of another sound.
    Sound(&'a Donor),
}

/// The edit that a press with the current tool begins; none for tools that don't paint, and for a clone without a
/// `source`.
pub fn begin_stroke(
    tools: &Tools,
    view: &View,
    selection: Option<&Selection>,
    viewport: &Viewport,
    grid: &Grid,
    pen: &Pen,
    source: Option<CloneFrom<'_>>,
) -> Option<Edit> {
    let mut brush = tools.brush()?;
    let point = drawn_point(&brush, viewport, grid, pen);
    match &mut brush {
        // A new seed per stroke, for different noise and phases.
        Brush::Noise(Noise { seed, .. }) | Brush::Voices(VoicesBrush::Drawn(DrawnVoice { seed, .. })) => {
            *seed = point.secs.to_bits() ^ point.hz.to_bits().rotate_left(32);
        }
        Brush::Clone(CloneSource { offset }) => match source? {
            CloneFrom::Place(source) => {
                let units = |hz| viewport.axis.units_from_hz(hz);
                *offset = [source.secs - point.secs, units(source.hz) - units(point.hz)];
            }
            CloneFrom::Sound(donor) => brush = donor.brush().into(),
        },
        _ => {}
    }
    let build_up = tools.settings().build_up && brush.builds_up();
    let stroke = Stroke {
        points: vec![point],
        axis: viewport.axis,
        radius: radius_at(tools, viewport, grid, point.hz),
        hardness: tools.settings().hardness,
        strength: tools.settings().strength,
        build_up,
    };
    Some(Edit {
        brush,
        stroke: Some(stroke),
        select: selection.cloned(),
        channels: view.channels.edited(),
        transform: view.transform.clone(),
        strength: 1.0,
        consistency_steps: None,
    })
}

/// The range, band or box between two positions of the pointer. Its soft edges are one hop and two bins wide.
pub fn shape_between(tool: Tool, viewport: &Viewport, grid: &Grid, places: [[f64; 2]; 2]) -> Shape {
    let duration_secs = grid.n_samples as f64 / grid.sample_rate_hz;
    let sorted = |a: f64, b: f64| [a.min(b), a.max(b)];
    let [a, b] = places;
    let secs =
        sorted(viewport.secs_from_x(a[0]), viewport.secs_from_x(b[0])).map(|secs| secs.clamp(0.0, duration_secs));
    let hz = sorted(viewport.hz_from_y(a[1]), viewport.hz_from_y(b[1])).map(|hz| hz.clamp(0.0, grid.nyquist_hz()));
    let feather = [grid.hop_secs(), 2.0 * grid.step_hz_at(hz[0])];
    let (secs, hz) = ((tool != Tool::SelectBand).then_some(secs), (tool != Tool::SelectTime).then_some(hz));
    Shape::Rectangle { secs, hz, feather, axis: Axis::Linear }
}

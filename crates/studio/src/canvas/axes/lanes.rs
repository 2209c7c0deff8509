//! The lanes of labels below the time ruler: ranges as bars, markers as flags, overlapping ones in separate lanes.

use crate::canvas::hand::label_drag::LabelGrip;
use crate::document::labels::{Label, LabelSet};
use crate::view::Viewport;
use crate::widgets::theme;
use crate::widgets::theme::Palette;
use egui::{Align2, Color32, CornerRadius, Mesh, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, pos2, vec2};

/// Height of a lane.
pub const LANE: f32 = 15.0;
/// Minimum number of lanes, so that there is space for overlapping labels in advance.
pub const MIN_LANES: usize = 2;
/// Tolerance of hitting an edge, in points on both sides.
pub const EDGE_REACH: f32 = 4.0;
/// Minimum width of a bar, in points.
const MIN_BAR_WIDTH: f32 = 2.0;
/// Size of a marker's flag.
const FLAG: f32 = 7.0;
/// Maximum width of a marker's text.
const MARKER_TEXT: f32 = 160.0;
/// With more labels in view, only those a pixel apart are drawn.
const MAX_DRAWN: usize = 2_000;
/// With more labels drawn, they have neither texts nor rounded corners.
pub const MAX_DETAILED: usize = 400;

/// The labels drawn in a view, with their indices: all, or where they are dense, the first of each pixel.
pub fn seen<'a>(labels: &'a LabelSet, viewport: &Viewport) -> Vec<(usize, &'a Label)> {
    let mut seen: Vec<(usize, &Label)> = labels.places_in_range(viewport.secs).take(MAX_DRAWN + 1).collect();
    if seen.len() > MAX_DRAWN {
        // Labels that start before the view, then the first label of each pixel.
        let n_reaching = seen.iter().take_while(|(_, label)| label.secs[0] < viewport.secs[0]).count();
        seen.truncate(n_reaching);
        seen.extend(labels.spaced_in_range(viewport.secs, viewport.secs_per_pixel()));
    }
    seen
}

/// Area of a label in one of `n_lanes`; a marker is as wide as its flag.
fn place(label: &Label, (lane, n_lanes): (usize, usize), rect: Rect, viewport: &Viewport) -> Rect {
    let [left, right] = label.secs.map(|secs| (viewport.x_from_secs(secs) as f32).clamp(-1e6, 1e6));
    // Short ranges keep a visible width.
    let right = if label.is_marker() { left + FLAG } else { right.max(left + MIN_BAR_WIDTH) };
    let height = rect.height() / n_lanes as f32;
    let top = rect.top() + lane as f32 * height + 1.0;
    Rect::from_min_max(pos2(left, top), pos2(right, top + height - 2.0))
}

/// Contents of the lanes.
pub struct Lanes<'a> {
    /// Their area.
    pub rect: Rect,
    /// Viewport of the pane below.
    pub viewport: &'a Viewport,
    /// All labels.
    pub labels: &'a LabelSet,
    /// Id of the current label.
    pub in_progress: Option<u64>,
    /// The label being moved, at its current position.
    pub instead: Option<&'a Label>,
}

impl Lanes<'_> {
    fn n_lanes(&self) -> usize {
        self.labels.lanes().len().max(MIN_LANES)
    }

    /// The label at a position, and which part of it is there. The current label takes precedence, then labels with an
    /// edge there.
    pub fn hit(&self, at: Pos2) -> Option<(u64, LabelGrip)> {
        let n_lanes = self.n_lanes();
        let lanes = self.labels.lanes();
        let hits = seen(self.labels, self.viewport).into_iter().filter_map(|(index, label)| {
            let place = place(label, (lanes.at(index), n_lanes), self.rect, self.viewport);
            let grip = grip_at(label, place, at)?;
            let is_other = Some(label.id) != self.in_progress;
            Some(((is_other, grip == LabelGrip::Whole), label.id, grip))
        });
        hits.min_by_key(|(rank, ..)| *rank).map(|(_, id, grip)| (id, grip))
    }

    /// Draws all lanes.
    pub fn draw(&self, painter: &Painter, palette: &Palette) {
        let painter = painter.with_clip_rect(self.rect);
        painter.rect_filled(self.rect, 0.0, palette.raised);
        let seen = seen(self.labels, self.viewport);
        let is_crowd = seen.len() > MAX_DETAILED;
        let mut crowd = Mesh::default();
        // The text of a marker ends where the next label of its lane begins.
        let n_lanes = self.n_lanes();
        let mut free_until = vec![self.rect.right(); n_lanes];
        for (index, known) in seen.into_iter().rev() {
            let label = self.instead.filter(|moved| moved.id == known.id).unwrap_or(known);
            let lane = self.labels.lanes().at(index);
            let at = place(label, (lane, n_lanes), self.rect, self.viewport);
            let is_in_hand = Some(label.id) == self.in_progress;
            let colour = theme::label_colour(label.colour, palette);
            let text = label.text.lines().next().unwrap_or_default();
            if is_crowd && !is_in_hand {
                quads(&mut crowd, label, at, colour);
            } else if label.is_marker() {
                let room = (free_until[lane] - at.right() - 2.0).min(MARKER_TEXT);
                flag(&painter, at, colour, is_in_hand, palette);
                write(&painter, pos2(at.right() + 2.0, at.center().y), room, text, palette.text);
            } else {
                bar(&painter, at, colour, is_in_hand, palette);
                let left = at.left().max(self.rect.left()) + 3.0;
                write(&painter, pos2(left, at.center().y), at.right() - 2.0 - left, text, palette.text_strong);
            }
            free_until[lane] = at.left();
        }
        painter.add(crowd);
    }
}

/// Draws a label as plain quads: with thousands of labels, rounded bars would take longer than a frame.
fn quads(crowd: &mut Mesh, label: &Label, at: Rect, colour: Color32) {
    if !label.is_marker() && at.width() > MIN_BAR_WIDTH {
        crowd.add_colored_rect(at, colour.gamma_multiply(0.35));
    }
    crowd.add_colored_rect(at.with_max_x(at.left() + 1.0), colour);
}

fn grip_at(label: &Label, place: Rect, at: Pos2) -> Option<LabelGrip> {
    if !(place.top()..=place.bottom()).contains(&at.y) {
        return None;
    }
    if label.is_marker() {
        return (place.left() - EDGE_REACH..=place.right()).contains(&at.x).then_some(LabelGrip::Whole);
    }
    // The middle of a short bar stays free to be dragged.
    let within = EDGE_REACH.min(place.width() / 3.0);
    let is_at = |edge: f32, inwards: f32| {
        let by = (at.x - edge) * inwards;
        (-EDGE_REACH..=within).contains(&by)
    };
    match (is_at(place.left(), 1.0), is_at(place.right(), -1.0)) {
        (true, _) => Some(LabelGrip::Start),
        (_, true) => Some(LabelGrip::End),
        _ => place.contains(at).then_some(LabelGrip::Whole),
    }
}

fn bar(painter: &Painter, at: Rect, colour: Color32, is_in_hand: bool, palette: &Palette) {
    painter.rect_filled(at, theme::RADIUS_SEGMENT, colour.gamma_multiply(if is_in_hand { 0.6 } else { 0.35 }));
    let line = if is_in_hand { palette.text_strong } else { colour };
    painter.rect_stroke(at, CornerRadius::same(3), Stroke::new(1.0, line), StrokeKind::Inside);
}

fn flag(painter: &Painter, at: Rect, colour: Color32, is_in_hand: bool, palette: &Palette) {
    let line = if is_in_hand { palette.text_strong } else { colour };
    let points = vec![at.left_top(), at.left_top() + vec2(FLAG, FLAG / 2.0), at.left_top() + vec2(0.0, FLAG)];
    painter.add(Shape::convex_polygon(points, colour, Stroke::new(1.0, line)));
    painter.line_segment([at.left_top(), pos2(at.left(), painter.clip_rect().bottom())], Stroke::new(1.0, line));
}

/// A text, truncated to fit.
fn write(painter: &Painter, at: Pos2, room: f32, text: &str, colour: Color32) {
    if text.is_empty() || room < 8.0 {
        return;
    }
    let galley = painter.layout_no_wrap(text.into(), theme::regular(theme::CAPTION), colour);
    let place = Align2::LEFT_CENTER.anchor_size(at, galley.size());
    let clip = Rect::from_min_size(place.min, vec2(room, place.height())).intersect(painter.clip_rect());
    painter.with_clip_rect(clip).galley(place.min, galley, colour);
}

//! Labels over a picture: an outline for a band, a line for a marker, both edges of the current range.

use super::marks::{MarkContext, dark};
use crate::canvas::Canvas;
use crate::canvas::axes::lanes::{EDGE_REACH, Lanes, MAX_DETAILED, seen};
use crate::canvas::hand::drag::Drag;
use crate::canvas::hand::label_drag::{LabelDrag, LabelDrawn, LabelEdges, LabelGrip, edge_at, rect_in};
use crate::canvas::hand::pointer::is_uncovered;
use crate::canvas::report::Gestures;
use crate::document::labels::{Label, LabelSet};
use crate::view::Viewport;
use crate::widgets::theme::Palette;
use crate::widgets::{label_words, theme};
use crate::workbench::{LabelAct, OpenDocument, Tool, Tools};
use egui::{Color32, Mesh, Painter, Pos2, Rect, Sense, Stroke, StrokeKind, Ui, pos2, vec2};

/// Minimum width of a band with text.
const MIN_TEXT_WIDTH: f32 = 24.0;
/// Outlines narrower than this are drawn as one quad, since their edges would overlap.
const MIN_OUTLINE: f32 = 2.0;
/// Tolerance of hitting a label, in points.
const LABEL_REACH: f64 = 1.0;

/// The labels to draw.
pub struct Labelled<'a> {
    /// All labels.
    pub labels: &'a LabelSet,
    /// Id of the current label.
    pub in_progress: Option<u64>,
    /// The label being moved, at its current position.
    pub instead: Option<&'a Label>,
}

pub fn draw(painter: &Painter, pane: Rect, viewport: &Viewport, labelled: &Labelled<'_>, palette: &Palette) {
    let painter = painter.with_clip_rect(pane);
    let seen = seen(labelled.labels, viewport);
    let is_crowd = seen.len() > MAX_DETAILED;
    let mut crowd = Mesh::default();
    let mut in_full = Vec::new();
    for (_, known) in seen {
        let label = labelled.instead.filter(|moved| moved.id == known.id).unwrap_or(known);
        // Pictures are dark in both themes.
        let colour = theme::label_colour(label.colour, &theme::DARK);
        let is_in_hand = Some(label.id) == labelled.in_progress;
        match is_crowd && !is_in_hand {
            true => outline(&mut crowd, label, colour, rect_in(label, viewport, pane)),
            false => in_full.push((label, colour, is_in_hand)),
        }
    }
    painter.add(crowd);
    for (label, colour, is_in_hand) in in_full {
        one(&painter, label, colour, is_in_hand, (viewport, pane));
        if !is_crowd && label.low_hz.is_some() {
            write(&painter, label, rect_in(label, viewport, pane), palette);
        }
    }
}

/// Outline of one label among many, as quads: thousands of strokes would take longer than a frame.
fn outline(crowd: &mut Mesh, label: &Label, colour: Color32, rect: Rect) {
    let upright = |x: f32| Rect::from_min_max(pos2(x, rect.top()), pos2(x + 1.0, rect.bottom()));
    let flat = |y: f32| Rect::from_min_max(pos2(rect.left(), y), pos2(rect.right(), y + 1.0));
    let has_band = label.low_hz.is_some() || label.high_hz.is_some();
    if label.is_marker() {
        crowd.add_colored_rect(upright(rect.left()), colour);
    } else if has_band && rect.width() < MIN_OUTLINE {
        crowd.add_colored_rect(rect.with_max_x(rect.right() + 1.0), colour);
    } else if has_band {
        for line in [upright(rect.left()), upright(rect.right()), flat(rect.top()), flat(rect.bottom())] {
            crowd.add_colored_rect(line, colour);
        }
    }
}

fn one(painter: &Painter, label: &Label, colour: Color32, is_in_hand: bool, (viewport, pane): (&Viewport, Rect)) {
    let rect = rect_in(label, viewport, pane);
    let width = if is_in_hand { 2.0 } else { 1.0 };
    let upright = |x: f32, line: Stroke| _ = painter.line_segment([pos2(x, rect.top()), pos2(x, rect.bottom())], line);
    for line in [Stroke::new(width + 2.0, dark(0.35)), Stroke::new(width, colour)] {
        match (label.is_marker(), label.low_hz.is_some() || label.high_hz.is_some()) {
            (true, _) => upright(rect.left(), line),
            (false, true) => _ = painter.rect_stroke(rect, 0.0, line, StrokeKind::Middle),
            // A range of all frequencies is drawn in the lanes; if it is current, its edges are here for dragging.
            (false, false) if is_in_hand => {
                upright(rect.left(), line);
                upright(rect.right(), line);
            }
            (false, false) => {}
        }
    }
}

fn write(painter: &Painter, label: &Label, rect: Rect, palette: &Palette) {
    let text = label.text.lines().next().unwrap_or_default();
    let room = rect.intersect(painter.clip_rect());
    if text.is_empty() || room.width() < MIN_TEXT_WIDTH || room.height() < theme::CAPTION {
        return;
    }
    let galley = painter.layout_no_wrap(text.into(), theme::regular(theme::CAPTION), palette.text_strong);
    let at = room.left_top() + vec2(3.0, 2.0);
    let face = Rect::from_min_size(at, galley.size()).expand2(vec2(2.0, 1.0)).intersect(room);
    painter.rect_filled(face, theme::RADIUS_SEGMENT, palette.raised.gamma_multiply(0.85));
    painter.with_clip_rect(face).galley(at, galley, palette.text_strong);
}

/// The outline of a label that is being drawn.
pub fn draw_new(painter: &Painter, drawn: &LabelDrawn, edges: LabelEdges, colour: Color32) {
    let [left, right] = edges.0.map(|secs| drawn.viewport.x_from_secs(secs) as f32);
    let pane = painter.clip_rect();
    let [top, bottom] = edges
        .1
        .map_or([pane.top(), pane.bottom()], |[low, high]| [high, low].map(|hz| drawn.viewport.y_from_hz(hz) as f32));
    let rect = Rect::from_min_max(pos2(left, top), pos2(right, bottom));
    painter.rect(rect, 0.0, colour.gamma_multiply(0.15), Stroke::new(1.5, colour), StrokeKind::Middle);
}

impl Canvas {
    /// A function that snaps a position in points.
    fn snap_in<'a>(&'a self, viewport: &'a Viewport) -> impl Fn([f64; 2]) -> [f64; 2] + 'a {
        move |at| self.input.snapper.place(viewport, at)
    }

    /// Whether a label is being moved or drawn.
    pub fn is_moving_label(&self) -> bool {
        matches!(self.input.drag, Some(Drag::Label(_) | Drag::NewLabel(_)))
    }

    /// The label being moved, as if the button were released now.
    pub(in crate::canvas) fn label_in_the_making(&self) -> Option<Label> {
        match &self.input.drag {
            Some(Drag::Label(drag)) => Some(drag.moved(self.snap_in(&drag.viewport))),
            _ => None,
        }
    }

    /// The edges of the label that is being drawn.
    pub(in crate::canvas) fn label_being_drawn(&self) -> Option<(LabelDrawn, LabelEdges)> {
        match &self.input.drag {
            Some(Drag::NewLabel(drawn)) if drawn.has_moved() => {
                Some((*drawn, drawn.edges(self.snap_in(&drawn.viewport))))
            }
            _ => None,
        }
    }

    /// Starts a drag by a press on labels: in the lanes on any label, in a pane on an edge of the current one.
    /// Elsewhere in the lanes, the label tool begins a new label.
    pub(in crate::canvas) fn take_label(
        &mut self,
        at: Pos2,
        double: bool,
        document: &OpenDocument,
        tools: &Tools,
        gestures: &mut Gestures,
    ) -> bool {
        let may_change = !document.is_reading() && document.floating().is_none();
        let held = self.label_at(at, document, tools).filter(|_| may_change);
        let lanes = self.layout.lanes_at(at);
        let Some(viewport) = self.layout.viewport_at(at).or(lanes) else { return false };
        if let Some((id, grip)) = held {
            if double {
                gestures.labels.push(LabelAct::Name(id));
                return true;
            }
            let Some(from) = document.history().labels().get(id).cloned() else { return false };
            self.input.drag = Some(Drag::Label(Box::new(LabelDrag { viewport, start: at, now: at, grip, from })));
            return true;
        }
        let draws = lanes.is_some() && tools.active() == Tool::Label && may_change;
        if draws {
            self.input.drag = Some(Drag::NewLabel(LabelDrawn { viewport, start: at, now: at, is_in_lanes: true }));
        }
        draws
    }

    /// The lanes, if any.
    fn lanes_of<'a>(&'a self, document: &'a OpenDocument, instead: Option<&'a Label>) -> Option<Lanes<'a>> {
        let (rect, pane) = (self.layout.rects()?.lanes?, self.layout.panes().first()?);
        let in_progress = document.current_label().map(|label| label.id);
        Some(Lanes { rect, viewport: &pane.viewport, labels: document.history().labels(), in_progress, instead })
    }

    /// Draws the lanes with their labels, and sets the cursor and tooltip for the label under the pointer.
    pub(in crate::canvas) fn draw_lanes(&self, ui: &Ui, over: &MarkContext<'_>, instead: Option<&Label>) {
        let palette = theme::palette(ui.ctx());
        let Some(lanes) = self.lanes_of(over.document, instead) else { return };
        lanes.draw(ui.painter(), palette);
        if let Some((drawn, edges)) = self.label_being_drawn() {
            draw_new(&ui.painter().with_clip_rect(lanes.rect), &drawn, (edges.0, None), palette.accent);
        }
        let Some(at) = self.input.pointer.at().filter(|at| lanes.rect.contains(*at) && is_uncovered(ui, *at)) else {
            return;
        };
        let Some((id, grip)) = lanes.hit(at) else { return };
        ui.ctx().set_cursor_icon(grip.icon());
        let label = lanes.labels.get(id).filter(|_| self.input.drag.is_none());
        if let Some(label) = label {
            let response = ui.interact(lanes.rect, ui.scope_id().with(("lanes", id)), Sense::hover());
            response.on_hover_text_at_pointer(label_words::all(label));
        }
    }

    /// The label at a position, and which part of it.
    pub(in crate::canvas) fn label_at(
        &self,
        at: Pos2,
        document: &OpenDocument,
        tools: &Tools,
    ) -> Option<(u64, LabelGrip)> {
        if let Some(lanes) = self.lanes_of(document, None).filter(|lanes| lanes.rect.contains(at)) {
            return lanes.hit(at);
        }
        let may_hold = tools.active().selects() || tools.active() == Tool::Label;
        let (label, pane) = (document.current_label()?, self.layout.pane_at(at).filter(|_| may_hold)?);
        edge_at(label, at, &pane.viewport, pane.rect, EDGE_REACH).map(|grip| (label.id, grip))
    }

    /// Ends the drag of a label: applies its new edges, or after a mere click goes to it.
    pub(in crate::canvas) fn release_label(&self, drag: &LabelDrag, gestures: &mut Gestures) {
        let id = drag.from.id;
        gestures.labels.push(match drag.has_moved() {
            true => {
                let label = drag.moved(self.snap_in(&drag.viewport));
                LabelAct::Reshape { id, secs: label.secs, hz: [label.low_hz, label.high_hz] }
            }
            false => LabelAct::GoTo(id),
        });
    }

    /// Ends the drawing of a label. A click in a pane makes the label under it current, if any, or else moves the
    /// cursor there; a click in the lanes adds a marker.
    pub(in crate::canvas) fn release_new_label(
        &self,
        drawn: &LabelDrawn,
        document: &OpenDocument,
        gestures: &mut Gestures,
    ) {
        if drawn.has_moved() || drawn.is_in_lanes {
            let (secs, hz) = drawn.edges(self.snap_in(&drawn.viewport));
            gestures.labels.push(LabelAct::Draw { secs, hz });
            return;
        }
        match self.label_below(drawn.start, document) {
            Some(id) => gestures.labels.push(LabelAct::GoTo(id)),
            None => gestures.cursor_secs = Some(drawn.viewport.secs_from_x(f64::from(drawn.start.x))),
        }
    }

    /// The id of the label at a position: in a pane, the shortest of those there.
    pub(in crate::canvas) fn label_below(&self, at: Pos2, document: &OpenDocument) -> Option<u64> {
        if let Some(lanes) = self.lanes_of(document, None).filter(|lanes| lanes.rect.contains(at)) {
            return lanes.hit(at).map(|(id, _)| id);
        }
        let pane = self.layout.pane_at(at)?;
        let labels = document.history().labels();
        let reach = LABEL_REACH * pane.viewport.secs_per_pixel();
        let secs = pane.viewport.secs_from_x(f64::from(at.x));
        let below = labels
            .in_range([secs - reach, secs + reach])
            .filter(|label| rect_in(label, &pane.viewport, pane.rect).expand(1.0).contains(at));
        below.min_by(|a, b| a.length_secs().total_cmp(&b.length_secs())).map(|label| label.id)
    }
}

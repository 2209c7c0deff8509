//! Handles of a selection. The grip in the middle of its top edge moves the outline, and drags the sound out of the
//! window; the edges and corners of a box or range resize it.

use super::drag::Drag;
use super::edges::{self, ShapeGrip};
use super::outline_drag::{OutlineDrag, box_of};
use super::pointer::is_uncovered;
use crate::canvas::Canvas;
use crate::canvas::layout::PaneAt;
use crate::canvas::overlay::marks::MarkContext;
use crate::canvas::overlay::{marks, picture_ghost};
use crate::canvas::report::Gestures;
use crate::desktop::drops;
use crate::document::brushes::PictureBrush;
use crate::dsp::selections::mask;
use crate::dsp::{Grid, Selection};
use crate::hooks::probe;
use crate::view::Viewport;
use crate::widgets::theme::{CANVAS_DARK, CANVAS_LIGHT};
use crate::workbench::{Floating, OpenDocument, Tool, Tools};
use egui::{CornerRadius, CursorIcon, Modifiers, Painter, Pos2, Rect, Role, Sense, Stroke, WidgetInfo, pos2, vec2};

/// Width and height of the grip, in points.
const GRIP_SIZE: f32 = 14.0;
/// Distance between the grip's dots, in points.
const DOTS: f32 = 4.0;
/// Maximum distance of a press from an edge, in points.
const REACH: f32 = 6.0;
/// Minimum length of an edge with handles, in points.
const MIN_EDGE_LENGTH: f32 = 44.0;
/// With more boxes than this, only the one under the pointer shows its handles.
const MAX_DRAWN: usize = 12;
/// Distance from an edge, in points, at which the selection is compared on both sides: an edge within another shape is
/// hidden.
const EDGE_TEST_DISTANCE: f32 = 1.5;
/// Minimum difference of the selection between both sides of a visible edge.
const MIN_STEP: f32 = 1e-4;
const LABEL: &str = "Grip of the selection";
const TOOLTIP: &str =
    "Drag to move the outline. Drag it out of the window to give the sound to another program as a WAV file.";

/// Position of a selection's grip in a pane: in the middle of the visible part of its top edge. `None` if that isn't
/// visible.
pub fn place(selection: &Selection, viewport: &Viewport, pane: Rect) -> Option<Rect> {
    let [secs, hz] = selection.extent();
    let all = [pane.left(), pane.right()];
    let [left, right] = secs.map_or(all, |secs| secs.map(|secs| viewport.x_from_secs(secs) as f32));
    let top = hz.map_or(pane.top(), |[_, high]| viewport.y_from_hz(high) as f32);
    // Half a point of tolerance, since a band may end exactly at the top of the picture.
    let is_seen = left <= pane.right() && right >= pane.left() && top >= pane.top() - 0.5 && top <= pane.bottom();
    let room = pane.shrink(GRIP_SIZE / 2.0);
    let middle = (left.max(pane.left()) + right.min(pane.right())) / 2.0;
    (is_seen && room.is_positive())
        .then(|| Rect::from_center_size(room.clamp(pos2(middle, top)), vec2(GRIP_SIZE, GRIP_SIZE)))
}

impl Canvas {
    /// Current position of the grip of the document's selection; `None` during another gesture.
    fn grip_place(&self, document: &OpenDocument, tools: &Tools, selection: &Selection) -> Option<Rect> {
        let may_hold = tools.active().selects() || tools.active() == Tool::Hand;
        let is_free = matches!(self.input.drag, None | Some(Drag::Outline(_))) && self.input.lasso.is_none();
        let is_whole = document.floating().is_none() && !document.is_reading();
        let pane = self.layout.panes().first().filter(|_| may_hold && is_free && is_whole)?;
        place(selection, &pane.viewport, pane.rect)
    }

    /// The edge or corner at a position, of a box in the selection; that of the last box where several meet.
    fn edge_at(&self, at: Pos2, document: &OpenDocument, tools: &Tools, selection: &Selection) -> Option<ShapeGrip> {
        let pane = self.layout.pane_at(at).filter(|_| self.has_handles(document, tools))?;
        (0..selection.shapes.len()).rev().find_map(|shape| {
            let (rect, has) = box_in(selection, shape, &pane.viewport, pane.rect)?;
            let grip = edges::grip_at(rect, at, REACH, has)?;
            let side = |k: i8, low: f32, middle: f32, high: f32| [low, middle, high][(k + 1) as usize];
            let place = pos2(
                side(grip[0], rect.left(), at.x.clamp(rect.left(), rect.right()), rect.right()),
                side(grip[1], rect.bottom(), at.y.clamp(rect.top(), rect.bottom()), rect.top()),
            );
            is_seen(selection, &pane.viewport, place, grip).then_some(ShapeGrip { shape, grip })
        })
    }

    /// Whether edges can be dragged: with a selection tool, while no other gesture is in progress.
    fn has_handles(&self, document: &OpenDocument, tools: &Tools) -> bool {
        let is_free = matches!(self.input.drag, None | Some(Drag::Outline(_))) && self.input.lasso.is_none();
        tools.active().selects() && is_free && document.floating().is_none() && !document.is_reading()
    }

    /// Starts dragging the outline by its grip or one of its edges; not while a key that combines selections is held.
    pub(in crate::canvas) fn take_outline(
        &self,
        at: Pos2,
        modifiers: Modifiers,
        viewport: Viewport,
        document: &OpenDocument,
        tools: &Tools,
    ) -> Option<Drag> {
        let selection = document.selection().filter(|_| !modifiers.any())?;
        let is_on_grip = self.grip_place(document, tools, selection).is_some_and(|place| place.contains(at));
        let edge = self.edge_at(at, document, tools, selection);
        let grip = if is_on_grip { None } else { Some(edge?) };
        Some(Drag::Outline(OutlineDrag::new(viewport, at, grip, selection.clone())))
    }

    /// The selection of a dragged outline at the current pointer.
    pub(in crate::canvas) fn outlined(&self, outline: &OutlineDrag, grid: &Grid) -> Option<Selection> {
        outline.selection(grid, |viewport, place| self.snapped(viewport, [place, place])[0])
    }

    /// Once the drag of a grip leaves the window: restores the outline, and drags the sound out.
    pub(in crate::canvas) fn follow_outline_out(&mut self, ctx: &egui::Context, gestures: &mut Gestures) {
        let is_moving = matches!(&self.input.drag, Some(Drag::Outline(outline)) if outline.grip().is_none());
        if is_moving && drops::has_left(ctx, self.input.pointer.at()) {
            self.input.drag = None;
            gestures.drags_out = true;
        }
    }

    /// Pointer icon on the canvas.
    pub(in crate::canvas) fn pointer_icon(&self, at: Pos2, document: &OpenDocument, tools: &Tools) -> CursorIcon {
        let selection = document.selection();
        let grip = selection.and_then(|selection| self.grip_place(document, tools, selection));
        let edge = || selection.and_then(|selection| self.edge_at(at, document, tools, selection));
        let held = |brush: &PictureBrush| {
            let viewport = self.layout.viewport_at(at)?;
            picture_ghost::grip_at(&brush.area, &viewport, at)
        };
        match &self.input.drag {
            Some(Drag::Outline(outline)) => outline.grip().map_or(CursorIcon::Grabbing, |held| edges::icon(held.grip)),
            Some(Drag::Grip { grip, .. }) => edges::icon(*grip),
            _ if grip.is_some_and(|place| place.contains(at)) => CursorIcon::Grab,
            Some(Drag::Label(drag)) => drag.grip.icon(),
            None if let Some((_, grip)) = self.label_at(at, document, tools) => grip.icon(),
            None if let Some(edge) = edge() => edges::icon(edge.grip),
            None if let Some(grip) = document.floating().and_then(Floating::picture).and_then(held) => {
                edges::icon(grip)
            }
            _ if tools.active().has_radius() => CursorIcon::None,
            _ => CursorIcon::Crosshair,
        }
    }

    /// Handles on the edges and corners of boxes in the shown selection, where they fit.
    pub(in crate::canvas) fn draw_handles(
        &self,
        clipped: &Painter,
        pane: &PaneAt,
        selection: &Selection,
        over: &MarkContext<'_>,
    ) {
        if !self.has_handles(over.document, over.tools) {
            return;
        }
        let n_shapes = selection.shapes.len();
        let edge = || self.edge_at(self.input.pointer.at()?, over.document, over.tools, selection);
        let drawn = match edge().filter(|_| n_shapes > MAX_DRAWN) {
            Some(held) => held.shape..held.shape + 1,
            None if n_shapes > MAX_DRAWN => return,
            None => 0..n_shapes,
        };
        for shape in drawn {
            if let Some(place) = box_in(selection, shape, &pane.viewport, pane.rect) {
                draw_box_handles(clipped, pane, selection, place);
            }
        }
    }

    /// The grip of the shown selection.
    pub(in crate::canvas) fn draw_grip(
        &self,
        ui: &egui::Ui,
        pane: &PaneAt,
        selection: &Selection,
        over: &MarkContext<'_>,
    ) {
        let Some(place) = self.grip_place(over.document, over.tools, selection) else { return };
        paint(&ui.painter().with_clip_rect(pane.rect), place);
        probe::note_control(ui.ctx(), LABEL, place);
        let response = ui.interact(place, ui.scope_id().with("grip of the selection"), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, LABEL));
        if self.input.drag.is_none() && is_uncovered(ui, place.center()) {
            response.on_hover_text(TOOLTIP);
        }
    }
}

/// Area of a box or range in a pane, and which edges it has: left and right, lower and upper.
type BoxPlace = (Rect, [bool; 2]);

fn box_in(selection: &Selection, shape: usize, viewport: &Viewport, pane: Rect) -> Option<BoxPlace> {
    let [secs, hz] = box_of(selection, shape)?;
    let held = |points: f64| points.clamp(-1e6, 1e6) as f32;
    let [left, right] = secs.map_or([pane.left(), pane.right()], |secs| secs.map(|at| held(viewport.x_from_secs(at))));
    let [bottom, top] = hz.map_or([pane.bottom(), pane.top()], |hz| hz.map(|at| held(viewport.y_from_hz(at))));
    Some((Rect::from_min_max(pos2(left, top), pos2(right, bottom)), [secs.is_some(), hz.is_some()]))
}

/// Whether an edge or corner at a position is visible, rather than within another shape of the selection.
fn is_seen(selection: &Selection, viewport: &Viewport, place: Pos2, grip: [i8; 2]) -> bool {
    if selection.shapes.len() == 1 || selection.needs_sound() {
        return true;
    }
    let out = EDGE_TEST_DISTANCE * vec2(f32::from(grip[0]), -f32::from(grip[1]));
    let [inner, outer] = [place - out, place + out].map(|at| {
        let (secs, hz) = (viewport.secs_from_x(f64::from(at.x)), viewport.hz_from_y(f64::from(at.y)));
        mask::sample(selection, &[secs], &[hz]).first().copied().unwrap_or(0.0)
    });
    (inner - outer).abs() > MIN_STEP
}

fn draw_box_handles(clipped: &Painter, pane: &PaneAt, selection: &Selection, (rect, has): BoxPlace) {
    let seen = rect.intersect(pane.rect);
    if !seen.is_positive() {
        return;
    }
    let middle = seen.center();
    let xs = [(rect.left(), has[0]), (middle.x, true), (rect.right(), has[0])];
    let ys = [(rect.top(), has[1]), (middle.y, true), (rect.bottom(), has[1])];
    let is_small = [seen.width() < MIN_EDGE_LENGTH, seen.height() < MIN_EDGE_LENGTH];
    let is_sole = selection.shapes.len() == 1;
    for (i, (x, has_x)) in xs.into_iter().enumerate() {
        for (k, (y, has_y)) in ys.into_iter().enumerate() {
            // The grip takes the middle of the top edge of a sole box.
            let is_free = (i, k) != (1, 1) && !(is_sole && (i, k) == (1, 0));
            // A range has no corners: its edges end where the picture does.
            let has_room = !(is_small[0] && (has[0] || i == 1)) && !(is_small[1] && (has[1] || k == 1));
            let grip = [i as i8 - 1, 1 - k as i8];
            if has_x && has_y && is_free && has_room && is_seen(selection, &pane.viewport, pos2(x, y), grip) {
                marks::handle(clipped, pos2(x, y));
            }
        }
    }
}

/// Two rows of dots, light on dark.
fn paint(painter: &Painter, place: Rect) {
    let frame = Stroke::new(1.0, CANVAS_LIGHT);
    painter.rect(place, CornerRadius::same(3), marks::dark(0.85), frame, egui::StrokeKind::Inside);
    for x in [-1.0, 0.0, 1.0] {
        for y in [-0.5, 0.5] {
            let at = place.center() + DOTS * vec2(x, y);
            painter.circle_filled(at, 1.5, CANVAS_DARK);
            painter.circle_filled(at, 1.0, CANVAS_LIGHT);
        }
    }
}

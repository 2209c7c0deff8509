//! The grip of a selection, in the middle of its top edge: it moves the outline, and takes what is selected out of the window.

use super::super::theme::{CANVAS_DARK, CANVAS_LIGHT};
use super::super::{drops, probe};
use super::drag::Drag;
use super::layout::PaneAt;
use super::marks::Over;
use super::outline_drag::OutlineDrag;
use super::pointer::is_uncovered;
use super::report::Gestures;
use super::{Canvas, marks};
use crate::dsp::Selection;
use crate::view::Viewport;
use crate::workbench::{OpenDocument, Tool, Tools};
use egui::{CornerRadius, CursorIcon, Modifiers, Painter, Pos2, Rect, Role, Sense, Stroke, WidgetInfo, pos2, vec2};

/// Its width and height, in points.
const SIDE: f32 = 14.0;
/// Between the dots on it, in points.
const DOTS: f32 = 4.0;
const LABEL: &str = "Grip of the selection";
const WHAT: &str =
    "Drag to move the outline. Drag it out of the window to give the sound to another program as a WAV file.";

/// Where the grip of a selection lies in a pane: in the middle of what is seen of its top edge. None where nothing of that is.
pub fn place(selection: &Selection, viewport: &Viewport, pane: Rect) -> Option<Rect> {
    let [secs, hz] = selection.extent();
    let all = [pane.left(), pane.right()];
    let [left, right] = secs.map_or(all, |secs| secs.map(|secs| viewport.x_from_secs(secs) as f32));
    let top = hz.map_or(pane.top(), |[_, high]| viewport.y_from_hz(high) as f32);
    // A band may reach exactly as high as the picture.
    let is_seen = left <= pane.right() && right >= pane.left() && top >= pane.top() - 0.5 && top <= pane.bottom();
    let room = pane.shrink(SIDE / 2.0);
    let middle = (left.max(pane.left()) + right.min(pane.right())) / 2.0;
    (is_seen && room.is_positive()).then(|| Rect::from_center_size(room.clamp(pos2(middle, top)), vec2(SIDE, SIDE)))
}

impl Canvas {
    /// Where the grip of a selection of the document lies now; none while something else is in hand.
    fn grip_place(&self, document: &OpenDocument, tools: &Tools, selection: &Selection) -> Option<Rect> {
        let may_hold = tools.active().selects() || tools.active() == Tool::Hand;
        let is_free = matches!(self.input.drag, None | Some(Drag::Outline(_))) && self.input.lasso.is_none();
        let is_whole = document.floating().is_none() && !document.is_reading();
        let pane = self.layout.panes().first().filter(|_| may_hold && is_free && is_whole)?;
        place(selection, &pane.viewport, pane.rect)
    }

    /// Takes hold of the outline, where a press is on its grip; keys that join selections mean no grip.
    pub(super) fn take_outline(
        &self,
        at: Pos2,
        modifiers: Modifiers,
        viewport: Viewport,
        document: &OpenDocument,
        tools: &Tools,
    ) -> Option<Drag> {
        let selection = document.selection().filter(|_| !modifiers.any())?;
        self.grip_place(document, tools, selection).filter(|place| place.contains(at))?;
        Some(Drag::Outline(OutlineDrag::new(viewport, at, selection.clone())))
    }

    /// What is dragged by its grip has left the window: the outline is where it was, and the sound goes on.
    pub(super) fn follow_outline_out(&mut self, ctx: &egui::Context, gestures: &mut Gestures) {
        if matches!(self.input.drag, Some(Drag::Outline(_))) && drops::has_left(ctx, self.input.pointer.at()) {
            self.input.drag = None;
            gestures.drags_out = true;
        }
    }

    /// How the pointer looks on the canvas.
    pub(super) fn pointer_icon(&self, at: Pos2, document: &OpenDocument, tools: &Tools) -> CursorIcon {
        let grip = document.selection().and_then(|selection| self.grip_place(document, tools, selection));
        match &self.input.drag {
            Some(Drag::Outline(_)) => CursorIcon::Grabbing,
            _ if grip.is_some_and(|place| place.contains(at)) => CursorIcon::Grab,
            Some(Drag::Label(drag)) => drag.grip.icon(),
            None if let Some((_, grip)) = self.label_at(at, document, tools) => grip.icon(),
            _ if tools.active().has_radius() => CursorIcon::None,
            _ => CursorIcon::Crosshair,
        }
    }

    /// The grip of the selection that is shown.
    pub(super) fn draw_grip(&self, ui: &egui::Ui, pane: &PaneAt, selection: &Selection, over: &Over<'_>) {
        let Some(place) = self.grip_place(over.document, over.tools, selection) else { return };
        paint(&ui.painter().with_clip_rect(pane.rect), place);
        probe::note_control(ui.ctx(), LABEL, place);
        let response = ui.interact(place, ui.scope_id().with("grip of the selection"), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, LABEL));
        if self.input.drag.is_none() && is_uncovered(ui, place.center()) {
            response.on_hover_text(WHAT);
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

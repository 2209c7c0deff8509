//! The strip above the canvas: the waveform of the whole file, the visible range as a box that can be dragged and
//! resized, selection, cursor and playhead. A job computes the waveform; after an edit only where samples changed.

use crate::base::clock_from_secs;
use crate::document::Snapshot;
use crate::view::{Envelope, Limits, grid_of};
use crate::widgets;
use crate::widgets::{ButtonStyle, theme};
use crate::workbench::commands::{Facts, ViewCommand};
use crate::workbench::{Acts, Jobs, Latest, OpenDocument, ViewAct, limits_of};
use egui::{
    Align2, Color32, CornerRadius, CursorIcon, Id, Mesh, Rangef, Rect, Response, Role, Sense, Shape, Stroke,
    StrokeKind, Ui, WidgetInfo, pos2, vec2,
};
use std::sync::Arc;

/// Height of the strip in points.
pub const HEIGHT: f32 = 48.0;
/// Height of the strip in a short window, in points.
pub const LOW_HEIGHT: f32 = 28.0;
/// Number of columns of the waveform: more than the width of most windows in pixels.
const N_COLUMNS: usize = 4096;
/// Width in points of the areas that drag the box's edges, and minimum width of the area that drags the box.
const REACH: f32 = 24.0;
/// Step of a key or screen reader action, as a fraction of the box's width.
const TICK: f64 = 0.125;

/// The waveform of the strip, and the current drag.
#[derive(Default)]
pub struct Overview {
    /// The waveform, by sound and number of samples decoded so far.
    envelope: Latest<(Snapshot, u64), Arc<Envelope>>,
    /// Id of the document of the waveform.
    document: u64,
    grip: Option<Grip>,
}

/// The dragged part: the box, gripped at a fraction of its width, or its left (0) or right (1) edge.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Grip {
    Window(f64),
    Edge(usize),
}

/// State drawn over the waveform.
struct Shown<'a> {
    document: &'a OpenDocument,
    /// The visible range, in seconds.
    secs: [f64; 2],
    playhead_secs: Option<f64>,
    is_focused: bool,
}

impl Overview {
    /// Whether the waveform is being computed.
    pub fn is_busy(&self) -> bool {
        self.envelope.is_busy()
    }

    /// The waveform, once computed.
    pub fn envelope(&self) -> Option<&Envelope> {
        self.envelope.last().map(|(_, envelope)| &**envelope)
    }

    /// Call once a frame: takes results, and computes the waveform of the displayed sound.
    pub fn follow(&mut self, document: Option<&OpenDocument>, jobs: &Jobs) {
        let Some(document) = document else {
            *self = Overview::default();
            return;
        };
        if self.document != document.id() {
            self.envelope.clear();
            self.document = document.id();
        }
        let so_far = (document.shown().clone(), document.shown().n_ready());
        let before = self.envelope.last().map(|(_, envelope)| envelope.clone());
        self.envelope.ask_in_turn(&so_far, jobs, "overview", move |(sound, _), progress| {
            Envelope::compute(sound, N_COLUMNS, before.as_deref(), progress).map(Arc::new)
        });
    }

    /// Draws the strip in all of `ui`, with the waveform between the canvas' `edges`.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        facts: &Facts,
        document: &OpenDocument,
        edges: Rangef,
        playhead_secs: Option<f64>,
        acts: &mut Acts,
    ) {
        let palette = theme::palette(ui.ctx());
        let all = ui.max_rect();
        ui.painter().rect_filled(all, CornerRadius::ZERO, palette.panel);
        let strip = Rect::from_x_y_ranges(edges, all.top() + 2.0..=all.bottom() - 2.0);
        let limits = self.limits(document);
        let mut secs = document.view().secs;
        let response = self.read_pointer(ui, strip, &mut secs, &limits);
        if secs != document.view().secs {
            acts.push(ViewAct::Secs(secs));
        }
        let shown = Shown { document, secs, playhead_secs, is_focused: response.has_focus() };
        self.draw(ui, strip, &shown);
        captions(ui, all, strip, document);
        let side = (all.right() - strip.right()).min(28.0);
        let button = Rect::from_center_size(
            pos2((strip.right() + all.right()) / 2.0, all.center().y),
            vec2(side.max(24.0), 26.0_f32.min(all.height())),
        );
        let mut beside = ui.new_child(egui::UiBuilder::new().max_rect(button));
        let look = ButtonStyle { size: button.size(), ..ButtonStyle::icon(24.0, 16.0) };
        widgets::command_icon(&mut beside, facts, ViewCommand::ZoomAll, look, acts);
    }

    fn limits(&self, document: &OpenDocument) -> Limits {
        let grid = grid_of(document.shown(), &document.view().transform);
        Limits { min_secs: grid.secs_in_frames(4.0), ..limits_of(document.shown()) }
    }

    /// Reads drags and clicks. A press outside the box centres it on the pointer; then the box follows the pointer.
    fn read_pointer(&mut self, ui: &Ui, strip: Rect, view: &mut [f64; 2], limits: &Limits) -> Response {
        let id = Id::unique("overview");
        let whole = ui.interact(strip, id, Sense::click_and_drag());
        let box_now = window_rect(strip, *view, limits.duration_secs);
        let [middle, left, right] = zones(strip, box_now);
        // Areas added later lie above earlier ones.
        let window = ui.interact(middle, id.with("window"), Sense::click_and_drag());
        let ends = [left, right].map(|zone| zone.intersect(strip.expand2(vec2(REACH, 0.0))));
        let ends = [0, 1].map(|i| ui.interact(ends[i], id.with(("edge", i)), Sense::click_and_drag()));
        let [start, end] = *view;
        let secs_at = |x: f32| f64::from((x - strip.left()) / strip.width()) * limits.duration_secs;
        let pointer = ui.input(|input| input.pointer.interact_pos().zip(input.pointer.press_origin()));
        let is_down = |response: &Response| response.is_pointer_button_down_on() || response.dragged();
        let width = end - start;
        if self.grip.is_none()
            && let Some((_, origin)) = pointer
        {
            let part = ((secs_at(origin.x) - start) / width).clamp(0.0, 1.0);
            self.grip = match () {
                () if is_down(&ends[0]) => Some(Grip::Edge(0)),
                () if is_down(&ends[1]) => Some(Grip::Edge(1)),
                () if is_down(&window) => Some(Grip::Window(part)),
                () if is_down(&whole) => Some(Grip::Window(0.5)),
                () => None,
            };
        }
        if ![&whole, &window, &ends[0], &ends[1]].into_iter().any(is_down) {
            // A press and release within a frame.
            if let Some((at, _)) = pointer.filter(|_| whole.clicked()) {
                self.grip = Some(Grip::Window(0.5));
                self.hold(view, secs_at(at.x), limits);
            }
            self.grip = None;
        } else if let Some((at, _)) = pointer {
            self.hold(view, secs_at(at.x), limits);
        }
        if whole.double_clicked() || window.double_clicked() {
            *view = [0.0, limits.duration_secs];
        }
        if ends.iter().any(Response::hovered) || matches!(self.grip, Some(Grip::Edge(_))) {
            ui.ctx().set_cursor_icon(CursorIcon::ResizeHorizontal);
        } else if matches!(self.grip, Some(Grip::Window(_))) {
            ui.ctx().set_cursor_icon(CursorIcon::Grabbing);
        } else if window.hovered() {
            ui.ctx().set_cursor_icon(CursorIcon::Grab);
        }
        self.speak(ui, view, [&whole, &window, &ends[0], &ends[1]], limits);
        window.on_hover_text(
            "Drag to move the view, drag its edges to resize it, or double-click to show the whole file.",
        )
    }

    /// Moves the dragged part to the pointer's time.
    fn hold(&self, view: &mut [f64; 2], at_secs: f64, limits: &Limits) {
        let [start, end] = *view;
        let width = end - start;
        let min = limits.min_secs.min(limits.duration_secs);
        *view = match self.grip {
            Some(Grip::Window(part)) => {
                let start = at_secs - part * width;
                limits.clamp_secs([start, start + width])
            }
            Some(Grip::Edge(0)) => [at_secs.clamp(0.0, (end - min).max(0.0)), end],
            Some(Grip::Edge(_)) => {
                [start, at_secs.clamp((start + min).min(limits.duration_secs), limits.duration_secs)]
            }
            None => return,
        };
    }

    /// Sets names and values for screen readers, and performs steps of screen readers and arrow keys.
    fn speak(&self, ui: &Ui, view: &mut [f64; 2], of: [&Response; 4], limits: &Limits) {
        let [start, end] = *view;
        let [whole, window, left, right] = of;
        whole.widget_info(|| WidgetInfo::labeled(Role::ScrollBar, true, "Overview of the whole file"));
        window.widget_info(|| WidgetInfo::slider(true, start, "Visible range"));
        left.widget_info(|| WidgetInfo::slider(true, start, "Left edge of the visible range"));
        right.widget_info(|| WidgetInfo::slider(true, end, "Right edge of the visible range"));
        let mut ticks = [0i64; 3];
        for (ticks, response) in ticks.iter_mut().zip([window, left, right]) {
            ui.ctx().accesskit_node_builder(response.id, |node| {
                let secs = if response.id == right.id { end } else { start };
                node.set_min_numeric_value(0.0);
                node.set_max_numeric_value(limits.duration_secs);
                node.set_value(clock_from_secs(secs));
                node.add_action(egui::accesskit::Action::Increment);
                node.add_action(egui::accesskit::Action::Decrement);
            });
            let has_focus = response.has_focus();
            ui.input(|input| {
                let n = |action| input.num_accesskit_action_requests(response.id, action) as i64;
                *ticks = n(egui::accesskit::Action::Increment) - n(egui::accesskit::Action::Decrement);
                if has_focus {
                    let n = |key| input.num_presses(key) as i64;
                    *ticks += n(egui::Key::ArrowRight) - n(egui::Key::ArrowLeft);
                }
            });
            if has_focus {
                let arrows = egui::EventFilter { horizontal_arrows: true, ..Default::default() };
                ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, arrows));
            }
        }
        let by = |ticks: i64| ticks as f64 * TICK * (end - start);
        if ticks[0] != 0 {
            *view = limits.clamp_secs([start + by(ticks[0]), end + by(ticks[0])]);
        } else if ticks[1] != 0 || ticks[2] != 0 {
            for (which, at) in [(0, start + by(ticks[1])), (1, end + by(ticks[2]))] {
                Overview { grip: Some(Grip::Edge(which)), ..Overview::default() }.hold(view, at, limits);
            }
        }
    }

    fn draw(&self, ui: &Ui, strip: Rect, shown: &Shown<'_>) {
        let &Shown { document, secs, playhead_secs, is_focused } = shown;
        let palette = theme::palette(ui.ctx());
        let painter = ui.painter().with_clip_rect(strip.expand2(vec2(2.0, 2.0)));
        painter.rect_filled(strip, CornerRadius::ZERO, palette.well);
        let duration_secs = document.duration_secs();
        let shown = window_rect(strip, secs, duration_secs);
        painter.rect_filled(shown, CornerRadius::ZERO, palette.active);
        if let Some(envelope) = self.envelope() {
            let pixels_per_point = ui.ctx().pixels_per_point();
            painter.add(waveform(strip.shrink2(vec2(0.0, 3.0)), envelope.columns(), pixels_per_point, |x| {
                if shown.x_range().contains(x) { palette.text } else { palette.stroke_strong }
            }));
        }
        let outline = Stroke::new(1.0, palette.text_weak);
        painter.rect_stroke(shown, CornerRadius::ZERO, outline, StrokeKind::Inside);
        for x in [shown.left(), shown.right()] {
            let grip = Rect::from_center_size(pos2(x, strip.center().y), vec2(3.0, 14.0_f32.min(strip.height() / 2.0)));
            painter.rect_filled(grip, CornerRadius::ZERO, palette.text_strong);
        }
        let x_of = |secs: f64| strip.left() + (secs / duration_secs.max(f64::MIN_POSITIVE)) as f32 * strip.width();
        if document.selection().is_some() {
            let [from, to] = document.selected_secs().unwrap_or([0.0, duration_secs]).map(x_of);
            let bar = Rect::from_x_y_ranges(from..=to.max(from + 2.0), strip.bottom() - 3.0..=strip.bottom());
            painter.rect_filled(bar, CornerRadius::ZERO, palette.accent);
        }
        let x = x_of(playhead_secs.unwrap_or(document.cursor_secs()));
        painter.vline(x, strip.y_range(), Stroke::new(3.0, palette.well));
        painter.vline(x, strip.y_range(), Stroke::new(1.0, palette.text_strong));
        if is_focused {
            let ring = Stroke::new(2.0, palette.accent);
            painter.rect_stroke(shown, CornerRadius::ZERO, ring, StrokeKind::Inside);
        }
    }
}

/// The rectangle of the visible range.
pub fn window_rect(strip: Rect, secs: [f64; 2], duration_secs: f64) -> Rect {
    let [left, right] =
        secs.map(|secs| strip.left() + (secs / duration_secs.max(f64::MIN_POSITIVE)) as f32 * strip.width());
    Rect::from_x_y_ranges(left..=right.max(left + 1.0), strip.y_range())
}

/// Areas for dragging the box, its left edge and its right edge, each wide enough to hit. The edges of a narrow box are
/// dragged outside it.
pub fn zones(strip: Rect, shown: Rect) -> [Rect; 3] {
    let zone = |left: f32, right: f32| Rect::from_x_y_ranges(left..=right, strip.y_range());
    if shown.width() >= 3.0 * REACH {
        let edge = |x: f32| zone(x - REACH / 2.0, x + REACH / 2.0);
        return [shown, edge(shown.left()), edge(shown.right())];
    }
    let half = shown.width().max(REACH) / 2.0;
    let (left, right) = (shown.center().x - half, shown.center().x + half);
    [zone(left, right), zone(left - REACH, left), zone(right, right + REACH)]
}

/// A bar per pixel column, from the lowest to the highest sample in it.
pub fn waveform(rect: Rect, columns: &[[f32; 2]], pixels_per_point: f32, colour: impl Fn(f32) -> Color32) -> Shape {
    let n_pixels = (rect.width() * pixels_per_point).round().max(1.0) as usize;
    let width = rect.width() / n_pixels as f32;
    let mut mesh = Mesh::default();
    for pixel in 0..n_pixels {
        let first = pixel * columns.len() / n_pixels;
        let last = ((pixel + 1) * columns.len()).div_ceil(n_pixels).max(first + 1).min(columns.len());
        let [low, high] = columns[first.min(last)..last]
            .iter()
            .fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], [a, b]| [low.min(*a), high.max(*b)]);
        if low > high {
            continue;
        }
        let y = |sample: f32| rect.center().y - sample.clamp(-1.0, 1.0) * rect.height() / 2.0;
        let (mut top, mut bottom) = (y(high), y(low));
        // Draws silence as a line of one pixel.
        if bottom - top < 1.0 / pixels_per_point {
            (top, bottom) = (top - 0.5 / pixels_per_point, bottom + 0.5 / pixels_per_point);
        }
        let left = rect.left() + pixel as f32 * width;
        mesh.add_colored_rect(Rect::from_x_y_ranges(left..=left + width, top..=bottom), colour(left));
    }
    Shape::mesh(mesh)
}

fn captions(ui: &Ui, all: Rect, strip: Rect, document: &OpenDocument) {
    let palette = theme::palette(ui.ctx());
    let painter = ui.painter().with_clip_rect(Rect::from_x_y_ranges(all.left()..=strip.left() - 2.0, all.y_range()));
    let font = theme::regular(theme::CAPTION);
    let length = clock_from_secs(document.duration_secs());
    let at = |dy: f32| pos2(all.left() + 8.0, all.center().y + dy);
    if all.height() >= HEIGHT {
        let name = if strip.left() - all.left() >= 68.0 { "Whole file" } else { "Whole" };
        painter.text(at(-7.0), Align2::LEFT_CENTER, name, font.clone(), palette.text_weak);
        painter.text(at(7.0), Align2::LEFT_CENTER, length, font, palette.text_strong);
    } else {
        painter.text(at(0.0), Align2::LEFT_CENTER, length, font, palette.text_strong);
    }
}

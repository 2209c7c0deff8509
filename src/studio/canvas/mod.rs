//! The canvas: the picture of the sound, rulers, colour bar, pointer gestures, live strokes.
//!
//! It reads the document and the tools, changes nothing but the view (and the splitter between its panes), and reports
//! everything else as [`Gestures`].

mod brush;
mod gestures;
mod layout;
mod live;
mod marks;
mod paint;
mod pointer;
mod readout;
mod rulers;
mod scene;
mod select;
mod warm;

pub use layout::CanvasRects;
pub use readout::{Lobe, peak_near, peak_under};

use super::jobs::Jobs;
use super::state::{Gestures, OpenDocument, Panes, Tool, Tools, View};
use super::theme;
use crate::base::{Result, trace};
use crate::document::{Edit, Snapshot};
use crate::dsp::{Grid, Point, Selection};
use crate::engine::Engine;
use crate::gpu::{Display, Gpu};
use crate::view::{Limits, Plane, Viewport, grid_of};
use egui::{CursorIcon, Rect, Role, Sense, WidgetInfo};
use gestures::Drag;
use live::{Live, PenDown};
use pointer::Pointer;
use rulers::Tags;
use scene::{Scene, UPLOAD_BYTES_PER_FRAME};
use std::sync::Arc;

/// Budgets of tiles on software adapters and on others.
const BUDGET_BYTES: [u64; 2] = [64 << 20, 256 << 20];

/// The phase pane's part of the height at the start.
const PHASE_PART: f32 = 0.2;

/// The canvas. One for the window's life; it follows whatever document it is shown.
pub struct Canvas {
    scene: Scene,
    engine: Engine,
    jobs: Jobs,
    document: Option<u64>,
    rects: Option<CanvasRects>,
    viewports: Vec<(Plane, Viewport)>,
    phase_part: f32,
    pointer: Pointer,
    drag: Option<Drag>,
    /// In the order in which they were pressed; the pen may still be down for the last.
    strokes: Vec<Live>,
    /// Released, but not yet in the sound shown.
    pending: Vec<Edit>,
    /// Where the clone brush takes sound from.
    clone_source: Option<Point>,
    reader: readout::Reader,
    notice: Option<crate::base::Error>,
    /// A line around something, in the making.
    lasso: Option<select::Lasso>,
    outlines: marks::Outlines,
    /// Strokes pressed so far.
    n_strokes: u64,
    warm: warm::Warm,
}

impl Canvas {
    /// A canvas that draws on the window's device and computes on `engine`.
    ///
    /// `budget_bytes` bounds the textures of tiles that are not in view; none is 64 MB on software adapters, 256 MB on
    /// others.
    ///
    /// # Errors
    /// [`Gpu`](crate::base::ErrorKind::Gpu) if the device lacks what drawing needs.
    pub fn new(
        gpu: Arc<Gpu>,
        target_format: wgpu::TextureFormat,
        engine: Engine,
        jobs: Jobs,
        budget_bytes: Option<u64>,
    ) -> Result<Canvas> {
        let is_software = gpu.summary().device_type == "Cpu";
        let budget_bytes = budget_bytes.unwrap_or(BUDGET_BYTES[usize::from(!is_software)]);
        let display = Display::new(gpu, target_format)?;
        Ok(Canvas {
            scene: Scene::new(display, jobs.clone(), budget_bytes),
            engine,
            jobs,
            document: None,
            rects: None,
            viewports: Vec::new(),
            phase_part: PHASE_PART,
            pointer: Pointer::default(),
            drag: None,
            strokes: Vec::new(),
            pending: Vec::new(),
            clone_source: None,
            reader: readout::Reader::default(),
            notice: None,
            lasso: None,
            outlines: marks::Outlines::default(),
            n_strokes: 0,
            warm: warm::Warm::default(),
        })
    }

    /// Once per frame, from `App::logic`, before [`ui`](Canvas::ui): takes answers of jobs, uploads at most 4 MB,
    /// carries a stroke on. `busy` says that edits are being applied, so tiles of the stroke keep their preview.
    pub fn logic(&mut self, document: Option<&OpenDocument>, busy: bool) {
        if self.document != document.map(|document| document.id) {
            self.document = document.map(|document| document.id);
            self.strokes.clear();
            self.pending.clear();
            self.drag = None;
            self.lasso = None;
            self.clone_source = None;
            self.scene.drop_previews();
        }
        let Some(document) = document else { return };
        self.warm.follow(document.view.stft, &self.engine, self.scene.plans(), &self.jobs);
        let sent_bytes = self.carry_on_strokes();
        let budget_bytes = UPLOAD_BYTES_PER_FRAME.saturating_sub(sent_bytes);
        let is_new = self.scene.follow(document.id, shown(document), budget_bytes);
        if is_new && !self.pending.is_empty() {
            self.pending.remove(0);
        }
        if !busy && !self.is_painting() {
            self.pending.clear();
            if self.strokes.is_empty() {
                self.scene.drop_shown_previews();
            }
        }
        self.notice = self.notice.take().or_else(|| self.scene.take_notice());
    }

    fn carry_on_strokes(&mut self) -> usize {
        let _span = trace::span("carry on strokes");
        // One after another: a later stroke starts from what an earlier one will look like.
        let mut sent_bytes = 0;
        while let Some(stroke) = self.strokes.first_mut() {
            let room = UPLOAD_BYTES_PER_FRAME.saturating_sub(sent_bytes).max(1);
            match stroke.advance(&mut self.scene, &self.jobs, room) {
                Ok(bytes) => sent_bytes += bytes,
                Err(error) => self.notice = Some(error),
            }
            if !stroke.is_done() || stroke.is_drawing() {
                break;
            }
            self.strokes.remove(0);
        }
        sent_bytes
    }

    /// Draws picture, rulers and colour bar into the whole of `ui`, and reads the pointer. Zoom and pan change
    /// `document.view` (and the colour bar its dB range); all else is reported.
    pub fn ui(
        &mut self,
        ui: &mut egui::Ui,
        document: &mut OpenDocument,
        tools: &mut Tools,
        playhead_secs: Option<f64>,
    ) -> Gestures {
        let all = ui.available_rect_before_wrap();
        let response = ui.allocate_rect(all, Sense::click_and_drag());
        response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, "Canvas"));
        let mut gestures = Gestures::default();
        let grid = grid_of(shown(document), document.view.stft);
        let limits = limits(&grid);
        document.view.secs = limits.clamp_secs(document.view.secs);
        document.view.hz = limits.clamp_hz(document.view.hz, document.view.axis);
        self.lay_out(all, &document.view, ui.ctx().pixels_per_point());
        if tools.active != Tool::Lasso {
            self.lasso = None;
        }
        self.handle_pointer(ui, document, tools, &grid, &limits, &mut gestures);
        // Gestures may have moved view and splitter; what is drawn is what they left.
        let Some(rects) = self.lay_out(all, &document.view, ui.ctx().pixels_per_point()) else { return gestures };
        gestures.painting = self.is_painting();

        let more = self.draw_panes(ui, document, &rects);
        let hovered = self.hovered(ui);
        self.draw_marks(ui, document, tools, &grid, hovered, playhead_secs, &rects);
        if let Some((at, viewport)) = hovered {
            gestures.readout = Some(self.read(document, &viewport, at));
            ui.ctx().set_cursor_icon(if tools.active.has_radius() { CursorIcon::None } else { CursorIcon::Crosshair });
        }
        gestures.notice = self.notice.take();
        let strokes_wait = self.strokes.iter().any(Live::has_waiting);
        if more || strokes_wait || !self.scene.is_settled() && !self.scene.has_jobs() {
            ui.ctx().request_repaint();
        }
        gestures
    }

    /// Drops the stroke or the selection being drawn (Escape); false if there is none.
    pub fn cancel_stroke(&mut self) -> bool {
        let was_dragging =
            matches!(self.drag.take(), Some(Drag::Select { .. } | Drag::Mark { .. })) | self.lasso.take().is_some();
        if !self.is_painting() {
            return was_dragging;
        }
        self.strokes.pop();
        self.scene.drop_previews();
        // The strokes before it were under the same previews: they are drawn again.
        self.strokes.clear();
        for (n_before, edit) in self.pending.clone().into_iter().enumerate() {
            let Some(pen_down) = self.pen_down(n_before) else { break };
            let Some((set, level)) = self.scene.look().map(|look| (look.set, look.level)) else { break };
            let mut again = Live::new(edit, set, level, pen_down);
            again.release();
            self.strokes.push(again);
        }
        true
    }

    /// The stroke being drawn, as far as it is, with a number of its own.
    pub fn stroke_in_hand(&self) -> Option<(u64, &Edit)> {
        let stroke = self.strokes.last().filter(|stroke| stroke.is_drawing())?;
        Some((self.n_strokes, stroke.edit()))
    }

    /// The phase pane's part of the height.
    pub fn phase_part(&self) -> f32 {
        self.phase_part
    }

    /// Gives the phase pane this part of the height.
    pub fn set_phase_part(&mut self, part: f32) {
        self.phase_part = part;
    }

    /// Whether tiles in view are still being computed, or a stroke's preview is.
    pub fn is_settled(&self) -> bool {
        let strokes_are_drawn = self.strokes.iter().all(Live::is_up_to_date);
        self.scene.is_settled() && strokes_are_drawn
    }

    /// Where the parts of the canvas were drawn; none before the first frame.
    pub fn rects(&self) -> Option<CanvasRects> {
        self.rects
    }

    /// Places in the upper picture, in points of the window; none before the first frame.
    pub fn viewport(&self) -> Option<Viewport> {
        self.viewports.first().map(|(_, viewport)| *viewport)
    }

    /// Places in the phase pane where both planes are shown.
    pub fn phase_viewport(&self) -> Option<Viewport> {
        self.viewports.get(1).map(|(_, viewport)| *viewport)
    }

    fn is_painting(&self) -> bool {
        self.strokes.last().is_some_and(Live::is_drawing)
    }

    /// What a stroke starts from, given how many of the pending edits came before it.
    fn pen_down(&self, n_pending: usize) -> Option<PenDown> {
        Some(PenDown {
            snapshot: self.scene.shown()?.clone(),
            pending: self.pending[..n_pending].to_vec(),
            engine: self.engine.clone(),
            plans: self.scene.plans().clone(),
        })
    }

    fn lay_out(&mut self, all: Rect, view: &View, pixels_per_point: f32) -> Option<CanvasRects> {
        let rects = CanvasRects::new(all, view.panes, self.phase_part, pixels_per_point);
        let first = if view.panes == Panes::Phase { Plane::Phase } else { Plane::Magnitude };
        let viewport = |rect: Rect| Viewport {
            secs: view.secs,
            hz: view.hz,
            axis: view.axis,
            origin: [f64::from(rect.left()), f64::from(rect.top())],
            size: [f64::from(rect.width()), f64::from(rect.height())],
        };
        self.viewports = vec![(first, viewport(rects.picture))];
        self.viewports.extend(rects.phase.map(|rect| (Plane::Phase, viewport(rect))));
        self.rects = Some(rects);
        Some(rects)
    }

    /// Draws the panes' textures into the window. True while there is more to do than waiting.
    fn draw_panes(&mut self, ui: &egui::Ui, document: &OpenDocument, rects: &CanvasRects) -> bool {
        let _span = trace::span("draw panes");
        let pixels_per_point = ui.ctx().pixels_per_point();
        let palette = theme::palette(ui.ctx());
        let pixels = |points: f32| (points * pixels_per_point).round().max(1.0) as u32;
        let more = self.scene.lay_out(&document.view, pixels(rects.picture.width()) as usize);
        let silence = [palette.window.r(), palette.window.g(), palette.window.b()].map(|byte| f64::from(byte) / 255.0);
        for ((plane, _), rect) in self.viewports.iter().zip([Some(rects.picture), rects.phase].into_iter().flatten()) {
            let size = [pixels(rect.width()), pixels(rect.height())];
            if let Some(pane) = self.scene.draw(&document.view, *plane, size, silence) {
                pane.set_place([rect.left(), rect.top()].map(|points| (points * pixels_per_point).round()));
                ui.painter().add(paint::pane_shape(rect, pane.painter()));
            }
        }
        self.scene.end_frame();
        more
    }

    /// The pointer's place and the viewport of the pane that it is over, unless something else is above.
    fn hovered(&self, ui: &egui::Ui) -> Option<(egui::Pos2, Viewport)> {
        let at = self.pointer.at()?;
        let is_ours = self.drag.is_some() || gestures::is_uncovered(ui, at);
        self.viewport_at(at).filter(|_| is_ours).map(|viewport| (at, viewport))
    }

    fn viewport_at(&self, at: egui::Pos2) -> Option<Viewport> {
        let pane = self.rects?.pane_at(at)?;
        let index = usize::from(self.rects?.phase == Some(pane));
        self.viewports.get(index).map(|(_, viewport)| *viewport)
    }

    fn read(&mut self, document: &OpenDocument, viewport: &Viewport, at: egui::Pos2) -> super::state::Readout {
        let y = f64::from(at.y);
        let probe = readout::Probe {
            snapshot: shown(document).clone(),
            stft: document.view.stft,
            channels: document.view.channels,
            secs: viewport.secs_from_x(f64::from(at.x)),
            hz: viewport.hz_from_y(y),
            pixel_hz: [viewport.hz_from_y(y + 0.5), viewport.hz_from_y(y - 0.5)],
            raw_phase: document.view.raw_phase,
        };
        self.reader.read(&probe, &self.jobs, self.scene.plans())
    }

    #[expect(clippy::too_many_arguments, reason = "what is drawn comes from everywhere")]
    fn draw_marks(
        &mut self,
        ui: &egui::Ui,
        document: &OpenDocument,
        tools: &Tools,
        grid: &Grid,
        hovered: Option<(egui::Pos2, Viewport)>,
        playhead_secs: Option<f64>,
        rects: &CanvasRects,
    ) {
        let palette = theme::palette(ui.ctx());
        let painter = ui.painter();
        let making = self.selection_in_the_making(grid);
        let selection: Option<&Selection> = making.as_ref().or(document.selection.as_ref());
        let panes = [Some(rects.picture), rects.phase].into_iter().flatten();
        let combine = select::combine_of(ui.input(|input| input.modifiers));
        for ((_, viewport), rect) in self.viewports.iter().zip(panes) {
            let clipped = painter.with_clip_rect(rect);
            if let Some(selection) = selection {
                self.outlines.draw(&clipped, viewport, rect, selection, making.is_some());
            }
            if let Some(lasso) = &self.lasso {
                let pointer = hovered.map(|(at, _)| at).filter(|at| rect.contains(*at));
                marks::lasso(&clipped, lasso.on_screen(viewport), lasso.is_polygon(), pointer);
            }
            if let Some((at, _)) = hovered.filter(|(at, _)| tools.active.selects() && rect.contains(*at)) {
                marks::joining(&clipped, at, combine);
            }
            marks::time_line(&clipped, rect, viewport.x_from_secs(document.cursor_secs) as f32, true);
            if let Some(secs) = playhead_secs {
                marks::time_line(&clipped, rect, viewport.x_from_secs(secs) as f32, false);
            }
            self.draw_brush(&clipped, viewport, tools, grid, hovered.filter(|(at, _)| rect.contains(*at)));
        }
        let tags = |index: usize| Tags {
            pointer: hovered.map(|(at, _)| at).filter(|at| index == self.pane_index(*at)),
            selected: selection.map(Selection::extent),
            head_x: None,
        };
        let Some((_, viewport)) = self.viewports.first() else { return };
        let head_x = viewport.x_from_secs(playhead_secs.unwrap_or(document.cursor_secs)) as f32;
        let time_tags = Tags { pointer: hovered.map(|(at, _)| at), head_x: Some(head_x), ..tags(0) };
        rulers::time_ruler(painter, rects.time_ruler, viewport, &time_tags, palette);
        painter.rect_filled(rects.hz_ruler, 0.0, palette.raised);
        let corner = Rect::from_x_y_ranges(rects.hz_ruler.x_range(), rects.time_ruler.y_range());
        painter.rect_filled(corner, 0.0, palette.raised);
        let corner = Rect::from_x_y_ranges(rects.colour_bar.x_range(), rects.time_ruler.y_range());
        painter.rect_filled(corner, 0.0, palette.raised);
        // Over the corners: at the ends of the ruler half of it lies there.
        let beyond = painter.with_clip_rect(rects.time_ruler.expand2(egui::vec2(7.0, 0.0)));
        marks::playhead_head(&beyond, head_x, rects.time_ruler.bottom(), palette.text_strong);
        let panes = [Some(rects.picture), rects.phase].into_iter().flatten();
        for (index, ((_, viewport), rect)) in self.viewports.iter().zip(panes).enumerate() {
            let beside = Rect::from_x_y_ranges(rects.hz_ruler.x_range(), rect.y_range());
            rulers::hz_ruler(painter, beside, viewport, &tags(index), palette);
        }
        rulers::colour_bar(painter, rects, &document.view, palette);
        if let Some(phase) = rects.phase {
            let below = Rect::from_x_y_ranges(rects.colour_bar.x_range(), rects.picture.bottom()..=phase.bottom());
            painter.rect_filled(below, 0.0, palette.raised);
            let gap = Rect::from_x_y_ranges(phase.x_range(), rects.picture.bottom()..=phase.top());
            painter.rect_filled(gap, 0.0, palette.stroke);
        }
    }

    fn pane_index(&self, at: egui::Pos2) -> usize {
        usize::from(self.rects.and_then(|rects| rects.phase).is_some_and(|phase| phase.contains(at)))
    }

    /// The brush's footprint, of the size that a stroke would have here, or that the stroke being drawn has.
    fn draw_brush(
        &self,
        painter: &egui::Painter,
        viewport: &Viewport,
        tools: &Tools,
        grid: &Grid,
        hovered: Option<(egui::Pos2, Viewport)>,
    ) {
        let Some((at, _)) = hovered.filter(|_| tools.active.has_radius()) else { return };
        let drawing = self.strokes.last().filter(|stroke| stroke.is_drawing()).and_then(Live::stroke);
        let marking = match &self.drag {
            Some(Drag::Mark { stroke, .. }) => Some(stroke),
            _ => None,
        };
        let radius = match drawing.or(marking) {
            Some(stroke) => stroke.radius,
            None => brush::radius_at(tools, viewport, grid, viewport.hz_from_y(f64::from(at.y))),
        };
        let points = [radius[0] / viewport.secs_per_pixel(), radius[1] / viewport.units_per_pixel()];
        marks::brush(painter, at, points.map(|radius| radius as f32), tools.hardness as f32);
    }
}

/// The sound that is shown: with all edits, or as it was opened.
fn shown(document: &OpenDocument) -> &Snapshot {
    if document.show_before { document.history.original() } else { document.history.current() }
}

/// How far views of a grid may reach: to the ends of the sound, and down to a few cells.
fn limits(grid: &Grid) -> Limits {
    Limits {
        duration_secs: grid.n_samples as f64 / grid.sample_rate_hz,
        nyquist_hz: grid.nyquist_hz(),
        least_secs: grid.secs_from_frame(4.0),
        least_hz: grid.hz_from_bin(4.0),
    }
}

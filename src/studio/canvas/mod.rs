//! The canvas: the picture of the sound, rulers, colour bar, pointer gestures, live strokes.
//!
//! It reads the document and the tools, and changes neither: what pointer and keyboard do is reported as [`Gestures`], what
//! was found out while drawing as [`DrawReport`]; both become acts.

mod brush;
mod drag;
mod drawing;
mod float;
mod gestures;
mod keyboard;
mod layout;
mod live;
mod loupe;
mod marks;
mod outline;
mod over;
mod paint;
mod piano;
mod pointer;
mod range;
mod report;
mod ruler_drag;
mod rulers;
mod scene;
mod select;
mod snap;
mod warm;
mod waveform;

pub use layout::{CanvasRects, PaneAt};
pub use report::{DrawReport, Gestures};

use super::keys;
use crate::base::{Result, trace};
use crate::document::{Edit, PenDown, Snapshot};
use crate::dsp::{Grid, Point};
use crate::engine::Engine;
use crate::gpu::{Display, Gpu};
use crate::view::{ChannelView, KeptPyramids, Limits, Plane, Viewport, grid_of};
use crate::workbench::Jobs;
use crate::workbench::commands::CanvasCommand;
use crate::workbench::{OpenDocument, Panes, Reader, Tool, Tools, View};
use drag::{Drag, Lasso};
use egui::{Rect, Role, Sense, WidgetInfo};
use live::Live;
use pointer::Pointer;
use ruler_drag::Ruler;
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
    panes: Vec<PaneAt>,
    phase_part: f32,
    pointer: Pointer,
    drag: Option<Drag>,
    /// In the order in which they were pressed; the pen may still be down for the last.
    strokes: Vec<Live>,
    /// Released, but not yet in the sound shown.
    pending: Vec<(Edit, ChannelView)>,
    /// Where the clone brush takes sound from.
    clone_source: Option<Point>,
    reader: Reader,
    notice: Option<crate::base::Error>,
    /// A line around something, in the making.
    lasso: Option<Lasso>,
    outlines: outline::Outlines,
    ants: marks::Ants,
    loupe: loupe::Loupe,
    waveforms: waveform::Waveforms,
    auto_range: range::AutoRange,
    /// Strokes pressed so far.
    n_strokes: u64,
    snapper: snap::Snapper,
    /// As egui knows the canvas, once it was drawn.
    id: Option<egui::Id>,
    has_keyboard: bool,
    wants_keyboard: bool,
    /// Only as long as something floats.
    has_lent_keyboard: bool,
    /// The tool is down at the keyboard's cursor: the pointer does not move it.
    has_key_pen: bool,
    /// Where the keyboard pressed last: seconds and hertz.
    last_tap: Option<[f64; 2]>,
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
            scene: Scene::new(display, jobs.clone(), engine.plans().clone(), budget_bytes),
            engine,
            jobs,
            document: None,
            rects: None,
            panes: Vec::new(),
            auto_range: range::AutoRange::default(),
            ants: marks::Ants::default(),
            loupe: loupe::Loupe::default(),
            waveforms: waveform::Waveforms::default(),
            phase_part: PHASE_PART,
            pointer: Pointer::default(),
            drag: None,
            strokes: Vec::new(),
            pending: Vec::new(),
            clone_source: None,
            reader: Reader::default(),
            notice: None,
            lasso: None,
            outlines: outline::Outlines::default(),
            n_strokes: 0,
            snapper: snap::Snapper::default(),
            id: None,
            has_keyboard: false,
            wants_keyboard: false,
            has_lent_keyboard: false,
            has_key_pen: false,
            last_tap: None,
            warm: warm::Warm::default(),
        })
    }

    /// Whether there is something to see from end to end of a sound, at least coarsely.
    pub fn is_seen_whole(&self) -> bool {
        self.document.is_some() && self.scene.is_seen_whole()
    }

    /// Keeps pictures of long files in a folder, so that opening one again shows it at once.
    pub fn keep_pyramids(&mut self, kept: KeptPyramids) {
        self.scene.keep_pyramids(kept);
    }

    /// Once per frame, from `App::logic`, before [`input`](Canvas::input): takes answers of jobs, uploads at most 4 MB,
    /// carries a stroke on. `busy` says that edits are being applied, so tiles of the stroke keep their preview.
    pub fn logic(&mut self, document: Option<&OpenDocument>, busy: bool) {
        if self.document != document.map(|document| document.id) {
            self.document = document.map(|document| document.id);
            self.strokes.clear();
            self.pending.clear();
            self.drag = None;
            self.lasso = None;
            self.clone_source = None;
            self.waveforms.clear();
            self.scene.drop_previews();
        }
        let Some(document) = document else { return };
        self.warm.follow(document.view.stft.clone(), &self.engine, self.reader.lobes(), &self.jobs);
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

    /// The first half of a frame, in the whole of `ui`: reads pointer and keyboard. What they did is to be acted on
    /// before [`draw`](Canvas::draw), which draws the document as it is then.
    pub fn input(&mut self, ui: &mut egui::Ui, document: &OpenDocument, tools: &Tools) -> Gestures {
        let all = ui.max_rect();
        let response = ui.allocate_rect(all, Sense::click_and_drag());
        response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, "Canvas"));
        self.hold_keyboard(ui, &response, document.floating.is_some());
        let mut gestures = Gestures::default();
        let grid = grid_of(shown(document), &document.view.stft);
        let limits = limits(&grid);
        let view = gestures.view_of(document);
        view.secs = limits.clamp_secs(view.secs);
        view.hz = limits.clamp_hz(view.hz, view.axis);
        self.lay_out(all, view, shown(document).n_channels(), ui.ctx().pixels_per_point());
        self.loupe.follow(keys::is_down(ui.ctx(), CanvasCommand::Loupe), ui.input(|input| input.time));
        if tools.active != Tool::Lasso {
            self.lasso = None;
        }
        self.snapper.follow(document, tools.snapping, &self.jobs, self.scene.plans());
        self.handle_pointer(ui, document, tools, &grid, &limits, &mut gestures);
        gestures.painting = self.is_painting();
        if matches!(self.drag, Some(Drag::Scrub)) {
            gestures.scrub_secs = Some(gestures.cursor_secs.unwrap_or(document.cursor_secs));
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
        for (n_before, (edit, channels)) in self.pending.clone().into_iter().enumerate() {
            let Some(pen_down) = self.pen_down(n_before) else { break };
            let Some((set, level)) = self.scene.look(channels).map(|look| (look.set.clone(), look.level.clone()))
            else {
                break;
            };
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
        let is_found = !self.auto_range.is_busy() && !self.waveforms.is_busy() && !self.snapper.is_busy();
        self.scene.is_settled() && strokes_are_drawn && is_found
    }

    /// Where the parts of the canvas were drawn; none before the first frame.
    pub fn rects(&self) -> Option<CanvasRects> {
        self.rects
    }

    /// Places in the upper picture, in points of the window; none before the first frame.
    pub fn viewport(&self) -> Option<Viewport> {
        self.panes.first().map(|pane| pane.viewport)
    }

    /// Every picture, from top to bottom.
    pub fn panes(&self) -> &[PaneAt] {
        &self.panes
    }

    /// Shows the loupe, or takes it away.
    pub fn toggle_loupe(&mut self) {
        self.loupe.toggle();
    }

    /// Finds once the range of levels that suits what is seen.
    pub fn fit_range(&mut self) {
        self.auto_range.fit_once();
    }

    /// Places in the phase pane where both planes are shown.
    pub fn phase_viewport(&self) -> Option<Viewport> {
        let phase = self.rects?.phase?;
        self.panes.iter().find(|pane| phase.contains_rect(pane.rect)).map(|pane| pane.viewport)
    }

    fn is_painting(&self) -> bool {
        self.strokes.last().is_some_and(Live::is_drawing)
    }

    /// What a stroke starts from, given how many of the pending edits came before it.
    fn pen_down(&self, n_pending: usize) -> Option<PenDown> {
        Some(PenDown {
            snapshot: self.scene.shown()?.clone(),
            pending: self.pending[..n_pending].iter().map(|(edit, _)| edit.clone()).collect(),
            engine: self.engine.clone(),
        })
    }

    fn lay_out(&mut self, all: Rect, view: &View, n_channels: usize, pixels_per_point: f32) -> CanvasRects {
        let has_piano = view.axis == crate::dsp::Axis::Log;
        let rects = CanvasRects::new(all, view.panes, has_piano, self.phase_part, pixels_per_point);
        let first = if view.panes == Panes::Phase { Plane::Phase } else { Plane::Magnitude };
        let viewport = |rect: Rect| Viewport {
            secs: view.secs,
            hz: view.hz,
            axis: view.axis,
            origin: [f64::from(rect.left()), f64::from(rect.top())],
            size: [f64::from(rect.width()), f64::from(rect.height())],
        };
        self.panes.clear();
        let lanes = view.lanes(n_channels);
        for (plane, rect) in [(first, Some(rects.picture)), (Plane::Phase, rects.phase)] {
            let Some(rect) = rect else { continue };
            for (channels, rect) in lanes.iter().zip(layout::stacked(rect, lanes.len(), pixels_per_point)) {
                self.panes.push(PaneAt { plane, channels: *channels, rect, viewport: viewport(rect) });
            }
        }
        self.rects = Some(rects);
        rects
    }

    fn viewport_at(&self, at: egui::Pos2) -> Option<Viewport> {
        self.pane_at(at).map(|pane| pane.viewport)
    }

    fn pane_at(&self, at: egui::Pos2) -> Option<&PaneAt> {
        self.panes.iter().find(|pane| pane.rect.contains(at))
    }

    /// The ruler at a place, and the viewport of the pane beside it.
    fn ruler_at(&self, at: egui::Pos2) -> Option<(Ruler, Viewport)> {
        let rects = self.rects?;
        if rects.time_ruler.contains(at) {
            return self.viewport().map(|viewport| (Ruler::Time, viewport));
        }
        let beside = self.panes.iter().find(|pane| pane.rect.y_range().contains(at.y));
        beside.filter(|_| rects.hz_axis().contains(at)).map(|pane| (Ruler::Hz, pane.viewport))
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
        least_secs: grid.secs_in_frames(4.0),
        least_hz: grid.hz_from_bin(4.0),
    }
}

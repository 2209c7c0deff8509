//! The canvas: the picture of the sound, rulers, colour bar, pointer gestures, live strokes.
//!
//! It reads the document and the tools, and changes neither: it reports pointer and keyboard input as [`Gestures`] and
//! results of drawing as [`DrawReport`]; both become acts. [`Canvas`] holds its parts (scene, layout, input, focus,
//! overlays, lookups), each in its own file; the files with an `impl Canvas` combine them.

pub mod axes;
mod drawing;
pub mod hand;
mod layout;
mod lookups;
mod menus;
pub mod overlay;
mod paint;
mod range;
mod report;
mod scene;
mod snap;
mod warm;

pub use hand::drag::MenuKind;
pub use layout::{CanvasRects, PaneAt};
pub use overlay::marks::PlaybackMarks;
pub use report::{DrawReport, Gestures, MenuAt};
pub use scene::UPLOAD_BYTES_PER_FRAME;

use super::input::keys;
use crate::base::{Error, Result};
use crate::dsp::Grid;
use crate::engine::Engine;
use crate::gpu::{Display, Gpu};
use crate::studio::profiler::GraphicsMemory;
use crate::view::{Limits, PyramidCache, Viewport, grid_of};
use crate::workbench::Jobs;
use crate::workbench::commands::CanvasCommand;
use crate::workbench::{OpenDocument, ShownStroke, Tool, Tools};
use egui::{Role, Sense, WidgetInfo};
use hand::drag::Drag;
use hand::focus::Keyboard;
use hand::input::PointerInput;
use layout::{PaneLayout, Strips};
use lookups::Lookups;
use overlay::overlays::Overlays;
use scene::Scene;
use std::sync::Arc;

/// Memory budgets for tiles, in bytes: on software adapters and on others.
const BUDGET_BYTES: [u64; 2] = [64 << 20, 256 << 20];

/// The canvas: one per window, which follows the document shown.
pub struct Canvas {
    scene: Scene,
    engine: Engine,
    jobs: Jobs,
    /// Id of the document that it follows.
    document: Option<u64>,
    layout: PaneLayout,
    input: PointerInput,
    keyboard: Keyboard,
    overlays: Overlays,
    lookups: Lookups,
    /// An error not reported yet.
    notice: Option<Error>,
}

impl Canvas {
    /// A canvas that draws on the window's device and computes on `engine`.
    ///
    /// `budget_bytes` limits the textures of all tiles, but those in view are kept even beyond it. The default is
    /// 64 MiB on software adapters, and 256 MiB on others.
    ///
    /// # Errors
    /// [`Gpu`](crate::base::ErrorKind::Gpu) if the device lacks a feature that drawing needs.
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
            scene: Scene::new(display, jobs.clone(), &engine, budget_bytes),
            engine,
            jobs,
            document: None,
            layout: PaneLayout::default(),
            input: PointerInput::default(),
            keyboard: Keyboard::default(),
            overlays: Overlays::default(),
            lookups: Lookups::default(),
            notice: None,
        })
    }

    /// Whether the whole length of a sound can be shown, at least coarsely.
    pub fn is_seen_whole(&self) -> bool {
        self.document.is_some() && self.scene.is_seen_whole()
    }

    /// Stores pictures of long files in a folder, so that they are shown at once when opened again.
    pub fn keep_pyramids(&mut self, kept: PyramidCache) {
        self.scene.keep_pyramids(kept);
    }

    /// Once per frame, from `App::logic`, before [`input`](Canvas::input): takes results of jobs, draws previews of
    /// strokes, uploads at most [`UPLOAD_BYTES_PER_FRAME`]. While strokes are not at rest, their tiles keep the
    /// previews.
    pub fn logic(&mut self, document: Option<&OpenDocument>, shown: Vec<ShownStroke>, are_strokes_at_rest: bool) {
        if self.document != document.map(|document| document.id()) {
            self.document = document.map(|document| document.id());
            self.input.clear();
            self.overlays.waveforms.clear();
            self.lookups.reader.forget();
            self.scene.drop_previews();
        }
        let Some(document) = document else { return };
        let budget_bytes = UPLOAD_BYTES_PER_FRAME.saturating_sub(self.show_strokes(shown));
        self.scene.follow(document.id(), document.pictured(), budget_bytes);
        if are_strokes_at_rest {
            self.scene.drop_shown_previews();
        }
        self.notice = self.notice.take().or_else(|| self.scene.take_notice());
    }

    /// The first half of a frame, in the whole of `ui`: reads pointer and keyboard. Perform the gestures before
    /// [`draw`](Canvas::draw), which draws the resulting document.
    pub fn input(&mut self, ui: &mut egui::Ui, document: &OpenDocument, tools: &Tools) -> Gestures {
        let all = ui.max_rect();
        // A fixed id, so that widgets that come and go, such as notices, disturb neither its focus nor a drag.
        let response = ui.interact(all, egui::Id::unique("canvas"), Sense::click_and_drag());
        ui.advance_cursor_after_rect(all);
        response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, "Canvas"));
        self.keyboard.hold(ui, &response, document.floating().is_some());
        let mut gestures = Gestures::default();
        let grid = grid_of(document.shown(), &document.view().transform);
        let limits = limits(&grid);
        let view = gestures.view_of(document);
        view.secs = limits.clamp_secs(view.secs);
        view.hz = limits.clamp_hz(view.hz, view.axis);
        let beneath_ruler = (document.shown().n_channels(), strips(document, tools));
        self.layout.lay_out(all, view, beneath_ruler, ui.ctx().pixels_per_point());
        self.overlays.loupe.follow(keys::is_down(ui.ctx(), CanvasCommand::Loupe), ui.input(|input| input.time));
        if tools.active() != Tool::Lasso {
            self.input.lasso = None;
        }
        self.input.snapper.follow(document, tools, &self.jobs, self.scene.plans());
        self.handle_pointer(ui, document, tools, &grid, &limits, &mut gestures);
        gestures.painting = self.is_painting();
        if let Some(Drag::Key(midi, _)) = self.input.drag {
            gestures.key_note = Some(midi);
        }
        if matches!(self.input.drag, Some(Drag::Scrub)) {
            gestures.scrub_secs = Some(gestures.cursor_secs.unwrap_or(document.cursor_secs()));
        }
        gestures
    }

    /// Cancels the stroke or the selection being drawn (Escape); false if there is none.
    pub fn cancel_stroke(&mut self) -> bool {
        let was_painting = self.is_painting();
        self.input.cancel() | was_painting
    }

    /// Notes an error of a preview, which is reported when the canvas is drawn.
    pub fn note(&mut self, fault: Error) {
        self.notice = Some(fault);
    }

    /// Whether the clone brush has a source.
    pub fn has_clone_source(&self) -> bool {
        self.input.clone_source.is_some()
    }

    /// Fraction of the height for the phase pane.
    pub fn phase_part(&self) -> f32 {
        self.layout.phase_part()
    }

    /// Sets the fraction of the height for the phase pane.
    pub fn set_phase_part(&mut self, part: f32) {
        self.layout.set_phase_part(part);
    }

    /// Whether everything in view has been computed, apart from previews of strokes, which the workbench computes.
    pub fn is_settled(&self) -> bool {
        let is_looking = self.lookups.auto_range.is_busy() || self.overlays.waveforms.is_busy();
        let is_found = !is_looking && !self.input.snapper.is_busy();
        self.scene.is_settled() && is_found
    }

    /// Number of tiles of levels 0 and 1 analysed.
    pub fn n_tiles_analysed(&self) -> usize {
        self.scene.n_tiles_analysed()
    }

    /// Layout of the canvas; `None` before the first frame.
    pub fn rects(&self) -> Option<CanvasRects> {
        self.layout.rects()
    }

    /// Viewport of the upper picture, in points of the window; `None` before the first frame.
    pub fn viewport(&self) -> Option<Viewport> {
        self.layout.viewport()
    }

    /// Every picture, from top to bottom.
    pub fn panes(&self) -> &[PaneAt] {
        self.layout.panes()
    }

    /// Toggles the loupe.
    pub fn toggle_loupe(&mut self) {
        self.overlays.loupe.toggle();
    }

    /// Fits the colour range once to the visible part.
    pub fn fit_range(&mut self) {
        self.lookups.auto_range.fit_once();
    }

    /// Gives the canvas the keyboard focus.
    pub fn take_keyboard(&mut self, ctx: &egui::Context) {
        self.keyboard.take(ctx);
    }

    /// egui id of the canvas; `None` before it was drawn.
    pub fn id(&self) -> Option<egui::Id> {
        self.keyboard.id()
    }

    /// Memory of the rendering device in use.
    pub fn memory(&self) -> GraphicsMemory {
        self.scene.memory()
    }

    /// Whether its rendering device is lost.
    pub fn is_device_lost(&self) -> bool {
        self.scene.is_device_lost()
    }
}

/// Strips below the time ruler.
fn strips(document: &OpenDocument, tools: &Tools) -> Strips {
    let n_lanes = match document.history().labels().lanes().len() {
        0 if tools.active() != Tool::Label => 0,
        n_lanes => n_lanes.max(axes::lanes::MIN_LANES),
    };
    Strips { has_beats: document.shown_beat().is_some(), n_lanes }
}

/// Limits of views of a grid: the sound's duration and Nyquist frequency, and a minimum of four frames and four bins.
fn limits(grid: &Grid) -> Limits {
    Limits {
        duration_secs: grid.n_samples as f64 / grid.sample_rate_hz,
        nyquist_hz: grid.nyquist_hz(),
        min_secs: grid.secs_in_frames(4.0),
        min_hz: 4.0 * grid.min_step_hz(),
    }
}

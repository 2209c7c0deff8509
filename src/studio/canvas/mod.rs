//! The canvas: the picture of the sound, rulers, colour bar, pointer gestures, live strokes.

mod paint;

use super::jobs::Jobs;
use super::state::{Gestures, OpenDocument, Tools};
use crate::base::Result;
use crate::engine::Engine;
use crate::gpu::Gpu;
use std::sync::Arc;

/// The canvas. One for the window's life; it follows whatever document it is shown.
pub struct Canvas {}

impl Canvas {
    /// A canvas that draws on the window's device and computes on `engine`.
    ///
    /// `budget_bytes` bounds the textures of tiles; none is 64 MB on software adapters, 256 MB on others.
    pub fn new(
        gpu: Arc<Gpu>,
        target_format: wgpu::TextureFormat,
        engine: Engine,
        jobs: Jobs,
        budget_bytes: Option<u64>,
    ) -> Result<Canvas> {
        let _ = (gpu, target_format, engine, jobs, budget_bytes);
        unimplemented!()
    }

    /// Once per frame, from `App::logic`, before [`ui`](Canvas::ui): takes answers of jobs, uploads at most 4 MB,
    /// carries a stroke on. `busy` says that edits are being applied, so tiles of the stroke keep their preview.
    pub fn logic(&mut self, document: Option<&OpenDocument>, busy: bool) {
        let _ = (document, busy);
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
        let _ = (ui, document, tools, playhead_secs);
        unimplemented!()
    }

    /// Drops the stroke being drawn (Escape); false if there is none.
    pub fn cancel_stroke(&mut self) -> bool {
        false
    }

    /// Whether tiles in view are still being computed.
    pub fn is_settled(&self) -> bool {
        true
    }
}

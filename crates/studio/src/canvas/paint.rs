//! Forwards paint callbacks to a pane's painter; the only file that depends on egui_wgpu.

use crate::gpu::PanePainter;
use eframe::egui_wgpu::{Callback, CallbackResources, CallbackTrait};

struct Forward(PanePainter);

impl CallbackTrait for Forward {
    fn paint(&self, _: egui::PaintCallbackInfo, pass: &mut eframe::wgpu::RenderPass<'static>, _: &CallbackResources) {
        self.0.paint(pass);
    }
}

/// A shape that draws a pane into `rect`.
pub fn pane_shape(rect: egui::Rect, painter: PanePainter) -> egui::Shape {
    Callback::new_paint_callback(rect, Forward(painter)).into()
}

//! Configures the window's surface again after wgpu refused to. It does so only while the device is idle, and fails if
//! another thread submits meanwhile; eframe then would draw frames of the new size on the old surface.

use crate::gpu::Gpu;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Retries a refused configuration in the next frame, in which only the window's thread submits.
#[derive(Debug)]
pub struct SurfaceRetry {
    gpu: Arc<Gpu>,
    is_refused: Arc<AtomicBool>,
    is_paused: bool,
}

impl SurfaceRetry {
    /// Retries on a window's device once `is_refused` is set.
    pub fn new(gpu: &Arc<Gpu>, is_refused: Arc<AtomicBool>) -> SurfaceRetry {
        SurfaceRetry { gpu: gpu.clone(), is_refused, is_paused: false }
    }

    /// Ends the pause of the previous frame.
    pub fn begin_frame(&mut self) {
        if std::mem::take(&mut self.is_paused) {
            self.gpu.resume_submissions();
        }
    }

    /// If wgpu refused, has eframe configure the surface before it paints this frame. Call as the last step of a frame,
    /// since it pauses the submissions of all other threads.
    pub fn end_frame(&mut self, frame: &mut eframe::Frame) {
        if !self.is_refused.swap(false, Relaxed) {
            return;
        }
        if let Some(mut config) = frame.wgpu_surface_config() {
            // eframe configures only what has changed. wgpu raises both values to the surface's minimum, 1 or more.
            let frames = if config.desired_maximum_frame_latency == Some(0) { 1 } else { 0 };
            config.desired_maximum_frame_latency = Some(frames);
            frame.set_wgpu_surface_config(config);
        }
        self.gpu.pause_submissions();
        self.is_paused = true;
    }
}

/// Whether wgpu refused to configure a surface because another thread submitted; the message is all that wgpu gives.
pub(super) fn is_busy_surface(error: &wgpu::Error) -> bool {
    error.to_string().contains("wait for GPU to come idle before reconfiguring the Surface")
}

//! Commands that pick a tool or change its settings.

use crate::studio::app::Studio;
use crate::studio::canvas::Canvas;
use crate::view::Viewport;
use crate::workbench::Radius;
use crate::workbench::commands::ToolCommand;

impl Studio {
    pub(super) fn tool_command(&mut self, ctx: &egui::Context, command: ToolCommand) {
        match command {
            ToolCommand::Pick(tool) => self.bench.tools_mut().active = tool,
            ToolCommand::Snapping => self.toggle_snapping(ctx),
            ToolCommand::BrushSmaller => self.scale_radius(0.8),
            ToolCommand::BrushLarger => self.scale_radius(1.25),
            ToolCommand::BrushSofter => self.change_hardness(-0.1),
            ToolCommand::BrushHarder => self.change_hardness(0.1),
            ToolCommand::LockRadius => self.lock_radius(),
            ToolCommand::ResetTool => self.bench.tools_mut().reset_active(),
        }
    }

    fn change_hardness(&mut self, by: f64) {
        let tools = self.bench.tools_mut();
        tools.hardness = tenths(tools.hardness + by);
    }

    fn scale_radius(&mut self, factor: f64) {
        match &mut self.bench.tools_mut().radius {
            Radius::Screen { points } => *points = (*points * factor as f32).clamp(2.0, 400.0),
            Radius::Locked { secs, octaves } => {
                *secs = (*secs * factor).clamp(1e-4, 60.0);
                *octaves = (*octaves * factor).clamp(1e-3, 10.0);
            }
        }
    }

    /// From points to seconds and octaves as they are at this zoom, and back.
    fn lock_radius(&mut self) {
        let Some(viewport) = self.canvas.as_ref().and_then(Canvas::viewport) else { return };
        let secs_per_point = viewport.secs_per_pixel();
        let octaves_per_point = octaves_per_point(&viewport);
        let tools = self.bench.tools_mut();
        tools.radius = match tools.radius {
            Radius::Screen { points } => Radius::Locked {
                secs: f64::from(points) * secs_per_point,
                octaves: f64::from(points) * octaves_per_point,
            },
            Radius::Locked { secs, .. } => {
                Radius::Screen { points: ((secs / secs_per_point) as f32).clamp(2.0, 400.0) }
            }
        };
    }
}

/// In the middle of the picture.
fn octaves_per_point(viewport: &Viewport) -> f64 {
    let middle = viewport.origin[1] + viewport.size[1] / 2.0;
    (viewport.hz_from_y(middle - 0.5) / viewport.hz_from_y(middle + 0.5)).log2()
}

/// Kept to tenths, so that steps add up.
fn tenths(value: f64) -> f64 {
    (value.clamp(0.0, 1.0) * 10.0).round() / 10.0
}

//! Performs commands of the canvas.

use crate::studio::app::Studio;
use crate::studio::canvas::{Canvas, MenuKind};
use crate::view::{Viewport, grid_of};
use crate::workbench::commands::CanvasCommand;
use crate::workbench::{Act, DocumentAct, Radius};

impl Studio {
    pub(super) fn canvas_command(&mut self, command: CanvasCommand) {
        let Some(canvas) = &mut self.canvas else { return };
        match command {
            CanvasCommand::ClosePolygon => {
                let Some(document) = self.bench.document() else { return };
                let grid = grid_of(document.shown(), &document.view().transform);
                if let Some(selection) = canvas.close_polygon(&grid) {
                    self.bench.act(DocumentAct::Select(Some(selection)));
                }
            }
            CanvasCommand::FitRange => canvas.fit_range(),
            CanvasCommand::Loupe => canvas.toggle_loupe(),
            CanvasCommand::LockRadius => self.lock_radius(),
            CanvasCommand::Menu => self.open_menu_here(MenuKind::Commands),
            CanvasCommand::Brushes => self.open_menu_here(MenuKind::Brushes),
        }
    }

    /// Opens a menu at the keyboard's cursor or the pointer, with the focus on its first row.
    fn open_menu_here(&mut self, kind: MenuKind) {
        let (Some(document), Some(canvas)) = (self.bench.document(), &self.canvas) else { return };
        if let Some(place) = canvas.menu_here(kind, document) {
            self.open_menu(place, true);
        }
    }

    /// Converts the brush's radius from points to seconds and octaves at the current zoom, or back.
    fn lock_radius(&mut self) {
        let Some(viewport) = self.canvas.as_ref().and_then(Canvas::viewport) else { return };
        let secs_per_point = viewport.secs_per_pixel();
        let octaves_per_point = octaves_per_point(&viewport);
        let tools = self.bench.tools();
        let radius = match tools.radius() {
            Radius::Screen { points } => Radius::Locked {
                secs: f64::from(points) * secs_per_point,
                octaves: f64::from(points) * octaves_per_point,
            },
            Radius::Locked { secs, .. } => {
                Radius::Screen { points: ((secs / secs_per_point) as f32).clamp(2.0, 400.0) }
            }
        };
        let mut settings = tools.settings().clone();
        settings.set_radius(tools.active(), radius);
        self.bench.act(Act::Tools(Box::new(settings)));
    }
}

/// Octaves per point at the middle of the picture.
fn octaves_per_point(viewport: &Viewport) -> f64 {
    let middle = viewport.origin[1] + viewport.size[1] / 2.0;
    (viewport.hz_from_y(middle - 0.5) / viewport.hz_from_y(middle + 0.5)).log2()
}

//! Commands that the canvas performs.

use crate::studio::app::Studio;
use crate::view::grid_of;
use crate::workbench::commands::CanvasCommand;

impl Studio {
    pub(super) fn canvas_command(&mut self, command: CanvasCommand) {
        let Some(canvas) = &mut self.canvas else { return };
        match command {
            CanvasCommand::ClosePolygon => {
                let Some(document) = self.bench.document_mut() else { return };
                let grid = grid_of(document.shown(), &document.view.stft);
                if let Some(selection) = canvas.close_polygon(&grid) {
                    document.select(Some(selection));
                }
            }
            CanvasCommand::FitRange => canvas.fit_range(),
            CanvasCommand::Loupe => canvas.toggle_loupe(),
        }
    }
}

//! Commands about the window around the document.

use crate::studio::app::Studio;
use crate::studio::canvas::Canvas;
use crate::studio::cards::{Answer, Card};
use crate::studio::theme;
use crate::workbench::commands::WindowCommand;
use crate::workbench::{SCALES, limits_of};

impl Studio {
    pub(super) fn window_command(&mut self, ctx: &egui::Context, command: WindowCommand) {
        match command {
            WindowCommand::Cancel => self.cancel(ctx),
            WindowCommand::CopyFigures => self.copy_figures(ctx),
            WindowCommand::CopySpectrum => self.bench.copy_spectrum(),
            WindowCommand::NextTab => self.bench.documents_mut().activate_next(1),
            WindowCommand::PreviousTab => self.bench.documents_mut().activate_next(-1),
            WindowCommand::Theme => theme::toggle(ctx),
            WindowCommand::LargerInterface => scale_interface(ctx, 0.25),
            WindowCommand::SmallerInterface => scale_interface(ctx, -0.25),
            WindowCommand::Panels => {
                let layout = self.bench.parts().layout;
                layout.has_panels = !layout.has_panels;
            }
            WindowCommand::Panel(panel) => self.bench.parts().layout.toggle(panel),
            WindowCommand::Profiler => self.profiler.toggle(),
            WindowCommand::Palette => self.card = Some(Card::Palette { text: String::new(), row: 0 }),
            WindowCommand::Keys => self.card = Some(Card::Keys),
        }
    }

    /// Escape: the topmost thing first.
    fn cancel(&mut self, ctx: &egui::Context) {
        if self.card.is_some() {
            return self.take_answer(ctx, Answer::Close);
        }
        if self.canvas.as_mut().is_some_and(Canvas::cancel_stroke) {
            return self.bench.drop_stroke();
        }
        if !self.bench.drop_floating()
            && !self.bench.cancel()
            && let Some(id) = self.canvas.as_ref().and_then(Canvas::id)
        {
            // Nothing was in progress: the keyboard goes back to the window.
            ctx.memory_mut(|memory| memory.surrender_focus(id));
        }
    }

    fn copy_figures(&mut self, ctx: &egui::Context) {
        let Some((document, figures)) = self.bench.document().and_then(|d| Some((d, d.figures?))) else { return };
        let limits = limits_of(document.shown());
        let secs = document.selected_secs().unwrap_or([0.0, limits.duration_secs]);
        let hz = document.selected_hz().unwrap_or([0.0, limits.nyquist_hz]);
        ctx.copy_text(figures.csv(secs, hz));
    }
}

/// Larger or smaller by a quarter of the usual size.
fn scale_interface(ctx: &egui::Context, by: f32) {
    let scale = ((ctx.zoom_factor() + by) * 4.0).round() / 4.0;
    ctx.set_zoom_factor(scale.clamp(SCALES[0], SCALES[1]));
}

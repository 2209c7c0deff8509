//! Performs commands of the window itself.

use crate::studio::app::Studio;
use crate::studio::canvas::Canvas;
use crate::studio::cards::Card;
use crate::studio::cards::card_parts::CardAnswer;
use crate::studio::widgets::theme;
use crate::workbench::commands::{PlayCommand, WindowCommand};
use crate::workbench::{Act, FileAct, NoticeAct, SCALES, StrokeAct};
use egui::ViewportCommand;

impl Studio {
    pub(super) fn window_command(&mut self, ctx: &egui::Context, command: WindowCommand) {
        match command {
            WindowCommand::Cancel => self.cancel(ctx),
            // The contents of the clipboard arrive as an event, as after Ctrl+V.
            WindowCommand::PastePicture => ctx.send_viewport_cmd(ViewportCommand::RequestPaste),
            WindowCommand::Theme => theme::toggle(ctx),
            WindowCommand::LargerInterface => scale_interface(ctx, 0.25),
            WindowCommand::SmallerInterface => scale_interface(ctx, -0.25),
            WindowCommand::Profiler => self.profiler.toggle(),
            WindowCommand::TypingKeyboard => self.toggle_typing(),
            WindowCommand::CloseNotices => self.bench.act(NoticeAct::CloseAll),
            WindowCommand::Graphics => self.bench.act(FileAct::AskGraphics(self.graphics.adapters.clone())),
            WindowCommand::Palette => self.open_card(Card::Palette { text: String::new(), row: 0 }),
            WindowCommand::FirstSteps => self.open_card(Card::FirstSteps),
            WindowCommand::Keys => self.open_card(Card::Keys { text: String::new() }),
            WindowCommand::About => self.open_card(Card::About),
        }
    }

    /// Turns the typing keyboard on or off; turning it off also stops recording notes.
    fn toggle_typing(&mut self) {
        self.hand.typing.toggle();
        if !self.hand.typing.is_on() && self.bench.monitor().take().is_on() {
            self.bench.act(PlayCommand::RecordNotes);
        }
    }

    /// Escape: cancels a drag, else closes the card, else cancels the stroke, the typing keyboard, or work of the
    /// workbench.
    fn cancel(&mut self, ctx: &egui::Context) {
        if self.sides.drops.cancel_out() {
            return;
        }
        if self.card.is_some() {
            return self.take_answer(ctx, CardAnswer::Close);
        }
        if self.canvas.as_mut().is_some_and(Canvas::cancel_stroke) {
            return self.bench.act(StrokeAct::Cancel);
        }
        if self.hand.typing.is_on() {
            return self.toggle_typing();
        }
        self.bench.act(Act::Cancel);
    }
}

/// Scales the interface by a quarter of the default size.
fn scale_interface(ctx: &egui::Context, by: f32) {
    let scale = ((ctx.zoom_factor() + by) * 4.0).round() / 4.0;
    ctx.set_zoom_factor(scale.clamp(SCALES[0], SCALES[1]));
}

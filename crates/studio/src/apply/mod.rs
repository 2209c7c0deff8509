//! Performs commands: those of the window here, all others in the workbench. Each owner matches its commands without a
//! wildcard, so the compiler reports a new command that its owner does not handle.
#![deny(clippy::wildcard_enum_match_arm)]

mod canvas;
mod window;

use super::app::Studio;
use crate::workbench::commands::{Command, PlayCommand, ToolCommand};

impl Studio {
    /// Performs a command if it is enabled.
    pub fn apply(&mut self, ctx: &egui::Context, command: impl Into<Command>) {
        let command = command.into();
        if command.enabled(&self.facts()).is_err() {
            return;
        }
        match command {
            Command::Cursor(command) => self.cursor_command(ctx, command),
            Command::Canvas(command) => self.canvas_command(command),
            Command::Window(command) => self.window_command(ctx, command),
            Command::File(_)
            | Command::Edit(_)
            | Command::Preview(_)
            | Command::Clipboard(_)
            | Command::Select(_)
            | Command::Find(_)
            | Command::Keep(_)
            | Command::Label(_)
            | Command::Beat(_)
            | Command::Tool(_)
            | Command::View(_)
            | Command::Tab(_)
            | Command::Layout(_)
            | Command::Browse(_)
            | Command::Play(_) => {
                if command == Command::Tool(ToolCommand::Snapping) {
                    self.note_snap_key(ctx);
                }
                self.bench.act(command);
                if command == Command::Play(PlayCommand::RecordNotes) && self.bench.monitor().take().is_on() {
                    self.hand.typing.begin();
                }
            }
        }
        // A question that the command asks opens its card in this frame.
        self.take_events(ctx);
    }
}

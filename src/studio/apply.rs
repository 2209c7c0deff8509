//! What each command does: every command reaches its owner here, and only here. An owner matches its commands without a
//! wildcard, so that a new command compiles only once its owner performs it.
#![deny(clippy::wildcard_enum_match_arm)]

mod canvas;
mod clipboard;
mod edit;
mod file;
mod find;
mod play;
mod select;
mod tool;
mod view;
mod window;

use super::app::Studio;
use crate::workbench::commands::Command;

impl Studio {
    /// Does what a command says, if it is enabled.
    pub fn apply(&mut self, ctx: &egui::Context, command: impl Into<Command>) {
        let command = command.into();
        if command.enabled(&self.facts()).is_err() {
            return;
        }
        match command {
            Command::File(command) => self.file_command(command),
            Command::Edit(command) => self.edit_command(command),
            Command::Clipboard(command) => self.clipboard_command(command),
            Command::Select(command) => self.select_command(command),
            Command::Find(command) => self.find_command(command),
            Command::Cursor(command) => self.cursor_command(ctx, command),
            Command::Tool(command) => self.tool_command(ctx, command),
            Command::View(command) => self.view_command(command),
            Command::Canvas(command) => self.canvas_command(command),
            Command::Play(command) => self.play_command(command),
            Command::Window(command) => self.window_command(ctx, command),
        }
    }
}

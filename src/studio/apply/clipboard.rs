//! Commands of the clipboard.

use crate::studio::app::Studio;
use crate::workbench::commands::ClipboardCommand;

impl Studio {
    pub(super) fn clipboard_command(&mut self, command: ClipboardCommand) {
        match command {
            ClipboardCommand::Cut => self.bench.copy(true),
            ClipboardCommand::Copy => self.bench.copy(false),
            ClipboardCommand::Paste => self.bench.paste(false),
            ClipboardCommand::PasteInPlace => self.bench.paste(true),
            ClipboardCommand::LandPaste => self.bench.land(),
        }
    }
}

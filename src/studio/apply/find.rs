//! Commands that search or learn from the sound.

use crate::studio::app::Studio;
use crate::workbench::commands::FindCommand;

impl Studio {
    pub(super) fn find_command(&mut self, command: FindCommand) {
        match command {
            FindCommand::LearnNoise => self.bench.learn_noise(),
            FindCommand::Next => self.bench.find_similar(true),
            FindCommand::Previous => self.bench.find_similar(false),
            FindCommand::Seek(seek) => self.bench.seek(seek),
        }
    }
}

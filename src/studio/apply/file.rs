//! Commands about files and projects.

use crate::studio::app::Studio;
use crate::workbench::commands::FileCommand;
use crate::workbench::{ExportWish, NewCanvas, Purpose, Question, Then};

impl Studio {
    pub(super) fn file_command(&mut self, command: FileCommand) {
        match command {
            FileCommand::New => self.ask(Question::New(NewCanvas::default())),
            FileCommand::Open => self.bench.ask_open(),
            FileCommand::OpenPath => {
                self.ask(Question::Path { purpose: Purpose::Open, text: String::new(), replaces: None });
            }
            FileCommand::OpenRecent(index) => {
                if let Some(recent) = self.bench.remembered().recent.get(index) {
                    self.open(recent.path.clone());
                }
            }
            FileCommand::ForgetRecent => self.bench.remembered_mut().recent.clear(),
            FileCommand::OpenDemo => self.bench.open_demo(),
            FileCommand::SaveProject => self.bench.save_project(),
            FileCommand::SaveProjectAs => self.bench.save_project_as(),
            FileCommand::Export => {
                let document = self.bench.documents().active_id();
                self.ask(Question::Export(ExportWish { document, ..ExportWish::default() }));
            }
            FileCommand::Close => {
                if let Some(id) = self.bench.documents().active_id() {
                    self.bench.unless_unsaved(Then::Close(id));
                }
            }
            FileCommand::Quit => self.bench.unless_unsaved(Then::Quit),
        }
    }
}

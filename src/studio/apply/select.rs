//! Commands that change the selection.

use crate::dsp::{Axis, Selection};
use crate::studio::app::Studio;
use crate::workbench::Reshape;
use crate::workbench::commands::SelectCommand;

impl Studio {
    pub(super) fn select_command(&mut self, command: SelectCommand) {
        let Some(document) = self.bench.document_mut() else { return };
        match command {
            SelectCommand::All => {
                let all = Some([0.0, document.duration_secs()]);
                document.selection = Some(Selection::rectangle(all, None, [0.0, 0.0], Axis::Linear));
            }
            SelectCommand::Nothing => document.select(None),
            SelectCommand::Reselect => document.selection = document.last_selection.clone(),
            SelectCommand::Invert => document.selection = document.selection.as_ref().map(Selection::inverted),
            SelectCommand::Grow => self.bench.reshape(Reshape::Grow),
            SelectCommand::Shrink => self.bench.reshape(Reshape::Shrink),
            SelectCommand::Feather => self.bench.reshape(Reshape::Feather),
        }
    }
}

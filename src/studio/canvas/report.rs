//! What the canvas reports of a frame.

use crate::base::{Error, ErrorKind};
use crate::document::Edit;
use crate::dsp::Selection;
use crate::workbench::commands::ClipboardCommand;
use crate::workbench::{Act, DocumentAct, Level, NoticeAct, Readout, SelectWish, sentence};

/// What the canvas reports of one frame; the studio acts on it.
#[derive(Debug, Default)]
pub struct Gestures {
    /// A stroke was released: apply it.
    pub finished: Option<Edit>,
    /// A stroke is being drawn.
    pub painting: bool,
    /// The user clicked a place in time (with a selection tool, or on the time ruler): the cursor goes there.
    pub cursor_secs: Option<f64>,
    /// A hand is dragging on the time ruler, and is there now.
    pub scrub_secs: Option<f64>,
    /// A new selection, or with `Some(None)` none any more.
    pub selection: Option<Option<Selection>>,
    /// A selection that depends on the sound: find it.
    pub wish: Option<SelectWish>,
    /// What floats is put down.
    pub lands: bool,
    /// What is under the pointer.
    pub readout: Option<Readout>,
    /// What the user should be told.
    pub notice: Option<Error>,
}

impl Gestures {
    /// What it means for the document in front, in order.
    pub fn acts(self) -> Vec<Act> {
        let mut acts: Vec<Act> = Vec::new();
        acts.extend(self.finished.map(|edit| DocumentAct::Edit(Box::new(edit)).into()));
        acts.extend(self.cursor_secs.map(|secs| DocumentAct::Cursor(secs).into()));
        acts.extend(self.selection.map(|selection| DocumentAct::Select(selection).into()));
        acts.extend(self.wish.map(|wish| DocumentAct::Find(wish).into()));
        acts.push(DocumentAct::Point(self.readout).into());
        if self.lands {
            acts.push(ClipboardCommand::LandPaste.into());
        }
        acts.extend(self.notice.map(|error| notice_of(error).into()));
        acts
    }
}

fn notice_of(error: Error) -> NoticeAct {
    match error.kind() {
        ErrorKind::SourceChanged => NoticeAct::Fail { doing: "read", error },
        _ => NoticeAct::Tell { level: Level::Warning, what: sentence(&error.to_string()), advice: None },
    }
}

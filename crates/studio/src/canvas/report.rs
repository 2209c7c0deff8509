//! What the canvas reports of a frame.

use super::drag::MenuKind;
use crate::base::{Error, ErrorKind};
use crate::document::brushes::PictureBrush;
use crate::dsp::Selection;
use crate::workbench::commands::ClipboardCommand;
use crate::workbench::{
    Act, DocumentAct, DragOutAct, Draggable, LabelAct, NoticeAct, OpenDocument, Readout, SelectWish, Severity,
    StrokeAct, View, ViewAct, sentence,
};

/// A menu at a place on the canvas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MenuAt {
    /// Where, in points of the window.
    pub at: egui::Pos2,
    /// Which.
    pub kind: MenuKind,
    /// The id of the label that lies there.
    pub label: Option<u64>,
}

/// What pointer and keyboard did on the canvas in one frame.
#[derive(Debug, Default)]
pub struct Gestures {
    /// What the pen did, in order.
    pub strokes: Vec<StrokeAct>,
    /// A stroke is being drawn.
    pub painting: bool,
    /// The user clicked a place in time (with a selection tool, or on the time ruler): the cursor goes there.
    pub cursor_secs: Option<f64>,
    /// A hand is dragging on the time ruler, and is there now.
    pub scrub_secs: Option<f64>,
    /// The key of the piano that is held, as a MIDI number.
    pub key_note: Option<i32>,
    /// A new selection, or with `Some(None)` none any more.
    pub selection: Option<Option<Selection>>,
    /// What was done to labels, in order.
    pub labels: Vec<LabelAct>,
    /// A selection that depends on the sound: find it.
    pub wish: Option<SelectWish>,
    /// What floats moves to this offset, in seconds and units of its axis.
    pub float: Option<[f64; 2]>,
    /// The picture that floats becomes this one.
    pub picture: Option<Box<PictureBrush>>,
    /// What is selected goes out of the window.
    pub drags_out: bool,
    /// A menu is opened.
    pub menu: Option<MenuAt>,
    /// What floats is placed.
    pub lands: bool,
    /// The clone brush was given a source in this sound.
    pub clones_from_here: bool,
    /// The view was scrolled, zoomed or otherwise changed to this.
    pub view: Option<View>,
    /// A message for the user.
    pub notice: Option<Error>,
}

impl Gestures {
    /// The view as it is after what was done so far in this frame, to change it.
    pub(super) fn view_of(&mut self, document: &OpenDocument) -> &mut View {
        self.view.get_or_insert_with(|| document.view().clone())
    }

    /// What it means for the document in front, in order.
    pub fn acts(self, document: &OpenDocument) -> Vec<Act> {
        let mut acts = view_acts(document, self.view.as_ref());
        acts.extend(self.strokes.into_iter().map(Act::Stroke));
        acts.extend(self.cursor_secs.map(|secs| DocumentAct::Cursor(secs).into()));
        acts.extend(self.selection.map(|selection| DocumentAct::Select(selection).into()));
        acts.extend(self.labels.into_iter().map(Act::Label));
        acts.extend(self.wish.map(|wish| DocumentAct::Find(wish).into()));
        acts.extend(self.float.map(|offset| DocumentAct::Float(offset).into()));
        acts.extend(self.picture.map(|brush| DocumentAct::FloatPicture(brush).into()));
        if self.clones_from_here && document.donor().is_some() {
            acts.push(DocumentAct::CloneFromHere.into());
        }
        if self.drags_out {
            acts.push(DragOutAct::Begin(Draggable::Selection).into());
        }
        if self.lands {
            acts.push(ClipboardCommand::LandPaste.into());
        }
        acts.extend(self.notice.map(|error| notice_of(error).into()));
        acts
    }
}

/// What the canvas found out while it was drawn.
#[derive(Debug, Default)]
pub struct DrawReport {
    /// What is under the pointer, or the keyboard's cursor.
    pub readout: Option<Readout>,
    /// The view with another range of levels, or its lock toggled.
    pub view: Option<View>,
    /// A message for the user.
    pub notice: Option<Error>,
}

impl DrawReport {
    /// What it means for the document in front, in order.
    pub fn acts(self, document: &OpenDocument) -> Vec<Act> {
        let mut acts = view_acts(document, self.view.as_ref());
        acts.push(DocumentAct::Point(self.readout).into());
        acts.extend(self.notice.map(|error| notice_of(error).into()));
        acts
    }
}

fn view_acts(document: &OpenDocument, after: Option<&View>) -> Vec<Act> {
    let changes = after.map(|after| ViewAct::between(document.view(), after)).unwrap_or_default();
    changes.into_iter().map(Act::View).collect()
}

fn notice_of(error: Error) -> NoticeAct {
    match error.kind() {
        ErrorKind::SourceChanged => NoticeAct::Fail { doing: "read", error },
        _ => NoticeAct::Tell { severity: Severity::Warning, what: sentence(&error.to_string()), advice: None },
    }
}

//! Results of a frame of the canvas: gestures, and a report on drawing.

use super::hand::drag::MenuKind;
use crate::base::{Error, ErrorKind};
use crate::document::brushes::PictureBrush;
use crate::dsp::Selection;
use crate::workbench::commands::ClipboardCommand;
use crate::workbench::{
    Act, DocumentAct, DragOutAct, Draggable, LabelAct, NoticeAct, OpenDocument, Readout, SelectRequest, Severity,
    StrokeAct, View, ViewAct, sentence,
};

/// A menu at a position on the canvas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MenuAt {
    /// Its position, in points of the window.
    pub at: egui::Pos2,
    /// Kind of menu.
    pub kind: MenuKind,
    /// Id of the label there.
    pub label: Option<u64>,
}

/// Gestures of pointer and keyboard on the canvas in one frame.
#[derive(Debug, Default)]
pub struct Gestures {
    /// Acts of the pen, in order.
    pub strokes: Vec<StrokeAct>,
    /// Whether a stroke is being drawn.
    pub painting: bool,
    /// The cursor's new time, as the user clicked with a selection tool or on the time ruler.
    pub cursor_secs: Option<f64>,
    /// The scrubbing position, during a drag on the time ruler.
    pub scrub_secs: Option<f64>,
    /// The held piano key, as a MIDI number.
    pub key_note: Option<i32>,
    /// A new selection; `Some(None)` clears it.
    pub selection: Option<Option<Selection>>,
    /// Acts on labels, in order.
    pub labels: Vec<LabelAct>,
    /// A sound-dependent selection to find.
    pub request: Option<SelectRequest>,
    /// The new offset of the floating paste, in seconds and units of its axis.
    pub float: Option<[f64; 2]>,
    /// The new settings of the floating picture.
    pub picture: Option<Box<PictureBrush>>,
    /// Whether to drag the selected sound out of the window.
    pub drags_out: bool,
    /// The menu to open.
    pub menu: Option<MenuAt>,
    /// Whether to place the floating paste.
    pub lands: bool,
    /// Whether the clone brush was given a source in this sound.
    pub clones_from_here: bool,
    /// The new view after scrolling, zooming or other changes.
    pub view: Option<View>,
    /// A message for the user.
    pub notice: Option<Error>,
}

impl Gestures {
    /// The view with all changes of this frame, to change it further.
    pub(super) fn view_of(&mut self, document: &OpenDocument) -> &mut View {
        self.view.get_or_insert_with(|| document.view().clone())
    }

    /// The acts on the document in front, in order.
    pub fn acts(self, document: &OpenDocument) -> Vec<Act> {
        let mut acts = view_acts(document, self.view.as_ref());
        acts.extend(self.strokes.into_iter().map(Act::Stroke));
        acts.extend(self.cursor_secs.map(|secs| DocumentAct::Cursor(secs).into()));
        acts.extend(self.selection.map(|selection| DocumentAct::Select(selection).into()));
        acts.extend(self.labels.into_iter().map(Act::Label));
        acts.extend(self.request.map(|request| DocumentAct::Find(request).into()));
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

/// Results of drawing the canvas.
#[derive(Debug, Default)]
pub struct DrawReport {
    /// The values at the pointer, or at the keyboard's cursor.
    pub readout: Option<Readout>,
    /// The view with a new colour range, or with its lock toggled.
    pub view: Option<View>,
    /// A message for the user.
    pub notice: Option<Error>,
}

impl DrawReport {
    /// The acts on the document in front, in order.
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
        ErrorKind::SourceChanged => NoticeAct::Fail { operation: "read", error },
        _ => NoticeAct::Show { severity: Severity::Warning, what: sentence(&error.to_string()), advice: None },
    }
}

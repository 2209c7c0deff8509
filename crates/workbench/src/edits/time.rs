//! Commands that cut and insert time.

use super::names::describe;
use crate::base::{Error, ErrorKind, clock_from_secs, length_from_secs};
use crate::bench::context::Context;
use crate::bench::limits::{CANVAS_SECS, held};
use crate::bench::notices::Severity;
use crate::document::brushes::{Brush, DeleteTime, DuplicateTime, InsertSilence, KeepTime};
use crate::document::session::SourceRef;
use crate::document::{Channels, Edit, whole_range};
use crate::documents::{OpenDocument, SelectionStep};
use crate::dsp::{Axis, Selection};
use crate::files::Question;

/// Length of the fades at cuts and insertions, in seconds.
pub(super) const FADE_SECS: f64 = 0.005;

/// The selected range of time in seconds, at whole samples. Shows a notice if no range of all frequencies is selected.
pub(super) fn selected_time(context: &mut Context) -> Option<[f64; 2]> {
    let document = context.documents.active()?;
    let sound = document.history().current();
    let rate_hz = sound.sample_rate_hz();
    let range = document.selection().and_then(|selection| whole_range(sound, Some(selection)));
    let secs =
        range.filter(|range| !range.is_empty()).map(|range| [range.start, range.end].map(|at| at as f64 / rate_hz));
    if secs.is_none() {
        context.notify(
            Severity::Info,
            "Select a time range to cut.",
            Some("The time tool (T) selects all frequencies."),
        );
    }
    secs
}

/// An edit of all channels, over a range in seconds or the whole sound.
pub(super) fn of_time(document: &OpenDocument, brush: impl Into<Brush>, secs: Option<[f64; 2]>) -> Edit {
    let select = secs.map(time_range);
    Edit { select, channels: Channels::All, ..Edit::of(brush, document.view().transform.clone()) }
}

fn time_range(secs: [f64; 2]) -> Selection {
    Selection::rectangle(Some(secs), None, [0.0; 2], Axis::Linear)
}

/// Deletes the selected time.
pub(super) fn delete_time(context: &mut Context) {
    let Some(secs) = selected_time(context) else { return };
    edit_selecting(|document| of_time(document, DeleteTime { fade_secs: FADE_SECS }, Some(secs)), None, context);
}

/// Deletes everything but the selected time.
pub(super) fn keep_time(context: &mut Context) {
    let Some(secs) = selected_time(context) else { return };
    edit_selecting(|document| of_time(document, KeepTime { fade_secs: FADE_SECS }, Some(secs)), None, context);
}

/// Repeats the selected time, and selects the copy.
pub(super) fn duplicate_time(context: &mut Context) {
    let Some([start, end]) = selected_time(context) else { return };
    let brush = DuplicateTime { times: 1, fade_secs: FADE_SECS };
    let copy = [end, end + (end - start)];
    edit_selecting(|document| of_time(document, brush, Some([start, end])), Some(copy), context);
}

/// Asks the user for the length of the silence to insert at the start of the selection, or at the cursor.
pub(super) fn ask_silence(context: &mut Context) {
    let Some(document) = context.documents.active() else { return };
    let at_secs = document.selected_secs().map_or(document.cursor_secs(), |[start, _]| start);
    context.ask(Question::InsertSilence { at_secs, secs: 1.0 });
}

/// Inserts `secs` seconds of silence at `at_secs`, and selects it.
pub fn insert_silence(at_secs: f64, secs: f64, context: &mut Context) {
    if !secs.is_finite() || !at_secs.is_finite() {
        let what = Error::new(ErrorKind::Script, "its length is not a finite number");
        return context.fail("insert silence", &what);
    }
    let secs = held(secs, CANVAS_SECS, secs);
    let silence = InsertSilence { at_secs: at_secs.max(0.0), secs, fade_secs: FADE_SECS };
    let inserted = [silence.at_secs, silence.at_secs + secs];
    edit_selecting(|document| of_time(document, silence, None), Some(inserted), context);
}

/// Applies an edit of time to the document in front, and selects a range of the result.
pub(super) fn edit_selecting(edit: impl FnOnce(&OpenDocument) -> Edit, after: Option<[f64; 2]>, context: &mut Context) {
    let Some(document) = context.documents.active_mut() else { return };
    let edit = edit(document);
    edit_document(document, edit, after);
}

/// Applies an edit of time to a document; `after` is the range to select afterwards, in seconds.
pub(super) fn edit_document(document: &mut OpenDocument, edit: Edit, after: Option<[f64; 2]>) {
    document.show_current();
    let step = SelectionStep { before: document.selection().cloned(), after: after.map(time_range) };
    document.edits_mut().push_selecting(edit, Some(step));
}

/// Opens the selected time as a new document, with its own history.
pub(super) fn split_to_new(context: &mut Context) {
    let Some(secs) = selected_time(context) else { return };
    let Some(document) = context.documents.active() else { return };
    if document.session().owns_sound() {
        let what = "Save the recording as a project or export it first, then split it.";
        return context.notify(Severity::Info, what, None);
    }
    let Some(source) = document.source().cloned().or_else(|| SourceRef::of(document.history().original().source()))
    else {
        let what = "Save this document as a project first, then split it.";
        return context.notify(Severity::Info, what, None);
    };
    let (name, view) = (document.name(), document.view().clone());
    let edit = of_time(document, KeepTime { fade_secs: FADE_SECS }, Some(secs));
    let mut part = OpenDocument::restored(document.history().clone(), source, None);
    part.change_view(|of_part| *of_part = view);
    part.set_title(format!("{name}, from {}", clock_from_secs(secs[0])));
    part.edits_mut().push(edit);
    context.documents.add(part);
}

/// The sentence for the notice of a cut or insertion of time; `None` for other edits.
pub(super) fn time_report(edit: &Edit) -> Option<String> {
    let secs = edit.select.as_ref().and_then(|select| select.extent()[0]);
    let length = secs.map_or_else(String::new, |[start, end]| length_from_secs(end - start, 3));
    match &edit.brush {
        Brush::DeleteTime(_) => Some(format!("Cut {length}; what follows moved up.")),
        Brush::KeepTime(_) => Some(format!("Trimmed to {length}.")),
        Brush::DuplicateTime(_) | Brush::InsertSilence(_) | Brush::Insert(_) => Some(format!("{}.", describe(edit))),
        _ => None,
    }
}

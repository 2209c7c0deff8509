//! Labels the notes found in the sound.

use crate::base::Result;
use crate::bench::work::OrderReport;
use crate::document::brushes::LabelsEdit;
use crate::document::labels::Label;
use crate::documents::OpenDocument;
use crate::labels;

/// Labels the found notes that begin in a range and have no equal label yet, as one step of the history. Returns a
/// notice with the number of notes.
///
/// # Errors
/// [`Limit`](crate::base::ErrorKind::Limit) for more labels than a sound may have.
pub(super) fn label_notes(
    mut found: Vec<Label>,
    within_secs: Option<[f64; 2]>,
    document: &mut OpenDocument,
) -> Result<OrderReport> {
    let is_within = |label: &Label| within_secs.is_none_or(|[start, end]| (start..end).contains(&label.secs[0]));
    found.retain(is_within);
    let notes = match found.len() {
        0 => return Ok(OrderReport { is_success: false, what: "No notes found.".into(), advice: "" }),
        1 => "1 note".into(),
        n => format!("{n} notes"),
    };
    let known = document.history().labels().clone();
    let is_new =
        |label: &Label| !known.in_range(label.secs).any(|old| old.secs == label.secs && old.text == label.text);
    let new: Vec<Label> = found.into_iter().filter(is_new).collect();
    if new.is_empty() {
        let what = format!("{notes} found, all of them labelled before.");
        return Ok(OrderReport { is_success: true, what, advice: "" });
    }
    labels::change(document, LabelsEdit { set: new, remove: Vec::new() })?;
    let what = format!("{notes} found and labelled.");
    Ok(OrderReport {
        is_success: true,
        what,
        advice: "The Labels panel lists them by their pitch; Ctrl+Z takes them back.",
    })
}

//! Applies the edits of all documents and reports the results.

use super::engines::engine_words;
use super::lengthen::{follow_length, offer_room};
use super::names::{brush_name, describe};
use super::pending::{PendingEdit, RunningEdit};
use super::time::time_report;
use super::whole_sound::was_healed;
use crate::base::{Error, ErrorKind, Result, length_from_secs};
use crate::bench::context::{Concern, Context};
use crate::bench::notices::{Severity, about_file, sentence};
use crate::bench::orders::Stale;
use crate::bench::work::JobStatus;
use crate::commands::PreviewCommand;
use crate::document::brushes::{Brush, Erase};
use crate::document::{Applied, Edit, EditReport, TimeChange, labels_after, time_changes};
use crate::documents::{Floating, OpenDocument, SelectionStep};
use crate::dsp::Selection;
use crate::dsp::selections::mask::sample;
use crate::settings::tools::HealMode;

/// Applies the edits of all open documents, one edit per document at a time.
#[derive(Default)]
pub struct EditApplier;

/// The result of an edit.
#[derive(Debug)]
enum Outcome {
    /// Added to the history.
    Committed(EditReport),
    /// Changed no sample; not added to the history.
    Empty(Box<Edit>, EditReport),
    /// The sound has changed since the edit was made; nothing was done.
    Stale(Box<Edit>),
    /// The edit failed and changed nothing.
    Failed(Error),
}

impl Concern for EditApplier {
    fn advance(&mut self, context: &mut Context) {
        let now_secs = context.now_secs();
        let mut outcomes = Vec::new();
        for document in context.documents.iter_mut() {
            if let Some((mut running, answer)) = document.edits_mut().take_answer() {
                let (placed, selected) = (running.pending.placed.take(), running.pending.selected.clone());
                if let Some(outcome) = finish(running, answer, document) {
                    if matches!(outcome, Outcome::Failed(_) | Outcome::Stale(_)) {
                        // The waiting edits were made after this one and may depend on it, so they are dropped, too.
                        document.edits_mut().clear_waiting();
                        float_again(placed, selected, document);
                    }
                    outcomes.push((document.id(), outcome));
                }
            }
            let current = document.history().current().clone();
            document.edits_mut().start_next(&current, &context.jobs, &context.engine, now_secs);
        }
        for (id, outcome) in outcomes {
            notify_outcome(id, outcome, context);
        }
        notify_sources(context);
    }

    fn work(&self, context: &Context) -> Option<JobStatus> {
        context.documents.iter().find_map(|document| document.edits().work())
    }

    fn is_busy(&self, context: &Context) -> bool {
        context.documents.iter().any(|document| document.edits().is_busy())
    }

    fn cancel(&mut self, context: &mut Context) -> bool {
        context.documents.active_mut().is_some_and(OpenDocument::cancel_last_edit)
    }
}

/// Commits an edit to the history, unless it was cancelled or made from a sound that is no longer current.
fn finish(running: RunningEdit, answer: Result<Applied>, document: &mut OpenDocument) -> Option<Outcome> {
    let RunningEdit { pending: PendingEdit { edit, selected, .. }, base } = running;
    match answer {
        Err(error) if error.kind() == ErrorKind::Cancelled => None,
        Err(error) => Some(Outcome::Failed(error)),
        Ok(_) if !base.is_same(document.history().current()) => Some(Outcome::Stale(Box::new(edit))),
        Ok(applied) if changes_labels(&edit) => Some(commit_labels(edit, applied, document)),
        Ok(applied) if applied.snapshot.is_same(&base) => Some(Outcome::Empty(Box::new(edit), applied.report)),
        Ok(applied) => {
            // The range to select after an edit of time exists only now. Keep a selection that the user made meanwhile.
            let is_same = selected.as_ref().is_some_and(|step| document.selection() == step.before.as_ref());
            let report = commit(edit, applied, document);
            if let Some(selected) = selected {
                if is_same && document.selection() != selected.after.as_ref() {
                    document.select(selected.after.clone());
                }
                let is_selected = document.selection() == selected.after.as_ref();
                document.note_selected(selected);
                if is_selected {
                    document.note_landed();
                }
            }
            Some(Outcome::Committed(report))
        }
    }
}

fn changes_labels(edit: &Edit) -> bool {
    matches!(edit.brush, Brush::Labels(_))
}

/// Commits an edit of labels, which changes no samples, if it is valid for the current labels.
fn commit_labels(edit: Edit, applied: Applied, document: &mut OpenDocument) -> Outcome {
    let labels = document.history().labels();
    match labels_after(labels, &applied.snapshot, &edit) {
        Err(error) => Outcome::Failed(error),
        Ok(after) if after == *labels => Outcome::Empty(Box::new(edit), applied.report),
        Ok(_) => Outcome::Committed(commit(edit, applied, document)),
    }
}

/// Restores the floating paste after a failed placement, unless something else floats or is previewed.
fn float_again(placed: Option<Box<Floating>>, selected: Option<SelectionStep>, document: &mut OpenDocument) {
    if let Some(floating) = placed
        && document.floating().is_none()
        && document.preview().is_none()
    {
        document.float(*floating);
        if let Some(SelectionStep { before, .. }) = selected {
            document.select(before);
        }
    }
}

/// Commits an applied edit of the current sound to the history, and returns its report.
pub(super) fn commit(edit: Edit, applied: Applied, document: &mut OpenDocument) -> EditReport {
    document.edits_mut().engines = engine_words(brush_name(&edit), &applied.report.passes);
    document.commit(applied.resolved.map_or(edit, |found| *found), applied.snapshot);
    document.note_consistency(applied.report.consistency_db);
    applied.report
}

fn notify_outcome(id: u64, outcome: Outcome, context: &mut Context) {
    let report = match outcome {
        Outcome::Committed(report) => {
            context.notices.succeed("apply the edit");
            notify_commit(id, &report, context);
            report
        }
        Outcome::Empty(edit, _) if edit.brush.kind() == "warp" && edit.stroke.is_some() => {
            return context.notify(Severity::Info, "Drag to push sound; a click moves nothing.", None);
        }
        Outcome::Empty(edit, EditReport { past_end_secs: Some(secs), .. }) => {
            return offer_room(id, *edit, secs, context);
        }
        Outcome::Empty(edit, _) if is_outside_selection(&edit) => {
            let what = "You painted outside the selection, so nothing was changed.";
            return context.notify(Severity::Info, what, Some("Press Ctrl+D to deselect and paint anywhere."));
        }
        Outcome::Empty(edit, report) => {
            if matches!(edit.brush, Brush::Cells(_)) {
                let what = "Nothing was painted over in the picture, so the sound stays as it is.";
                context.notify(Severity::Info, what, None);
            } else if report.notices.is_empty() {
                notify_unchanged(context);
            }
            report
        }
        Outcome::Stale(edit) => return context.report(Some(Stale::Sound.report(brush_name(&edit)))),
        Outcome::Failed(error) => return context.fail("apply the edit", &error),
    };
    notify_notices(report, context);
}

/// Reports that the edit changes nothing.
pub(super) fn notify_unchanged(context: &mut Context) {
    context.notify(Severity::Info, "The edit changed no samples.", None);
}

/// Shows the notices in the report of an edit.
pub(super) fn notify_notices(report: EditReport, context: &mut Context) {
    for notice in report.notices {
        context.notify(Severity::Warning, sentence(&notice), None);
    }
}

/// Whether no point of a stroke lies in the selection.
fn is_outside_selection(edit: &Edit) -> bool {
    let (Some(stroke), Some(select)) = (&edit.stroke, &edit.select) else { return false };
    stroke.points.iter().all(|point| sample(select, &[point.secs], &[point.hz]).iter().all(|m| *m == 0.0))
}

/// Shows notices about effects that users of other editors may not expect: erasing all frequencies of a range silences
/// it instead of cutting it; for an edit past the end, offers to add silence. After a change of length, keeps a view of
/// the whole sound whole.
fn notify_commit(id: u64, report: &EditReport, context: &mut Context) {
    let now_secs = context.now_secs();
    let Some(document) = context.documents.get_mut(id) else { return };
    let history = document.history();
    let Some(edit) = history.entries().get(history.position()).and_then(|entry| entry.edit.clone()) else { return };
    let extent = edit.select.as_ref().map(Selection::extent);
    if edit.stroke.is_some() && !std::mem::replace(&mut context.remembered.lessons.has_painted, true) {
        context.notices.notify(now_secs, Severity::Info, "Space plays it, Ctrl+Z takes it back.", None);
    }
    if !time_changes_of_last(document).is_empty() {
        follow_length(document);
        if let Some(what) = time_report(&edit) {
            context.notify(Severity::Info, what, None);
        }
    } else if let Some(secs) = report.past_end_secs {
        offer_room(id, edit, secs, context);
    } else if let (Brush::Erase(Erase), None, Some([Some([start, end]), None])) = (&edit.brush, &edit.stroke, extent) {
        let what = format!("Silenced {}; the length is unchanged.", length_from_secs(end - start, 3));
        context.notify(Severity::Info, what, None);
    } else if let (Brush::Heal(heal), None, Some(_)) = (&edit.brush, &edit.stroke, &edit.select) {
        let what = format!("Healed by {}.", HealMode::of(heal).label());
        if was_healed(document) {
            context.notices.offer(now_secs, Severity::Info, what, None, PreviewCommand::OtherHeals);
        } else {
            context.notify(Severity::Info, what, None);
        }
    } else if let (false, Some(what)) =
        (matches!(edit.brush, Brush::Erase(Erase)), describe(&edit).strip_suffix(", selection"))
    {
        // Says what was applied, since Enter may have been meant for something else. Erasing needs no notice, as it is
        // visible.
        context.notify(Severity::Info, format!("{what} applied to the selection."), None);
    }
}

/// The cuts and insertions of time made by the last edit.
fn time_changes_of_last(document: &OpenDocument) -> Vec<TimeChange> {
    let (history, position) = (document.history(), document.history().position());
    let before = position.checked_sub(1).and_then(|before| history.entries().get(before));
    let edit = history.entries().get(position).and_then(|entry| entry.edit.as_ref());
    before.zip(edit).map_or_else(Vec::new, |(before, edit)| time_changes(&before.snapshot, edit))
}

/// Reports faults of histories and sources that have occurred since the last frame.
fn notify_sources(context: &mut Context) {
    let (mut advised, mut failed) = (Vec::new(), None);
    for document in context.documents.iter_mut() {
        document.stay_within();
        if let Some(error) = document.history().take_fault() {
            let advice = "Older edits stay in memory until there is free disk space. Nothing is lost.";
            advised.push((sentence(&error.to_string()), Some(advice)));
        }
        let source = document.history().original().source();
        if let Some(notice) = source.take_notice() {
            match source.fault() {
                Some(fault) => failed = Some(fault),
                None => advised.push((about_file(&document.name(), &notice), None)),
            }
        }
    }
    for (what, advice) in advised {
        context.notify(Severity::Warning, what, advice);
    }
    if let Some(fault) = failed {
        context.fail("read", &fault);
    }
}

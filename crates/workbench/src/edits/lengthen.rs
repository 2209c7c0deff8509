//! Lengthens a sound, on request or after an edit past its end.

use super::pending::EditPastEnd;
use crate::base::length_from_secs;
use crate::bench::context::Context;
use crate::bench::notices::Severity;
use crate::commands::EditCommand;
use crate::document::Edit;
use crate::document::brushes::{Brush, Lengthen, VoicesBrush};
use crate::documents::OpenDocument;
use crate::files::Question;

/// Shows a notice that an edit went past the end by `past_secs`, and offers to lengthen the sound.
pub(super) fn offer_room(id: u64, edit: Edit, past_secs: f64, context: &mut Context) {
    let Some(document) = context.documents.get_mut(id) else { return };
    // Adds room for the soft edge of a stroke or half of the last window, whichever is longer.
    let soft_secs = edit.stroke.as_ref().map_or(0.0, |stroke| stroke.radius[0]);
    let window_secs = edit.transform.window_secs(document.history().current().sample_rate_hz()) / 2.0;
    let base = if document.file().is_some() { "file" } else { "canvas" };
    let what = format!("{} {} after the {base} does.", who_ends(&edit), past_end_words(past_secs));
    let secs = past_secs + soft_secs.max(window_secs);
    document.edits_mut().past_end = Some(EditPastEnd { edit, secs });
    let advice = Some("Add silence at the end to make room for it.");
    context.notices.offer(context.now_secs(), Severity::Info, what, advice, EditCommand::Lengthen);
}

/// The start of the notice: the kind of edit that extends past the end.
fn who_ends(edit: &Edit) -> &'static str {
    match (&edit.brush, &edit.stroke) {
        (Brush::Voices(VoicesBrush::Phrase(phrase)), _) if phrase.score().notes.len() == 1 => "This note ends",
        (Brush::Voices(VoicesBrush::Phrase(_)), _) => "These notes end",
        (Brush::Picture(_), _) => "This picture ends",
        (Brush::Paste(_), None) => "This paste ends",
        (_, Some(_)) => "This stroke ends",
        _ => "This edit ends",
    }
}

/// A length in words: in hundredths of a second below a minute, else in whole seconds.
fn past_end_words(secs: f64) -> String {
    length_from_secs(secs, if secs < 60.0 { 2 } else { 0 })
}

/// Lengthens the document in front for the edit that went past the end, or asks the user for the length to add.
pub fn lengthen(context: &mut Context) {
    let Some(document) = context.documents.active_mut() else { return };
    let past_end = document.edits_mut().past_end.take();
    let history = document.history();
    let last = history.entries().get(history.position()).and_then(|entry| entry.edit.as_ref());
    match past_end.filter(|_| !document.edits().is_busy()) {
        // Applies the whole edit again; if the part within the old length is the last step, undoes that first.
        Some(past) => {
            let is_done = last == Some(&past.edit);
            let selected = document.selected_with(history.position()).filter(|_| is_done).cloned();
            if is_done {
                document.step_back();
            }
            lengthen_by(past.secs, document);
            if let Some(step) = &selected {
                document.select(step.after.clone());
            }
            document.edits_mut().push_selecting(past.edit, selected);
        }
        None => context.ask(Question::Lengthen { secs: 1.0 }),
    }
}

/// Adds `secs` seconds of silence at the end.
pub fn lengthen_by(secs: f64, document: &mut OpenDocument) {
    document.edit(Edit::of(Lengthen { secs }, document.view().transform.clone()));
}

/// After a change of length, shows all of the sound if all of it was visible before.
pub(super) fn follow_length(document: &mut OpenDocument) {
    let history = document.history();
    let Some(before) = history.position().checked_sub(1).and_then(|at| history.entries().get(at)) else { return };
    let before_secs = before.snapshot.n_samples() as f64 / before.snapshot.sample_rate_hz();
    if document.view().secs[0] <= 0.0 && document.view().secs[1] >= before_secs - 1e-9 {
        let duration_secs = document.duration_secs();
        document.change_view(|view| view.secs = [0.0, duration_secs]);
    }
}

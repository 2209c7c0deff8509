//! What floats over a document: how it begins, is placed and discarded.

use crate::base::{Error, ErrorKind};
use crate::document::brushes::Phrase;
use crate::dsp::voices::Score;
use crate::workbench::commands::ClipboardCommand;
use crate::workbench::context::Context;
use crate::workbench::documents::{Floating, FloatingSound, OpenDocument};
use crate::workbench::notices::Severity;

/// Lets a sound float over a document; `what` is a sentence about it. False if the document was closed.
pub fn float_over(id: u64, floating: Floating, what: &str, context: &mut Context) -> bool {
    let Some(document) = context.documents.get_mut(id) else { return false };
    document.float(floating);
    let advice = Some("Press Enter or click outside it to place it, or Esc to discard it.");
    context.notices.offer(context.now_secs(), Severity::Info, what.into(), advice, ClipboardCommand::LandPaste);
    true
}

/// The notes of a score float over the document in front, from the pointer's time or the cursor's on.
pub fn float_score(score: Score, context: &mut Context) {
    land(context);
    let pointed_secs = context.readout.map(|readout| readout.secs);
    let Some(document) = context.documents.active_mut() else { return };
    if document.is_reading() {
        let what = "the file in front is still being read; drop the notes when it is complete";
        return context.fail("place the notes", &Error::new(ErrorKind::Unsupported, what));
    }
    document.show_current();
    let (id, at_secs) = (document.id(), pointed_secs.unwrap_or(document.cursor_secs()));
    let rate_hz = document.history().current().sample_rate_hz();
    match Phrase::new(score, 0.0) {
        Ok(phrase) => {
            let mut floating = Floating::of_notes(phrase, rate_hz);
            floating.move_to([at_secs, 0.0], 1.0);
            float_over(id, floating, "The notes are floating: drag them, or move them with the arrow keys.", context);
        }
        Err(error) => context.fail("place the notes", &error),
    }
}

/// Places what floats over the document in front.
pub fn land(context: &mut Context) {
    if let Some(id) = context.documents.active_id() {
        land_in(id, context);
    }
}

/// Places what floats over a document.
pub fn land_in(id: u64, context: &mut Context) {
    let Some(document) = context.documents.get_mut(id) else { return };
    let Some(floating) = document.take_floating() else { return };
    let edit = floating.edit(document.view());
    document.edits_mut().push(edit);
    match &floating.sound {
        FloatingSound::Clip(_) => document.select(Some(floating.selection())),
        // Their partials lie beyond what is outlined.
        FloatingSound::Notes { .. } => {}
    }
    context.notices.withdraw(ClipboardCommand::LandPaste);
}

/// Drops what floats over the document in front; false if nothing does.
pub fn drop_floating(context: &mut Context) -> bool {
    let dropped = context.documents.active_mut().and_then(OpenDocument::take_floating).is_some();
    if dropped {
        context.notices.withdraw(ClipboardCommand::LandPaste);
    }
    dropped
}

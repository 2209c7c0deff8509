//! Labels of the document in front: added, renamed, removed, stepped through.

use super::commands::LabelCommand;
use super::context::Context;
use super::documents::{OpenDocument, show_secs};
use super::files::{LabelWish, Question};
use super::habits::Panel;
use super::notices::Severity;
use crate::base::Result;
use crate::document::Edit;
use crate::document::brushes::LabelsEdit;
use crate::document::labels::Label;
use crate::dsp::{Axis, Selection};

/// Performs a command about labels.
pub fn perform_label(command: LabelCommand, context: &mut Context) {
    match command {
        LabelCommand::Add => ask(None, context),
        LabelCommand::Rename => match at_hand(context) {
            Some(id) => ask(Some(id), context),
            None => tell_none(context),
        },
        LabelCommand::Remove => match at_hand(context) {
            Some(id) => remove(id, context),
            None => tell_none(context),
        },
        LabelCommand::Next => step(true, context),
        LabelCommand::Previous => step(false, context),
    }
}

fn tell_none(context: &mut Context) {
    context.tell(Severity::Info, "No label is here.", Some("Select one in the Labels panel first."));
}

/// Asks for the text of a label: of this one, or of a new one over the selection or at the cursor.
pub fn ask(id: Option<u64>, context: &mut Context) {
    let Some(document) = context.documents.active() else { return };
    let known = id.map(|id| document.history().labels().get(id).cloned());
    let label = match known {
        Some(None) => return,
        Some(Some(label)) => label,
        None => new_label(document),
    };
    context.ask(Question::Label(LabelWish { document: document.id(), text: label.text.to_string(), label }));
}

/// A label without a text, over the selection with its band, or at the cursor.
fn new_label(document: &OpenDocument) -> Label {
    let at_secs = document.cursor_secs();
    let mut label = Label::new(document.selected_secs().unwrap_or([at_secs; 2]), "");
    if let Some([low, high]) = document.selection().and_then(|selection| selection.extent()[1]) {
        (label.low_hz, label.high_hz) = (Some(low.max(0.0)), Some(high.max(0.0)));
    }
    label
}

/// Puts a label in with the text that was given, and shows the list of labels.
pub fn set(wish: LabelWish, context: &mut Context) {
    let LabelWish { document, label, text } = wish;
    let Some(document) = context.documents.get_mut(document) else {
        return context.tell(Severity::Warning, "The label had no effect because its file was closed.", None);
    };
    let id = if label.id == 0 { document.history().next_label_id() } else { label.id };
    let label = Label { id, text: text.trim().into(), ..label };
    if document.history().labels().get(id) == Some(&label) {
        return;
    }
    let changed = change(document, LabelsEdit { set: vec![label], remove: Vec::new() });
    match changed {
        Ok(()) => context.remembered.layout.show(Panel::Labels),
        Err(error) => context.fail("label the sound", &error),
    }
}

/// Removes a label of the document in front.
pub fn remove(id: u64, context: &mut Context) {
    let Some(document) = context.documents.active_mut() else { return };
    if let Err(error) = change(document, LabelsEdit { set: Vec::new(), remove: vec![id] }) {
        context.fail("remove the label", &error);
    }
}

/// One step of the history. No sample changes, so that nothing has to be computed.
fn change(document: &mut OpenDocument, brush: LabelsEdit) -> Result<()> {
    brush.applied(document.history().labels())?;
    let edit = Edit::of(brush, document.view().transform.clone());
    let sound = document.history().current().clone();
    document.commit(edit, sound);
    Ok(())
}

/// Selects a label, puts the cursor at its start and scrolls there.
pub fn go_to(id: u64, context: &mut Context) {
    let Some(document) = context.documents.active_mut() else { return };
    let Some(label) = document.history().labels().get(id).cloned() else { return };
    let top_hz = document.history().original().sample_rate_hz() / 2.0;
    let selection = Selection::rectangle(Some(label.secs), label.band_hz(top_hz), [0.0; 2], Axis::Linear);
    document.select((!label.is_marker()).then_some(selection));
    document.set_cursor(label.secs[0]);
    show_secs(document, Some(label.secs));
}

/// The label next to the cursor in a direction.
fn step(forward: bool, context: &mut Context) {
    let Some(document) = context.documents.active() else { return };
    let (labels, hand) = (document.history().labels(), at_hand(context));
    let at = hand.and_then(|id| labels.index_of(id));
    let cursor_secs = document.cursor_secs();
    let next = match (at, forward) {
        (Some(at), true) => Some(at + 1),
        (Some(at), false) => at.checked_sub(1),
        (None, true) => labels.iter().position(|label| label.secs[0] > cursor_secs),
        (None, false) => labels.iter().take_while(|label| label.secs[0] < cursor_secs).count().checked_sub(1),
    };
    match next.and_then(|next| labels.at(next)).map(|label| label.id) {
        Some(id) => go_to(id, context),
        None => context.tell(Severity::Info, if forward { "No label follows." } else { "No label is before." }, None),
    }
}

/// The label that is selected, or that the cursor stands at.
fn at_hand(context: &Context) -> Option<u64> {
    let document = context.documents.active()?;
    let at_secs = document.cursor_secs();
    let secs = document.selected_secs().unwrap_or([at_secs; 2]);
    let is_same = |label: &&Label| label.secs.iter().zip(secs).all(|(a, b)| (a - b).abs() < SAME_SECS);
    document.history().labels().in_range(secs).find(is_same).map(|label| label.id)
}

/// Less than half a sample of any sound.
const SAME_SECS: f64 = 5e-7;

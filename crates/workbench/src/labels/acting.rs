//! Performs commands and acts on the labels of the document in front.
#![deny(clippy::wildcard_enum_match_arm)]

use super::LabelPanel;
use super::change::change;
use super::list::LabelList;
use super::summaries::LabelSummaries;
use crate::base::{Error, ErrorKind, Result};
use crate::bench::acts::LabelAct;
use crate::bench::context::Context;
use crate::bench::limits::are_finite;
use crate::bench::notices::Severity;
use crate::commands::{LabelCommand, PlayCommand};
use crate::devices::monitor::PlaybackMonitor;
use crate::document::brushes::LabelsEdit;
use crate::document::labels::Label;
use crate::documents::{OpenDocument, show_secs};
use crate::dsp::{Axis, Selection};
use crate::files::{FileDialogs, LabelTextEdit, Question};
use crate::search::{places, step_to_places};
use crate::settings::preferences::Panel;
use crate::settings::tools::LabelClass;

/// Performs a label command on the document in front.
pub fn perform_label(
    command: LabelCommand,
    labelling: &mut LabelPanel,
    (file_dialogs, monitor): (&mut FileDialogs, &mut PlaybackMonitor),
    context: &mut Context,
) {
    let Some(document) = context.documents.active() else { return };
    let (id, at_hand) = (document.id(), at_hand(document));
    match command {
        LabelCommand::Add => {
            let label = new_label(document, monitor.transport().playhead_secs());
            ask(vec![label], "", &labelling.following, context);
        }
        LabelCommand::Places => ask_places(&labelling.following, context),
        LabelCommand::Rename => with(at_hand, context, |id, context| name(id, &labelling.following, context)),
        LabelCommand::Remove => with(at_hand, context, remove_current_label),
        LabelCommand::Next => step(true, &labelling.following.list, monitor, context),
        LabelCommand::Previous => step(false, &labelling.following.list, monitor, context),
        LabelCommand::Select => with(at_hand, context, go_to),
        LabelCommand::LetGo => {
            if let Some(document) = context.documents.active_mut() {
                document.take_label(None);
            }
        }
        LabelCommand::RemoveShown => {
            let shown: Vec<u64> = labelling.following.list.shown(document).iter().map(|label| label.id).collect();
            remove(&shown, context);
        }
        LabelCommand::Import => file_dialogs.import_labels(id, context),
        LabelCommand::ImportBeside => {
            if let Some(path) = labelling.files.beside(id).map(std::path::Path::to_path_buf) {
                labelling.files.import(id, path, context);
            }
        }
        LabelCommand::Export => file_dialogs.export_labels(id, context),
        LabelCommand::Measure => file_dialogs.measure_labels(id, context),
        LabelCommand::Class(class) => choose_class(class, labelling.following.suggested_classes(), context),
        LabelCommand::LeaveTool => context.tools.leave_labels(),
    }
}

/// Performs a label act: an action with arguments.
pub fn act_on_labels(act: LabelAct, labelling: &mut LabelPanel, context: &mut Context) {
    match act {
        LabelAct::GoTo(id) => go_to(id, context),
        LabelAct::GoToPlace(place) => step_to_places(place, context),
        LabelAct::Name(id) => name(id, &labelling.following, context),
        LabelAct::Remove(id) => remove(&[id], context),
        LabelAct::Draw { secs, hz } => draw(secs, hz, labelling.following.suggested_classes(), context),
        LabelAct::Reshape { id, secs, hz } => reshape(id, secs, hz, context),
        LabelAct::List(order) => labelling.following.list.set_order(order),
    }
}

/// Calls `act` with the label's id, or notifies the user that there is no label.
fn with(id: Option<u64>, context: &mut Context, act: impl FnOnce(u64, &mut Context)) {
    match id {
        Some(id) => act(id, context),
        None => {
            context.notify(
                Severity::Info,
                "No label is here.",
                Some("Click one below the time ruler or in the Labels panel first."),
            );
        }
    }
}

/// Opens the card that edits a label's text.
fn name(id: u64, following: &LabelSummaries, context: &mut Context) {
    let label = context.documents.active().and_then(|document| document.history().labels().get(id)).cloned();
    if let Some(label) = label {
        let text = label.text.to_string();
        ask(vec![label], &text, following, context);
    }
}

/// Opens the card that edits the common text of labels, new or existing.
fn ask(labels: Vec<Label>, text: &str, following: &LabelSummaries, context: &mut Context) {
    let Some(document) = context.documents.active() else { return };
    let known = following.texts(document.id());
    let colour = labels.first().and_then(|label| label.colour);
    let request = LabelTextEdit { document: document.id(), labels, text: text.to_owned(), colour, known };
    context.ask(Question::Label(request));
}

/// Opens the card that labels all search results, with the search's noun as the suggested text.
fn ask_places(following: &LabelSummaries, context: &mut Context) {
    let Some(document) = context.documents.active() else { return };
    let Some(selection) = document.selection() else { return };
    let duration_secs = document.duration_secs();
    let labels: Vec<Label> = places(selection)
        .into_iter()
        .map(|[secs, hz]| {
            let [start, end] = secs.unwrap_or([0.0, duration_secs]).map(|secs| secs.clamp(0.0, duration_secs));
            banded(Label::new([start, end], ""), hz)
        })
        .collect();
    let pattern = document.search_noun().unwrap_or_default();
    ask(labels, pattern, following, context);
}

/// A label without text: over the selection and its band, else at the playhead, else at the cursor.
fn new_label(document: &OpenDocument, playhead_secs: Option<f64>) -> Label {
    let at_secs = playhead_secs.unwrap_or(document.cursor_secs());
    let label = Label::new(document.selected_secs().unwrap_or([at_secs; 2]), "");
    banded(label, document.selection().and_then(|selection| selection.extent()[1]))
}

fn banded(label: Label, hz: Option<[f64; 2]>) -> Label {
    let [low_hz, high_hz] = [0, 1].map(|edge| hz.map(|hz| hz[edge].max(0.0)));
    Label { low_hz, high_hz, ..label }
}

/// Adds or changes labels with the text and colour of a request, and shows the label panel.
pub fn set(request: LabelTextEdit, context: &mut Context) {
    let LabelTextEdit { document, labels, text, colour, .. } = request;
    let Some(document) = context.documents.get_mut(document) else {
        return context.notify(Severity::Warning, "The label had no effect because its file was closed.", None);
    };
    let text: std::sync::Arc<str> = text.trim().into();
    let known = document.history().labels();
    let mut set: Vec<Label> = labels.into_iter().map(|label| Label { text: text.clone(), colour, ..label }).collect();
    set.retain(|label| known.get(label.id) != Some(label));
    if set.is_empty() {
        return;
    }
    match change(document, LabelsEdit { set, remove: Vec::new() }) {
        Ok(()) => context.remembered.layout.show(Panel::Labels),
        Err(error) => context.fail("label the sound", &error),
    }
}

/// Removes labels from the document in front.
fn remove(ids: &[u64], context: &mut Context) {
    let Some(document) = context.documents.active_mut().filter(|_| !ids.is_empty()) else { return };
    if let Err(error) = change(document, LabelsEdit { set: Vec::new(), remove: ids.to_vec() }) {
        context.fail("remove the labels", &error);
    }
}

/// Removes a label. If it was the current label, also clears the selection that it had made: pressing the key again
/// must not erase sound.
fn remove_current_label(id: u64, context: &mut Context) {
    let was_in_hand = context.documents.active().is_some_and(|document| document.current_label().is_some());
    remove(&[id], context);
    if let Some(document) = context.documents.active_mut().filter(|_| was_in_hand) {
        document.select(None);
    }
}

/// Adds a label of the current class.
fn draw(secs: [f64; 2], hz: Option<[f64; 2]>, suggested: &[LabelClass], context: &mut Context) {
    let labels = &context.tools.settings().labels;
    let class = labels.classes_or(suggested).get(labels.class).cloned();
    let Some(document) = context.documents.active_mut() else { return };
    let drawn = checked_edges(secs, [0, 1].map(|edge| hz.map(|hz| hz[edge])), document).and_then(|(secs, hz)| {
        let (text, colour) = class.map_or_else(Default::default, |class| (class.name, Some(class.colour)));
        let [low_hz, high_hz] = hz;
        let label = Label { colour, low_hz, high_hz, ..Label::new(secs, text) };
        // A drawn label does not become current: keys such as Delete act on neither it nor the previous label.
        document.take_label(None);
        change(document, LabelsEdit { set: vec![label], remove: Vec::new() })
    });
    match drawn {
        Ok(()) => context.remembered.layout.show(Panel::Labels),
        Err(error) => context.fail("label the sound", &error),
    }
}

/// Moves the edges of a label. If it is the current label, selects it again with its new edges.
fn reshape(id: u64, secs: [f64; 2], hz: [Option<f64>; 2], context: &mut Context) {
    let Some(document) = context.documents.active_mut() else { return };
    let Some(before) = document.history().labels().get(id).cloned() else { return };
    let reshaped = checked_edges(secs, hz, document).and_then(|(secs, hz)| {
        let [low_hz, high_hz] = hz;
        let label = Label { secs, low_hz, high_hz, ..before.clone() };
        match label == before {
            true => Ok(()),
            false => change(document, LabelsEdit { set: vec![label], remove: Vec::new() }),
        }
    });
    match reshaped {
        Ok(()) if document.current_label().is_some_and(|label| label.id == id) => go_to(id, context),
        Ok(()) => {}
        Err(error) => context.fail("move the label", &error),
    }
}

/// Edges in ascending order, clamped to the sound's duration and Nyquist frequency. Fails on non-finite edges.
fn checked_edges(
    secs: [f64; 2],
    hz: [Option<f64>; 2],
    document: &OpenDocument,
) -> Result<([f64; 2], [Option<f64>; 2])> {
    if !are_finite(&secs) || hz.iter().flatten().any(|hz| !hz.is_finite()) {
        return Err(Error::new(ErrorKind::Script, "an edge of the label is not a number"));
    }
    let (nyquist_hz, duration_secs) = (document.history().original().sample_rate_hz() / 2.0, document.duration_secs());
    let secs = secs.map(|secs| secs.clamp(0.0, duration_secs));
    let hz = hz.map(|hz| hz.map(|hz| hz.clamp(0.0, nyquist_hz)));
    let hz = if let [Some(low), Some(high)] = hz { [Some(low.min(high)), Some(low.max(high))] } else { hz };
    Ok(([secs[0].min(secs[1]), secs[0].max(secs[1])], hz))
}

/// Makes a class current, and gives its name and colour to the current label.
fn choose_class(class: usize, suggested: &[LabelClass], context: &mut Context) {
    context.tools.change(|settings| settings.labels.class = class);
    let Some(LabelClass { name, colour }) = context.tools.settings().labels.classes_or(suggested).get(class).cloned()
    else {
        let advice = Some("Type its name in the options of the label tool.");
        return context.notify(Severity::Info, format!("Class {} has no name yet.", class + 1), advice);
    };
    let Some(document) = context.documents.active_mut() else { return };
    let Some(before) = document.current_label().cloned() else { return };
    let label = Label { text: name.into(), colour: Some(colour), ..before.clone() };
    if label != before
        && let Err(error) = change(document, LabelsEdit { set: vec![label], remove: Vec::new() })
    {
        context.fail("label the sound", &error);
    }
}

/// Makes a label current: selects its range, moves the cursor to its start and scrolls there.
fn go_to(id: u64, context: &mut Context) {
    let Some(document) = context.documents.active_mut() else { return };
    let Some(label) = document.history().labels().get(id).cloned() else { return };
    let top_hz = document.history().original().sample_rate_hz() / 2.0;
    let selection = Selection::rectangle(Some(label.secs), label.band_hz(top_hz), [0.0; 2], Axis::Linear);
    document.select((!label.is_marker()).then_some(selection));
    document.set_cursor(label.secs[0]);
    document.take_label(Some(id));
    show_secs(document, Some(label.secs));
}

/// Goes to the next or previous label of the list: from the current label, else from the cursor. Plays it if the tool
/// is set to do so.
fn step(forward: bool, list: &LabelList, monitor: &mut PlaybackMonitor, context: &mut Context) {
    let Some(document) = context.documents.active() else { return };
    let shown = list.shown(document);
    let at = at_hand(document).and_then(|id| shown.row_of(id));
    let cursor_secs = document.cursor_secs();
    let next = match (at, forward) {
        (Some(at), true) => Some(at + 1),
        (Some(at), false) => at.checked_sub(1),
        (None, true) => shown.iter().position(|label| label.secs[0] > cursor_secs),
        (None, false) => shown.iter().take_while(|label| label.secs[0] < cursor_secs).count().checked_sub(1),
    };
    let Some(id) = next.and_then(|next| shown.at(next)).map(|label| label.id) else {
        return context.notify(Severity::Info, if forward { "No label follows." } else { "No label is before." }, None);
    };
    go_to(id, context);
    let is_range = context.documents.active().is_some_and(|document| document.selection().is_some());
    if is_range && context.tools.settings().labels.plays {
        monitor.perform(PlayCommand::Stop, context);
        monitor.perform(PlayCommand::PlayStop, context);
    }
}

/// The id of the current label, else of the label whose edges equal the selection's, or the cursor without a selection.
fn at_hand(document: &OpenDocument) -> Option<u64> {
    if let Some(label) = document.current_label() {
        return Some(label.id);
    }
    let at_secs = document.cursor_secs();
    let secs = document.selected_secs().unwrap_or([at_secs; 2]);
    let is_same = |label: &&Label| label.secs.iter().zip(secs).all(|(a, b)| (a - b).abs() < SAME_SECS);
    document.history().labels().in_range(secs).find(is_same).map(|label| label.id)
}

/// Tolerance for equal times, less than half a sample period of any sound.
const SAME_SECS: f64 = 5e-7;

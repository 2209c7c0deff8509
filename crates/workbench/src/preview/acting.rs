//! Performs commands of previews: start, play, apply and cancel.
#![deny(clippy::wildcard_enum_match_arm)]

use super::comparison::Comparison;
use super::edit_preview::{EditPreview, PreviewKind, PreviewPlace};
use super::preview_edit::{can_compare, wanted};
use crate::bench::context::Context;
use crate::commands::PreviewCommand;
use crate::devices::monitor::{Hearing, PlaybackMonitor};
use crate::documents::OpenDocument;
use crate::edits::{land_in, was_healed};

/// The sound that a preview plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreviewSound {
    /// The sound with the edit.
    After,
    /// The sound without the edit.
    Before,
    /// The edited sound minus the unedited one.
    Difference,
}

impl PreviewSound {
    /// The sound that a document's preview plays with an audition setting.
    pub fn of(document: &OpenDocument, hearing: Hearing) -> PreviewSound {
        match hearing {
            _ if document.shows_before() => PreviewSound::Before,
            Hearing::Delta => PreviewSound::Difference,
            Hearing::All | Hearing::Band => PreviewSound::After,
        }
    }
}

/// Performs a preview command on the document in front.
pub fn perform_preview(command: PreviewCommand, monitor: &mut PlaybackMonitor, context: &mut Context) {
    match command {
        PreviewCommand::Heal => begin_preview(PreviewKind::Heal, monitor, context),
        PreviewCommand::Brush => {
            let kind = PreviewKind::Brush(context.tools.applied());
            if open_kind(context) == Some(kind) {
                cancel_preview(monitor, context);
            } else {
                begin_preview(kind, monitor, context);
            }
        }
        PreviewCommand::OtherHeals => other_heals(monitor, context),
        PreviewCommand::Apply => apply(monitor, context),
        PreviewCommand::Cancel => {
            cancel_preview(monitor, context);
        }
        PreviewCommand::HearAfter => play_preview(PreviewSound::After, monitor, context),
        PreviewCommand::HearBefore => play_preview(PreviewSound::Before, monitor, context),
        PreviewCommand::HearDifference => play_preview(PreviewSound::Difference, monitor, context),
        PreviewCommand::Loop if monitor.transport.status.playing => {
            monitor.transport.stop();
        }
        PreviewCommand::Loop => {
            if let Some(document) = context.documents.active() {
                monitor.transport.play(document);
            }
        }
        PreviewCommand::Compare => compare(context),
    }
}

/// The kind of the open preview of the document in front; `None` if there is none or it has been applied.
fn open_kind(context: &Context) -> Option<PreviewKind> {
    context.documents.active()?.open_preview().map(EditPreview::kind)
}

/// Starts a preview on the document in front, replacing an open one of another kind. Commits a floating paste first,
/// and waits for pending edits.
pub fn begin_preview(kind: PreviewKind, monitor: &mut PlaybackMonitor, context: &mut Context) {
    begin_preview_at(kind, None, monitor, context);
}

/// Like [`begin_preview`], with a selection and channels of its own instead of the document's.
pub fn begin_preview_at(
    kind: PreviewKind,
    place: Option<PreviewPlace>,
    monitor: &mut PlaybackMonitor,
    context: &mut Context,
) {
    let Some(id) = context.documents.active_id().filter(|_| open_kind(context) != Some(kind)) else { return };
    land_in(id, context);
    close_preview(id, monitor, context);
    let tools = &context.tools;
    let Some(document) = context.documents.get_mut(id) else { return };
    let Some(edit) = wanted((kind, place.as_ref()), document, tools) else { return };
    document.show_current();
    monitor.play_all();
    let base = document.history().current().clone();
    document.set_preview(Some(EditPreview::new((kind, place), base, edit)));
}

/// Drops the preview of the document in front, and redoes a step undone for it. False if there is none.
pub fn cancel_preview(monitor: &mut PlaybackMonitor, context: &mut Context) -> bool {
    let Some(id) = context.documents.active_id().filter(|_| open_kind(context).is_some()) else { return false };
    let replaces_step =
        context.documents.active().and_then(OpenDocument::open_preview).is_some_and(|open| open.replaces_step);
    close_preview(id, monitor, context);
    if let Some(document) = context.documents.get_mut(id).filter(|_| replaces_step) {
        document.step_forward();
    }
    true
}

/// Removes the preview of a document; unless it was applied, resets display and playback to the unedited sound.
pub fn close_preview(id: u64, monitor: &mut PlaybackMonitor, context: &mut Context) {
    let is_in_front = context.documents.active_id() == Some(id);
    let Some(document) = context.documents.get_mut(id) else { return };
    let Some(preview) = document.take_preview() else { return };
    // After applying, the user may have chosen another audition setting, which is kept.
    if !preview.is_applied() {
        document.show_current();
        if is_in_front {
            monitor.play_all();
            monitor.transport.end_preview_loop();
        }
    }
}

/// Applies the preview of the document in front. One that failed to compute stays open, and its error is shown.
fn apply(monitor: &mut PlaybackMonitor, context: &mut Context) {
    let (tools, mut fault) = (&context.tools, None);
    let Some(document) = context.documents.active_mut() else { return };
    let Some(preview) = document.open_preview() else { return };
    // Includes settings changed in this frame.
    let Some(edit) = wanted((preview.kind(), preview.place()), document, tools) else { return };
    let Some(preview) = document.preview_mut() else { return };
    preview.want(edit);
    if let Some(why) = preview.fault() {
        fault = Some(why.clone());
    } else {
        let (edit, computed) = preview.apply();
        let base = preview.base().clone();
        document.show_current();
        document.edits_mut().push_computed(edit, base, computed);
        monitor.play_all();
        monitor.transport.end_preview_loop();
    }
    if let Some(fault) = fault {
        context.fail("apply the edit", &fault);
    }
}

fn play_preview(ear: PreviewSound, monitor: &mut PlaybackMonitor, context: &mut Context) {
    let Some(document) = context.documents.active_mut() else { return };
    if document.shows_before() != (ear == PreviewSound::Before) {
        document.toggle_before();
    }
    match ear {
        PreviewSound::Difference if monitor.hearing() != Hearing::Delta => monitor.toggle(Hearing::Delta),
        PreviewSound::Difference => {}
        PreviewSound::After | PreviewSound::Before => monitor.play_all(),
    }
}

/// Undoes healing of the selection, and opens a preview that compares all modes on it.
fn other_heals(monitor: &mut PlaybackMonitor, context: &mut Context) {
    let Some(document) = context.documents.active_mut().filter(|document| was_healed(document)) else { return };
    document.show_current();
    document.step_back();
    begin_preview(PreviewKind::Heal, monitor, context);
    let document = context.documents.active_mut();
    if let Some(preview) = document.and_then(OpenDocument::preview_mut) {
        preview.replaces_step = true;
    }
    compare(context);
}

/// Starts or stops comparing the modes of heal side by side.
fn compare(context: &mut Context) {
    let Some(document) = context.documents.active_mut().filter(|document| can_compare(document)) else { return };
    if let Some(preview) = document.preview_mut() {
        preview.comparison = if preview.comparison.is_some() { None } else { Some(Comparison::default()) };
    }
}

//! Computes previews. That of the document in front follows its tools and selection.

use super::acting::close_preview;
use super::compute::PlayerHandover;
use super::edit_preview::EditPreview;
use super::loops::loop_secs;
use super::paste_mix::Floated;
use super::preview_edit::{can_compare, edits_of_modes, wanted};
use crate::base::trace;
use crate::bench::context::{Concern, Context};
use crate::bench::notices::Severity;
use crate::bench::work::JobStatus;
use crate::devices::monitor::{Hearing, PlaybackMonitor};
use crate::document::Snapshot;
use crate::documents::OpenDocument;
use crate::settings::tools::Tools;

/// Computes previews, and the sound with a floating paste.
#[derive(Default)]
pub struct Previewer {
    floated: Floated,
}

impl Concern for Previewer {
    fn advance(&mut self, context: &mut Context) {
        let now_secs = context.now_secs();
        for document in context.documents.iter_mut() {
            if let Some(preview) = document.preview_mut() {
                preview.poll(now_secs);
            }
        }
        self.floated.advance(context);
    }

    fn work(&self, context: &Context) -> Option<JobStatus> {
        context.documents.active()?.preview()?.work()
    }

    fn is_busy(&self, context: &Context) -> bool {
        let mut previews = context.documents.iter().filter_map(OpenDocument::preview);
        self.floated.is_busy() || previews.any(EditPreview::is_busy)
    }
}

impl Previewer {
    /// Call once a frame, before the player gets its sound. Closes previews whose sound was changed by other edits, and
    /// updates the one in front to the current settings.
    pub fn follow(&mut self, monitor: &mut PlaybackMonitor, context: &mut Context) {
        let ended: Vec<(u64, Option<&str>)> = context
            .documents
            .iter()
            .filter_map(|document| Some((document.id(), end_of(document, &context.tools)?)))
            .collect();
        for (id, why) in ended {
            close_preview(id, monitor, context);
            if let Some(why) = why {
                context.notify(Severity::Info, why, None);
            }
        }
        let now_secs = context.now_secs();
        let tools = &context.tools;
        let Some(document) = context.documents.active_mut() else { return };
        let Some(preview) = document.open_preview() else { return };
        let Some(edit) = wanted((preview.kind(), preview.place()), document, tools) else { return };
        if document.edits().is_busy() {
            // Waits until earlier edits are in the history.
            return;
        }
        let less = less_of(document, monitor);
        let near_secs = monitor.transport().playhead_secs().unwrap_or_else(|| starts_at(document));
        let is_compared = can_compare(document) && document.open_preview().is_some_and(|p| p.comparison().is_some());
        let compared = is_compared.then(|| (edits_of_modes(document, tools), document.view().clone()));
        let current = document.history().current().clone();
        let Some(preview) = document.preview_mut() else { return };
        preview.begin_on(&current);
        preview.want(edit);
        let transport = monitor.transport();
        let handed = || {
            let less = less?;
            let (ticket, solo) = transport.ticket();
            Some(PlayerHandover { ticket, solo, less, requested_nanos: trace::now_nanos() })
        };
        preview.start(handed, near_secs, (&context.jobs, &context.engine), now_secs);
        match (&mut preview.comparison, compared) {
            (Some(comparison), Some((edits, view))) => {
                comparison.advance(edits, &current, &view, (&context.jobs, &context.engine));
            }
            (Some(_), None) => preview.comparison = None,
            (None, _) => {}
        }
    }
}

/// Whether to close the preview of a document; the inner value is the notice, if any.
fn end_of(document: &OpenDocument, tools: &Tools) -> Option<Option<&'static str>> {
    let preview = document.preview()?;
    let is_same = preview.base().is_same(document.history().current());
    if preview.is_applied() {
        return (!is_same || !document.edits().is_busy()).then_some(None);
    }
    let has_begun = preview.has_begun();
    if has_begun && (!is_same || document.edits().is_busy()) || document.floating().is_some() {
        return Some(Some("The preview was closed because the sound was changed in another way."));
    }
    if wanted((preview.kind(), preview.place()), document, tools).is_none() {
        return Some(Some("The preview was closed because nothing is selected."));
    }
    None
}

/// Position in seconds at which playback of the preview would start.
fn starts_at(document: &OpenDocument) -> f64 {
    let looped = document.open_preview().and_then(|preview| loop_secs(preview, document.duration_secs()));
    looped.map_or(document.cursor_secs(), |[start, _]| start)
}

/// Whether the next result goes straight to the player, and the sound to subtract from it if the difference is played.
/// `None` if the player plays another sound.
fn less_of(document: &OpenDocument, monitor: &PlaybackMonitor) -> Option<Option<Snapshot>> {
    let transport = monitor.transport();
    let is_audible = !document.shows_before() && !transport.is_auditioning() && transport.has_loaded(document.id());
    match monitor.hearing() {
        Hearing::All if is_audible => Some(None),
        Hearing::Delta if is_audible => Some(Some(document.history().current().clone())),
        Hearing::All | Hearing::Delta | Hearing::Band => None,
    }
}

//! Writes a session for each open document, on a thread of its own.

use super::slot::{DocumentViewState, RunningSession};
use crate::bench::context::Context;
use crate::document::session::{Place, SessionStart, SessionWriter, SourceRef};
use crate::documents::OpenDocument;
use crate::services::Jobs;
use std::path::Path;
use std::time::Duration;

/// Delay in seconds from the last change of view, selection or cursor until it is saved.
const SAVE_DELAY_SECS: f64 = 1.0;
/// Seconds after which a recovery counts as successful.
const TRIAL_SECS: f64 = 5.0;
/// Maximum time for which closing the window waits for the disk, over all documents.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);
/// Name of the operation in error messages; completes "Cannot ...".
const OPERATION: &str = "save the edits for crash recovery";

/// Call once a frame: passes changes of documents to their sessions, and reports sessions that fail.
pub(super) fn follow(context: &mut Context) {
    let now_secs = context.now_secs();
    let (mut wake_after_secs, mut has_recovered, mut fault) = (None, false, None);
    for document in context.documents.iter_mut().filter(|document| !document.is_reading()) {
        if document.session().keeping.is_none() {
            let keeping = begin(document, context.folders.state(), &context.jobs, now_secs);
            document.session_mut().keeping = Some(keeping);
        }
        // Moved out of the document, since `follow_desk` also borrows the document.
        let Some(mut keeping) = document.session_mut().keeping.take() else { continue };
        keeping.writer.follow(document.history());
        if let Some(left_secs) = keeping.follow_desk(document, now_secs) {
            wake_after_secs = Some(wake_after_secs.map_or(left_secs, |sooner: f64| sooner.min(left_secs)));
        }
        let is_failing = keeping.writer.is_failing();
        fault = keeping.writer.take_fault().or(fault);
        has_recovered |= std::mem::replace(&mut keeping.was_failing, is_failing) && !is_failing;
        document.session_mut().keeping = Some(keeping);
    }
    if let Some(secs) = wake_after_secs {
        context.wake_after(secs);
    }
    let is_failing =
        context.documents.iter().filter_map(|document| document.session().writer()).any(SessionWriter::is_failing);
    if has_recovered && !is_failing {
        context.notices.succeed(OPERATION);
    }
    if let Some(fault) = fault {
        context.fail(OPERATION, &fault);
    }
}

fn begin(document: &mut OpenDocument, state: &Path, jobs: &Jobs, now_secs: f64) -> RunningSession {
    let place = document.session_mut().place.take();
    let is_adopted = matches!(place, Some(Place::Adopted(_)));
    let kept = DocumentViewState::of(document);
    let history = document.history().clone();
    let source = document.source().cloned().or_else(|| SourceRef::of(history.original().source()));
    let begin = SessionStart {
        place: place.unwrap_or_else(|| Place::New(state.to_path_buf())),
        desk: kept.desk(document),
        source,
        project: kept.project.clone(),
        history,
    };
    let jobs = jobs.clone();
    let writer = SessionWriter::start(begin, move || jobs.wake());
    let trial_until_secs = is_adopted.then_some(now_secs + TRIAL_SECS);
    RunningSession { writer, kept, seen: None, was_failing: false, trial_until_secs }
}

impl RunningSession {
    /// Saves view, selection and cursor once they have been unchanged for `SAVE_DELAY_SECS`; returns the seconds until
    /// the next check.
    fn follow_desk(&mut self, document: &OpenDocument, now_secs: f64) -> Option<f64> {
        if self.trial_until_secs.is_some_and(|until_secs| until_secs <= now_secs) {
            self.trial_until_secs = None;
            self.writer.end_trial();
        }
        let now = DocumentViewState::of(document);
        if now == self.kept {
            self.seen = None;
            return None;
        }
        if now.project != self.kept.project {
            self.writer.set_project(now.project.clone());
            self.kept.project = now.project.clone();
        }
        if now.beat != self.kept.beat {
            // The beat grid is saved at once: it does not change every frame, and a project saved right now must
            // include it.
            self.writer.set_desk(now.desk(document));
            (self.kept, self.seen) = (now, None);
            return None;
        }
        match &self.seen {
            Some((seen, since_secs)) if *seen == now => {
                let left_secs = since_secs + SAVE_DELAY_SECS - now_secs;
                if left_secs > 0.0 {
                    return Some(left_secs);
                }
                self.writer.set_desk(now.desk(document));
                (self.kept, self.seen) = (now, None);
                None
            }
            _ => {
                self.seen = Some((now, now_secs));
                Some(SAVE_DELAY_SECS)
            }
        }
    }
}

/// Ends all sessions when the program ends. Those with edits that the user has not agreed to lose are kept and offered
/// at the next start. `is_requested`: the user or the system requested the end, so it was not caused by a recovery.
pub(super) fn end(context: &mut Context, is_requested: bool) {
    for document in context.documents.iter_mut() {
        if is_requested && let Some(folder) = document.session().adopted() {
            folder.end_trial();
        }
    }
    let ends_at = std::time::Instant::now() + SHUTDOWN_TIMEOUT;
    let has_work = |document: &OpenDocument| document.has_unsaved_edits() && !document.session().is_discarded();
    // Sessions without edits are kept if any session has unsaved work, and always after an unexpected end.
    let keeps_any = !is_requested || context.documents.iter().any(has_work);
    for document in context.documents.iter_mut() {
        let is_untouched = document.history().entries().len() == 1 && !document.session().is_discarded();
        let is_kept = has_work(document) || keeps_any && is_untouched;
        let keeping = document.session_mut().keeping.take();
        if !is_kept {
            if let Some(keeping) = keeping {
                keeping.writer.end();
            }
            // After an unexpected end the next process opens the same sound file, so it is not removed.
            if is_requested && let Some(sound) = document.session_mut().take_sound() {
                sound.remove();
            }
            continue;
        }
        let Some(mut keeping) = keeping else { continue };
        keeping.writer.follow(document.history());
        if is_requested && keeping.trial_until_secs.is_some() {
            keeping.writer.end_trial();
        }
        keeping.writer.flush(ends_at.saturating_duration_since(std::time::Instant::now()));
    }
}

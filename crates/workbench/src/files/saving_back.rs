//! Saves a document back over the file that it was opened from, once its edits are applied.

use super::paths::name_of;
use super::questions::Then;
use crate::base::Result;
use crate::context::{BenchEvent, Concern, Context};
use crate::document::Snapshot;
use crate::document::session::{BackOrder, BackReport, SourceRef, check_can_save_back, save_back};
use crate::notices::{Severity, about_file};
use crate::services::Job;
use crate::work::JobStatus;
use std::collections::VecDeque;

/// Saves in the order given.
#[derive(Default)]
pub struct SavingBack {
    waiting: VecDeque<(u64, Option<Then>)>,
    running: Option<Running>,
}

struct Running {
    document: u64,
    position: usize,
    snapshot: Snapshot,
    then: Option<Then>,
    started_secs: f64,
    job: Job<BackReport>,
}

impl SavingBack {
    /// Saves a document back once every edit is applied, or says why it cannot be.
    pub fn save(&mut self, id: u64, then: Option<Then>, context: &mut Context) {
        let Some(document) = context.documents.get(id) else { return };
        let (sound, session) = (document.history().original().source(), document.session());
        let source = if session.owns_sound() { Some(&SourceRef::Silence) } else { document.source() };
        let checked = check_can_save_back(sound, source, session.saved_back());
        match checked {
            Ok(_) => self.waiting.push_back((id, then)),
            Err(error) => {
                context.keep_all();
                context.fail("save back", &error);
            }
        }
    }

    fn start_next(&mut self, context: &mut Context) {
        if self.running.is_some() {
            return;
        }
        let Some((id, _)) = self.waiting.front() else { return };
        let Some(document) = context.documents.get(*id) else {
            self.waiting.pop_front();
            return;
        };
        let Some(writer) = document.session().writer().filter(|_| !document.edits().is_busy()) else { return };
        let Some((id, then)) = self.waiting.pop_front() else { return };
        let snapshot = document.history().current().clone();
        let order = BackOrder {
            sound: snapshot.clone(),
            labels: document.history().labels().clone(),
            source: document.source().cloned(),
            saved: document.session().saved_back().cloned(),
        };
        let session = writer.contact();
        let job = context.jobs.spawn("save back", move |progress| save_back(&order, &session, progress));
        let position = document.history().position();
        self.running = Some(Running { document: id, position, snapshot, then, started_secs: context.now_secs(), job });
    }
}

impl Concern for SavingBack {
    fn advance(&mut self, context: &mut Context) {
        self.start_next(context);
        if let Some(answer) = self.running.as_mut().and_then(|running| running.job.poll())
            && let Some(running) = self.running.take()
        {
            take_saved(running, answer, context);
        }
    }

    fn work(&self, _: &Context) -> Option<JobStatus> {
        let running = self.running.as_ref()?;
        let part = running.job.progress().fraction();
        Some(JobStatus { name: "Saving back", part, since_secs: running.started_secs })
    }

    fn is_busy(&self, _: &Context) -> bool {
        !self.waiting.is_empty() || self.running.is_some()
    }

    fn cancel(&mut self, _: &mut Context) -> bool {
        // What is being written is asked to stop, and says what became of it.
        let running = self.running.as_ref().map(|running| running.job.progress().cancel());
        self.waiting.pop_back().is_some() || running.is_some()
    }
}

fn take_saved(running: Running, answer: Result<BackReport>, context: &mut Context) {
    let BackReport { saved, source, export } = match answer {
        Ok(report) => report,
        Err(error) => {
            context.keep_all();
            return context.fail("save back", &error);
        }
    };
    context.notices.succeed("save back");
    let name = name_of(&saved.file);
    for notice in &export.notices {
        context.tell(Severity::Warning, about_file(&name, notice), None);
    }
    let kept = source.path().filter(|_| !source.is_embedded()).map(name_of);
    let advice = kept.map(|kept| format!("The original is kept as {kept}."));
    context.tell(Severity::Info, format!("Saved back to {name} ({}).", export.description), advice.as_deref());
    context.send(BenchEvent::SavedBack(saved.file.clone()));
    if let Some(document) = context.documents.get_mut(running.document) {
        document.go_on_with(source);
        document.session_mut().note_saved_back(saved);
        let entry = document.history().entries().get(running.position);
        if entry.is_some_and(|entry| entry.snapshot.is_same(&running.snapshot)) {
            document.note_export(running.position);
        }
    }
    if let Some(then) = running.then {
        context.unless_unsaved(then);
    }
}

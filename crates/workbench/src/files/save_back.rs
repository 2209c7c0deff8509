//! Saves a document back over the file that it was opened from, once its edits are applied.

use super::paths::name_of;
use super::questions::Then;
use crate::base::Result;
use crate::bench::context::{BenchEvent, Concern, Context};
use crate::bench::notices::{Severity, about_file};
use crate::bench::orders::{AfterEdits, StepAt, can_be_saved, next_ready};
use crate::bench::work::JobStatus;
use crate::document::session::{SaveBackReport, SaveBackRequest, SourceRef, check_can_save_back, save_back};
use crate::documents::OpenDocument;
use crate::services::JobQueue;

/// The queue of documents to save back.
#[derive(Default)]
pub struct SaveBackQueue {
    queue: JobQueue<Waiting, SaveBackReport, (StepAt, Option<Then>)>,
}

struct Waiting {
    document: u64,
    then: Option<Then>,
}

impl AfterEdits for Waiting {
    fn document(&self) -> u64 {
        self.document
    }

    fn is_ready(&self, document: &OpenDocument) -> bool {
        can_be_saved(document)
    }
}

impl SaveBackQueue {
    /// Saves a document back once all edits are applied, or shows why that is not possible.
    pub fn save(&mut self, id: u64, then: Option<Then>, context: &mut Context) {
        let Some(document) = context.documents.get(id) else { return };
        let (sound, session) = (document.history().original().source(), document.session());
        let source = if session.owns_sound() { Some(&SourceRef::Silence) } else { document.source() };
        let checked = check_can_save_back(sound, source, session.saved_back());
        match checked {
            Ok(_) => self.queue.push(Waiting { document: id, then }),
            Err(error) => {
                context.keep_all();
                context.fail("save back", &error);
            }
        }
    }

    fn start_next(&mut self, context: &mut Context) {
        let Some(Waiting { document, then }) = next_ready(&mut self.queue, context) else { return };
        let Some(document) = context.documents.get(document) else { return };
        let Some(session) = document.session().writer().map(|writer| writer.contact()) else { return };
        let order = SaveBackRequest {
            sound: document.history().current().clone(),
            labels: document.history().labels().clone(),
            source: document.source().cloned(),
            saved: document.session().saved_back().cloned(),
        };
        let job = context.jobs.spawn("save back", move |progress| save_back(&order, &session, progress));
        self.queue.run((StepAt::of(document), then), job, context.now_secs());
    }
}

impl Concern for SaveBackQueue {
    fn advance(&mut self, context: &mut Context) {
        self.start_next(context);
        if let Some(((step, then), answer)) = self.queue.take_answer() {
            take_saved(&step, then, answer, context);
        }
    }

    fn work(&self, _: &Context) -> Option<JobStatus> {
        JobStatus::of(&self.queue, |_| "Saving back")
    }

    fn is_busy(&self, _: &Context) -> bool {
        self.queue.is_busy()
    }

    fn cancel(&mut self, _: &mut Context) -> bool {
        self.queue.stop_last()
    }
}

fn take_saved(step: &StepAt, then: Option<Then>, answer: Result<SaveBackReport>, context: &mut Context) {
    let SaveBackReport { saved, source, export } = match answer {
        Ok(report) => report,
        Err(error) => {
            context.keep_all();
            return context.fail("save back", &error);
        }
    };
    context.notices.succeed("save back");
    let name = name_of(&saved.file);
    for notice in &export.notices {
        context.notify(Severity::Warning, about_file(&name, notice), None);
    }
    let kept = source.path().filter(|_| !source.is_embedded()).map(name_of);
    let advice = kept.map(|kept| format!("The original is kept as {kept}."));
    context.notify(Severity::Info, format!("Saved back to {name} ({}).", export.description), advice.as_deref());
    context.send(BenchEvent::SavedBack(saved.file.clone()));
    if let Some(document) = context.documents.get_mut(step.document()) {
        document.go_on_with(source);
        document.session_mut().note_saved_back(saved);
        if let Some(position) = step.position_in(document) {
            document.note_export(position);
        }
    }
    if let Some(then) = then {
        context.unless_unsaved(then);
    }
}

//! Opens projects, and saves them through the session writer of their document.

use super::paths::name_of;
use super::questions::{ProjectSaveOptions, Question, Then};
use super::save_back::SaveBackQueue;
use crate::base::{Progress, Result};
use crate::bench::context::{Concern, Context};
use crate::bench::notices::{Severity, about_file};
use crate::bench::orders::{AfterEdits, StepAt, can_be_saved, next_ready};
use crate::bench::work::{JobStatus, OrderReport};
use crate::commands::FileCommand;
use crate::document::BeatGrid;
use crate::document::output::cells_file::CellsOrigin;
use crate::document::session::{
    Place, ProjectFile, Restored, SampleStorage, SessionFolder, SourceError, SourceSearch, open_project,
};
use crate::documents::OpenDocument;
use crate::dsp::strokes::picture::Bitmap;
use crate::media::Opened;
use crate::media::picture::PictureTaken;
use crate::media::score::ReadScore;
use crate::services::JobQueue;
use crate::sessions::document_of;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The content of an opened file.
pub enum OpenedFile {
    /// A sound.
    Sound(Box<Opened>),
    /// The notes of a score, which float over a document.
    Score(Box<ReadScore>),
    /// A picture, which floats over a document, and its pixels.
    Picture(Box<PictureTaken>, Arc<Bitmap>),
    /// A picture of cells, to be applied to the sound that they came from.
    Cells(Box<CellsOrigin>),
    /// A project, and the folder of its new session.
    Project(Box<(Restored, ProjectFile, Option<SessionFolder>)>),
    /// A project whose sound is missing or changed.
    Wanting(SourceError),
}

/// Opens a project, in a job.
pub(super) fn load(
    path: &Path,
    finding: &SourceSearch,
    room: &SampleStorage,
    progress: &Progress,
) -> Result<OpenedFile> {
    // Created first, since a sound embedded in the project is extracted to this folder.
    let folder = SessionFolder::create(&room.folder).ok();
    let source_file = folder.as_ref().map_or_else(|| room.folder.join("contained"), SessionFolder::source_file);
    match open_project(path, finding, room, &source_file, progress) {
        Ok((restored, project)) => Ok(OpenedFile::Project(Box::new((restored, project, folder)))),
        Err(lost) => {
            if let Some(folder) = folder {
                folder.remove();
            }
            match lost {
                SourceError::Failed(error) => Err(error),
                lost => Ok(OpenedFile::Wanting(lost)),
            }
        }
    }
}

/// Saves projects, in order, each once all edits of its document are applied.
#[derive(Default)]
pub struct Projects {
    /// Saves in progress and waiting.
    queue: JobQueue<Waiting, ProjectFile, Saving>,
    /// Saves sounds back over the files that they were opened from.
    pub back: SaveBackQueue,
}

struct Waiting {
    options: ProjectSaveOptions,
    path: PathBuf,
    document: u64,
}

struct Saving {
    options: ProjectSaveOptions,
    path: PathBuf,
    step: StepAt,
    beat: Option<BeatGrid>,
}

impl AfterEdits for Waiting {
    fn document(&self) -> u64 {
        self.document
    }

    fn is_ready(&self, document: &OpenDocument) -> bool {
        can_be_saved(document)
    }

    fn closed_report(&self) -> Option<OrderReport> {
        let what = format!("{} was not saved because its file was closed.", name_of(&self.path));
        Some(OrderReport { is_success: false, what, advice: "" })
    }
}

impl Concern for Projects {
    fn advance(&mut self, context: &mut Context) {
        self.back.advance(context);
        self.start_next(context);
        if let Some((saving, answer)) = self.queue.take_answer() {
            take_saved(saving, answer, context);
        }
    }

    fn work(&self, context: &Context) -> Option<JobStatus> {
        JobStatus::of(&self.queue, |_| "Saving").or_else(|| self.back.work(context))
    }

    fn is_busy(&self, context: &Context) -> bool {
        self.queue.is_busy() || self.back.is_busy(context)
    }

    fn cancel(&mut self, context: &mut Context) -> bool {
        self.queue.cancel_last().is_some() || self.back.cancel(context)
    }
}

impl Projects {
    /// Saves the project of a document to its file; asks for a path if it has none, or another process has the project
    /// open.
    pub fn save(&mut self, id: u64, then: Option<Then>, context: &mut Context) {
        let Some(document) = context.documents.get(id) else { return };
        let is_embedded = document.is_embedded() || document.session().owns_sound();
        let options = ProjectSaveOptions { document: Some(document.id()), is_embedded, then };
        match document.project().filter(|project| !project.is_held_elsewhere()) {
            Some(project) => self.save_at(options, project.path.clone(), context),
            None => context.ask(Question::SaveProject(options)),
        }
    }

    /// Saves to a path once all edits are applied.
    pub fn save_at(&mut self, options: ProjectSaveOptions, path: PathBuf, context: &Context) {
        let document = options.document.or(context.documents.active_id()).unwrap_or(0);
        self.queue.push(Waiting { options, path, document });
    }

    fn start_next(&mut self, context: &mut Context) {
        // Sessions advance before projects, so the session contains the whole current history.
        let Some(Waiting { mut options, path, document }) = next_ready(&mut self.queue, context) else { return };
        let Some(document) = context.documents.get(document) else { return };
        let Some(writer) = document.session().writer() else { return };
        // A sound file created by the program is removed with its document, so the project has to contain the sound.
        options.is_embedded |= document.session().owns_sound();
        let writing = writer.save(&path, options.is_embedded, document.project());
        let job = context.jobs.spawn("save", move |progress| writing.wait(progress));
        let saving = Saving { options, path, step: StepAt::of(document), beat: document.beat().copied() };
        self.queue.run(saving, job, context.now_secs());
    }
}

/// Asks the user for settings and path of the project of the document in front.
pub fn ask_project(context: &mut Context) {
    let Some(document) = context.documents.active() else { return };
    let is_embedded = document.is_embedded() || document.session().owns_sound();
    let options = ProjectSaveOptions { document: Some(document.id()), is_embedded, then: None };
    context.ask(Question::SaveProject(options));
}

fn take_saved(saving: Saving, answer: Result<ProjectFile>, context: &mut Context) {
    let Saving { options, path, step, beat } = saving;
    let project = match answer {
        Ok(project) => project,
        Err(error) => {
            let error = if error.path().is_some() { error } else { error.at(&path) };
            context.keep_all();
            return context.fail("save", &error);
        }
    };
    context.notices.succeed("save");
    context.notices.withdraw(FileCommand::SaveProjectAs);
    context.notify(Severity::Info, format!("Saved {}.", name_of(&path)), None);
    if let Some(document) = context.documents.get_mut(step.document()) {
        document.note_save(project, options.is_embedded, (step.position_in(document), beat));
        let recent = context.remembered.recent_of(document, context.folders.state());
        context.remembered.note_recent(recent);
    }
    if let Some(then) = options.then {
        context.unless_unsaved(then);
    }
}

/// Makes a document of an opened project, and shows its notices.
pub(super) fn document_of_project(
    path: &Path,
    (mut restored, project, folder): (Restored, ProjectFile, Option<SessionFolder>),
    context: &mut Context,
) -> OpenDocument {
    let name = name_of(path);
    for notice in std::mem::take(&mut restored.notices) {
        context.notify(Severity::Warning, about_file(&name, &notice), None);
    }
    let damage = restored.damage.take();
    let is_held = project.is_held_elsewhere();
    if is_held {
        let what = format!("{name} is open in another window; this is a copy.");
        context.notify(Severity::Warning, what, Some("Saving it will ask for another name."));
    }
    if let Some(damage) = &damage {
        let what = format!("{name} {}.", damage.message());
        let advice = Some("The edits before the damage were recovered; save them under another name.");
        context.notify(Severity::Warning, what, advice);
    }
    let place = folder.map_or_else(|| Place::New(context.folders.state().to_path_buf()), Place::Made);
    // A project that is open elsewhere or damaged is opened as a copy, which is not saved over the original.
    let is_copy = is_held || damage.is_some();
    let mut document = document_of(restored, (!is_copy).then_some(project), place);
    if document.is_embedded() {
        // Exports are suggested beside the project.
        let sound = document.path().and_then(Path::file_name).unwrap_or(path.as_os_str());
        document.set_path(path.with_file_name(sound));
    }
    if is_copy {
        document.set_title(format!("{name} (copy)"));
    }
    document
}

//! Projects in the window: opened like files, saved through the session's writer.

use super::app::Studio;
use super::cards::Card;
use super::commands::Command;
use super::files::{Purpose, Then};
use super::jobs::Job;
use super::notices::{Level, about_file};
use super::project_cards::{Locating, ProjectWish};
use super::sessions::document_of;
use super::state::OpenDocument;
use crate::base::{Progress, Result};
use crate::document::Snapshot;
use crate::document::session::{Finding, Lost, Place, ProjectFile, Restored, Room, SessionFolder, open_project};
use crate::media::Opened;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// What a file turned out to be.
pub enum OpenedFile {
    /// A sound.
    Sound(Box<Opened>),
    /// A project, and the folder of the session that it will have.
    Project(Box<(Restored, ProjectFile, Option<SessionFolder>)>),
    /// A project whose sound is not as it was.
    Wanting(Lost),
}

/// Opens a project, in a job.
pub(super) fn load(path: &Path, finding: &Finding, room: &Room, progress: &Progress) -> Result<OpenedFile> {
    // Made now, since what a project contains is taken out into it.
    let folder = SessionFolder::create(&room.folder).ok();
    let source_file = folder.as_ref().map_or_else(|| room.folder.join("contained"), SessionFolder::source_file);
    match open_project(path, finding, room, &source_file, progress) {
        Ok((restored, project)) => Ok(OpenedFile::Project(Box::new((restored, project, folder)))),
        Err(lost) => {
            if let Some(folder) = folder {
                folder.remove();
            }
            match lost {
                Lost::Failed(error) => Err(error),
                lost => Ok(OpenedFile::Wanting(lost)),
            }
        }
    }
}

/// Whether a name ends as those of projects do.
pub(super) fn has_ending(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "sonobrush")
}

/// With that ending; a name that ends in something else keeps it: `take 2.1` is no `take 2`.
pub(super) fn with_ending(path: PathBuf) -> PathBuf {
    if has_ending(&path) {
        return path;
    }
    let mut name = path.into_os_string();
    name.push(".sonobrush");
    PathBuf::from(name)
}

/// A project that is being saved, or waits until every edit is applied.
#[derive(Default)]
pub struct Projects {
    /// Saves in the order given, each of its document at the time it begins.
    waiting: VecDeque<(ProjectWish, PathBuf, u64)>,
    saving: Option<SavingHere>,
}

struct SavingHere {
    wish: ProjectWish,
    path: PathBuf,
    document: u64,
    position: usize,
    snapshot: Snapshot,
    started_secs: f64,
    job: Job<ProjectFile>,
}

impl Projects {
    /// Whether a project is being saved, or will be.
    pub fn is_busy(&self) -> bool {
        !self.waiting.is_empty() || self.saving.is_some()
    }

    /// Words, the part that is done, when it began.
    pub fn work(&self) -> Option<(&'static str, f32, f64)> {
        let saving = self.saving.as_ref()?;
        Some(("Saving", saving.job.progress().fraction(), saving.started_secs))
    }

    /// Stops it; false if there is none.
    pub fn cancel(&mut self) -> bool {
        self.waiting.pop_back().is_some() || self.saving.take().is_some()
    }
}

impl Studio {
    /// Saves the project where it is, or asks where.
    pub(super) fn save_project(&mut self, then: Option<Then>) {
        let Some(document) = &self.document else { return };
        let is_embedded = document.is_embedded;
        let wish = ProjectWish { is_embedded, then };
        match document.project.as_ref().filter(|project| !project.is_held_elsewhere()) {
            Some(project) => {
                let path = project.path.clone();
                self.save_project_at(wish, path);
            }
            None => self.card = Some(Card::SaveProject(wish)),
        }
    }

    /// Asks how and where.
    pub(super) fn save_project_as(&mut self) {
        let is_embedded = self.document.as_ref().is_some_and(|document| document.is_embedded);
        self.card = Some(Card::SaveProject(ProjectWish { is_embedded, then: None }));
    }

    /// Asks the system where to save.
    pub(super) fn ask_project(&mut self, wish: ProjectWish) {
        let suggested = self.suggested_project();
        let (folder, name) = (super::files::folder_of(&suggested), super::files::name_of(&suggested));
        self.ask(Purpose::Project(wish), move |dialogs| dialogs.save_project(&folder, &name));
    }

    /// `NAME.sonobrush` beside the file; a recovered one and a copy have names of their own.
    pub(super) fn suggested_project(&self) -> PathBuf {
        let Some(document) = &self.document else { return PathBuf::from("untitled.sonobrush") };
        let file = document.file().map(Path::to_path_buf).unwrap_or_default();
        let stem = file.file_stem().map_or_else(|| "untitled".into(), |stem| stem.to_string_lossy().into_owned());
        let stem = match &document.title {
            Some(title) if title.ends_with("(copy)") => format!("{stem}-copy"),
            Some(_) => format!("{stem}-recovered"),
            None => stem,
        };
        self.beside(&file).join(format!("{stem}.sonobrush"))
    }

    /// Saves there once every edit is applied.
    pub(super) fn save_project_at(&mut self, wish: ProjectWish, path: PathBuf) {
        let document = self.document.as_ref().map_or(0, |document| document.id);
        self.projects.waiting.push_back((wish, path, document));
    }

    /// Starts what waits, and takes the answer of what was started.
    pub(super) fn poll_projects(&mut self, ctx: &egui::Context, now_secs: f64) {
        if !self.edits.is_busy()
            && self.projects.saving.is_none()
            && let Some((wish, path, document)) = self.projects.waiting.pop_front()
        {
            if self.document.as_ref().is_none_or(|current| current.id != document) {
                let what = format!("{} was not saved: its sound was closed meanwhile.", super::files::name_of(&path));
                return self.notices.tell(now_secs, Level::Warning, what, None);
            }
            // Everything that is in the history now is to be in the project.
            self.follow_session(ctx, now_secs);
            self.start_saving(wish, path, now_secs);
        }
        if let Some(saving) = &mut self.projects.saving
            && let Some(answer) = saving.job.poll()
            && let Some(saving) = self.projects.saving.take()
        {
            self.take_saved(saving, answer, now_secs);
        }
    }

    fn start_saving(&mut self, wish: ProjectWish, path: PathBuf, now_secs: f64) {
        let (Some(document), Some(writer)) = (&self.document, self.sessions.writer()) else { return };
        let saving = writer.save(&path, wish.is_embedded, document.project.as_ref());
        let job = self.services.jobs.spawn("save", move |progress| saving.wait(progress));
        self.projects.saving = Some(SavingHere {
            wish,
            path,
            document: document.id,
            position: document.history.position(),
            snapshot: document.history.current().clone(),
            started_secs: now_secs,
            job,
        });
    }

    fn take_saved(&mut self, saving: SavingHere, answer: Result<ProjectFile>, now_secs: f64) {
        let SavingHere { wish, path, document: id, position, snapshot, .. } = saving;
        match answer {
            Ok(project) => {
                self.notices.succeed("save");
                self.notices.withdraw(Command::SaveProjectAs);
                let what = format!("Saved {}.", super::files::name_of(&path));
                self.notices.tell(now_secs, Level::Info, what, None);
                if let Some(document) = self.document.as_mut().filter(|document| document.id == id) {
                    document.project = Some(project);
                    document.title = None;
                    let entry = document.history.entries().get(position);
                    document.saved_at =
                        entry.is_some_and(|entry| entry.snapshot.is_same(&snapshot)).then_some(position);
                    document.is_embedded = wish.is_embedded;
                }
                if let Some(document) = self.document.take() {
                    self.note_recent(&document);
                    self.document = Some(document);
                }
                if let Some(then) = wish.then {
                    self.unless_unsaved(then);
                }
            }
            Err(error) => {
                let error = if error.path().is_some() { error } else { error.at(&path) };
                self.notices.fail(now_secs, "save", &error);
            }
        }
    }

    /// A project that was opened, as a document.
    pub(super) fn take_project(
        &mut self,
        path: &Path,
        (mut restored, project, folder): (Restored, ProjectFile, Option<SessionFolder>),
    ) -> OpenDocument {
        let now_secs = self.services.clock.now_secs();
        let name = super::files::name_of(path);
        for notice in std::mem::take(&mut restored.notices) {
            self.notices.tell(now_secs, Level::Warning, about_file(&name, &notice), None);
        }
        let damage = restored.damage.take();
        let is_held = project.is_held_elsewhere();
        if is_held {
            let what = format!("{name} is open in another window; this is a copy.");
            self.notices.tell(now_secs, Level::Warning, what, Some("Saving it asks for a name of its own."));
        }
        if let Some(damage) = &damage {
            let what = format!("{name} {}.", damage.message());
            let advice = Some("What comes before the damage is here; save it under another name.");
            self.notices.tell(now_secs, Level::Warning, what, advice);
        }
        let place = folder.map_or_else(|| Place::New(self.services.folders.state().to_path_buf()), Place::Made);
        // Neither is saved over what it came from.
        let is_copy = is_held || damage.is_some();
        let mut document = document_of(restored, (!is_copy).then_some(project), place);
        if document.is_embedded {
            // What is exported goes beside the project.
            let sound = document.path.as_deref().and_then(Path::file_name).unwrap_or(path.as_os_str());
            document.path = Some(path.with_file_name(sound));
        }
        if is_copy {
            document.title = Some(format!("{name} (copy)"));
        }
        document
    }

    /// A project cannot be opened before its sound is found.
    pub(super) fn ask_source(&mut self, project: PathBuf, lost: Lost) {
        self.card = Some(Card::Locate { what: Locating::Project(project), lost });
    }

    /// Asks the system where the sound is.
    pub(super) fn ask_where(&mut self, what: Locating) {
        self.ask(Purpose::Locate(what), |dialogs| dialogs.open());
    }

    /// The sound is there, or may have changed.
    pub(super) fn locate(&mut self, what: Locating, finding: Finding) {
        self.card = None;
        match what {
            Locating::Project(path) => self.open_with(path, finding),
            Locating::Session => self.locate_for_session(finding),
        }
    }
}

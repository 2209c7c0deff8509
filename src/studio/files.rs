//! Opening and exporting: dialogs, decoding and encoding, each in a job.

mod preview;

use super::app::Studio;
use super::cards::Card;
use super::jobs::Job;
use super::new_card::NewCanvas;
use super::notices::{Level, about_file};
use super::project_cards::{Locating, ProjectWish};
use super::projects::{self, OpenedFile};
use super::services::{Dialogs, Picked};
use super::state::OpenDocument;
use super::{restart, test_commands};
use crate::base::{Error, Progress, Result, shown_path, write_atomic};
use crate::document::session::{Finding, is_project};
use crate::document::{ExportReport, Snapshot, export};
use crate::media::{Dither, ExportFormat, OpenOptions, Opened, Source};
use preview::Previewed;
use std::collections::VecDeque;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};

/// What happens once unsaved edits are dealt with.
#[derive(Debug, Clone)]
pub enum Then {
    /// This file is opened.
    Open(PathBuf),
    /// The demo clip is opened.
    OpenDemo,
    /// An empty canvas takes its place.
    New(NewCanvas),
    /// A file that was decoded meanwhile is shown.
    Show(Box<OpenDocument>),
    /// The window is empty.
    Close,
    /// The window closes.
    Quit,
}

/// How to export, and what comes after.
#[derive(Debug, Clone, Default)]
pub struct ExportWish {
    /// Sample format.
    pub format: ExportFormat,
    /// None: as the depth asks.
    pub dither: Option<Dither>,
    /// Done after it succeeds.
    pub then: Option<Then>,
}

/// What a path is wanted for.
#[derive(Debug, Clone)]
pub enum Purpose {
    /// To open it.
    Open,
    /// To write there.
    Export(ExportWish),
    /// To save the project there.
    Project(ProjectWish),
    /// To take the sound of a project from there.
    Locate(Locating),
}

/// Jobs about files.
#[derive(Default)]
pub struct Files {
    dialog: Option<(Purpose, Job<Picked>)>,
    opening: Option<Opening>,
    /// A typed path, and whether a file is there.
    checking: Option<(Purpose, PathBuf, Job<bool>)>,
    /// Exports in the order given, each of its document at the time it begins.
    waiting_exports: VecDeque<(ExportWish, PathBuf, u64)>,
    exporting: Option<Exporting>,
    has_told_no_dialog: bool,
}

struct Opening {
    path: PathBuf,
    /// The state that may be replaced without asking: document and position.
    may_replace: Option<(u64, usize)>,
    started_secs: f64,
    /// A long sound, to be looked at while it is still being read.
    preview: Receiver<Source>,
    previewed: Option<Previewed>,
    job: Job<OpenedFile>,
}

struct Exporting {
    wish: ExportWish,
    path: PathBuf,
    document: u64,
    position: usize,
    snapshot: Snapshot,
    started_secs: f64,
    job: Job<ExportReport>,
}

const DEMO_CLIP: &[u8] = include_bytes!("../../assets/clips/guitar_chord_44k_stereo.flac");
const DEMO_NAME: &str = "guitar_chord_44k_stereo.flac";

impl Files {
    /// What is going on: words, the part that is done, when it began.
    pub fn work(&self) -> Option<(&'static str, f32, f64)> {
        if let Some(opening) = &self.opening {
            return Some(("Opening", opening.job.progress().fraction(), opening.started_secs));
        }
        let exporting = self.exporting.as_ref()?;
        Some(("Exporting", exporting.job.progress().fraction(), exporting.started_secs))
    }

    /// Whether an answer is awaited.
    pub fn is_busy(&self) -> bool {
        self.dialog.is_some() || self.opening.is_some() || self.checking.is_some() || self.is_exporting()
    }

    /// Whether a file is being written.
    pub fn is_exporting(&self) -> bool {
        !self.waiting_exports.is_empty() || self.exporting.is_some()
    }

    /// Asks an export to stop; until it has, it is still being written.
    pub fn stop_writing(&mut self) {
        self.waiting_exports.clear();
        if let Some(exporting) = &self.exporting {
            exporting.job.progress().cancel();
        }
    }

    /// Whether a sound is shown that is still being read.
    pub(super) fn is_previewing(&self) -> bool {
        self.opening.as_ref().is_some_and(|opening| opening.previewed.is_some())
    }

    /// Stops exporting; false if there is nothing to stop.
    fn cancel_export(&mut self) -> bool {
        self.exporting.take().is_some() || self.waiting_exports.pop_back().is_some()
    }
}

impl Studio {
    /// Opens a file unless there are edits to ask about first.
    pub fn open(&mut self, path: PathBuf) {
        self.unless_unsaved(Then::Open(path));
    }

    /// Does it, or asks.
    pub(super) fn unless_unsaved(&mut self, then: Then) {
        let has_unsaved = self.document.as_ref().is_some_and(OpenDocument::has_unsaved_edits) || self.edits.is_busy();
        if has_unsaved {
            self.card = Some(Card::Unsaved(then));
        } else {
            self.go_on(then);
        }
    }

    /// Does it, whatever is lost.
    pub(super) fn go_on(&mut self, then: Then) {
        if matches!(then, Then::New(_) | Then::Close) {
            self.stop_opening();
        }
        match then {
            Then::Open(path) => self.open_with(path, Finding::default()),
            Then::OpenDemo => {
                let path = self.services.folders.state().join(DEMO_NAME);
                self.start_opening(path, |path, _, progress| {
                    if let Some(folder) = path.parent() {
                        std::fs::create_dir_all(folder).map_err(|error| Error::io(&error, "made", folder))?;
                    }
                    write_atomic(path, |file| {
                        file.write_all(DEMO_CLIP).map_err(|error| Error::io(&error, "written", path))
                    })?;
                    Source::open(path, progress).map(|opened| OpenedFile::Sound(Box::new(opened)))
                });
            }
            Then::New(wish) => match wish.source() {
                Ok(source) => self.show(OpenDocument::new(None, Snapshot::new(source))),
                Err(error) => self.notices.fail(self.services.clock.now_secs(), "make a canvas", &error),
            },
            Then::Show(document) => self.show(*document),
            Then::Close => {
                self.edits.clear();
                restart::note_file(None);
                self.document = None;
                crate::dsp::planes::forget();
            }
            Then::Quit => self.is_quitting = true,
        }
    }

    /// A sound, or a project whose sound is looked for like this.
    pub(super) fn open_with(&mut self, path: PathBuf, finding: Finding) {
        let room = self.room();
        self.start_opening(path, move |path, preview, progress| {
            if is_project(path) {
                return projects::load(path, &finding, &room, progress);
            }
            let opened = Source::open_with(path, &room.sound, preview, progress)?;
            Ok(OpenedFile::Sound(Box::new(opened)))
        });
    }

    pub(super) fn open_options(&self) -> OpenOptions {
        let scratch_folder = self.services.folders.cache().to_path_buf();
        let (memory_bytes, reserve_bytes) = (self.source_bytes, self.reserve_bytes);
        OpenOptions { memory_bytes, scratch_folder, reserve_bytes, space: None }
    }

    pub(super) fn start_opening(
        &mut self,
        path: PathBuf,
        open: impl FnOnce(&Path, &dyn Fn(&Source), &Progress) -> Result<OpenedFile> + Send + 'static,
    ) {
        if let Some(opening) = &self.files.opening
            && opening.path != path
        {
            let what = format!("{} is opened instead of {}.", name_of(&path), name_of(&opening.path));
            self.notices.tell(self.services.clock.now_secs(), Level::Info, what, None);
        }
        self.stop_opening();
        let theirs = path.clone();
        let (show, preview) = channel();
        let job = self.services.jobs.spawn("open", move |progress| {
            // Nobody may be looking any more.
            let show = |source: &Source| drop(show.send(source.clone()));
            open(&theirs, &show, progress)
        });
        let may_replace = self.document.as_ref().map(|document| (document.id, document.history.position()));
        let started_secs = self.services.clock.now_secs();
        self.files.opening = Some(Opening { path, may_replace, started_secs, preview, previewed: None, job });
    }

    pub(super) fn show(&mut self, document: OpenDocument) {
        self.edits.clear();
        // What could not be done to another sound.
        self.notices.succeed("apply the edit");
        if let Some(canvas) = &mut self.canvas {
            canvas.cancel_stroke();
        }
        document.history.limit(self.history_bytes, self.services.folders.state());
        restart::note_file(document.file().map(Path::to_path_buf));
        self.document = Some(document);
        self.readout = None;
    }

    /// Shows a dialog of the system, unless one is open already: its answer would have no one to take it.
    pub(super) fn ask(&mut self, purpose: Purpose, show: impl FnOnce(&dyn Dialogs) -> Picked + Send + 'static) {
        if self.files.dialog.is_some() {
            let now_secs = self.services.clock.now_secs();
            let advice = Some("Close it or choose a file in it first.");
            return self.notices.tell(now_secs, Level::Warning, "A file dialog is open already.", advice);
        }
        let dialogs = self.dialogs.clone();
        let job = self.services.jobs.spawn("dialog", move |_| Ok(show(&*dialogs)));
        self.files.dialog = Some((purpose, job));
    }

    /// Asks the system for a file.
    pub(super) fn ask_open(&mut self) {
        self.ask(Purpose::Open, |dialogs| dialogs.open());
    }

    /// Asks the system where to export to.
    pub(super) fn ask_export(&mut self, wish: ExportWish) {
        let suggested = self.suggested_export();
        let (folder, name) = (folder_of(&suggested), name_of(&suggested));
        self.ask(Purpose::Export(wish), move |dialogs| dialogs.save(&folder, &name));
    }

    /// `NAME-edited.wav` beside the source; beside the working folder where the source is our own demo clip.
    fn suggested_export(&self) -> PathBuf {
        let source = self.document.as_ref().and_then(|document| document.path.clone()).unwrap_or_default();
        let stem = source.file_stem().map_or_else(|| "untitled".into(), |stem| stem.to_string_lossy().into_owned());
        self.beside(&source).join(format!("{stem}-edited.wav"))
    }

    /// The folder of a file of the user's; for our own, such as the demo clip, the working folder.
    pub(super) fn beside(&self, file: &Path) -> PathBuf {
        let is_ours = file.starts_with(self.services.folders.state());
        if is_ours { std::env::current_dir().unwrap_or_default() } else { folder_of(file) }
    }

    /// A path that the user typed or picked.
    pub(super) fn take_path(&mut self, purpose: Purpose, path: PathBuf) {
        match purpose {
            Purpose::Open => {
                self.card = None;
                match test_commands::wanted(&path) {
                    Some(name) => self.do_for_test(&name),
                    None => self.open(path),
                }
            }
            Purpose::Locate(what) => self.locate(what, Finding { source: Some(path), may_have_changed: false }),
            Purpose::Export(_) | Purpose::Project(_) => {
                let is_project = matches!(purpose, Purpose::Project(_));
                let path = if is_project { projects::with_ending(path) } else { path };
                let agreed = matches!(&self.card, Some(Card::Path { replaces: Some(old), .. }) if *old == path);
                if agreed {
                    self.write_to(purpose, path);
                } else {
                    let theirs = path.clone();
                    let job = self.services.jobs.spawn("look", move |_| Ok(theirs.exists()));
                    self.files.checking = Some((purpose, path, job));
                }
            }
        }
    }

    /// Writes to a path that the user has agreed to.
    fn write_to(&mut self, purpose: Purpose, path: PathBuf) {
        self.card = None;
        match purpose {
            Purpose::Export(wish) => {
                let document = self.document.as_ref().map_or(0, |document| document.id);
                self.files.waiting_exports.push_back((wish, path, document));
            }
            Purpose::Project(wish) => self.save_project_at(wish, path),
            Purpose::Open | Purpose::Locate(_) => {}
        }
    }

    /// Takes the answers of jobs about files, and starts what waited for them.
    pub(super) fn poll_files(&mut self) {
        if let Some((_, job)) = &mut self.files.dialog
            && let Some(answer) = job.poll()
            && let Some((purpose, _)) = self.files.dialog.take()
        {
            self.take_dialog(purpose, answer);
        }
        if let Some((_, _, job)) = &mut self.files.checking
            && let Some(answer) = job.poll()
            && let Some((purpose, path, _)) = self.files.checking.take()
        {
            match answer {
                Ok(true) => {
                    let text = path.to_string_lossy().into_owned();
                    self.card = Some(Card::Path { purpose, text, replaces: Some(path) });
                }
                Ok(false) => self.write_to(purpose, path),
                Err(error) => {
                    let now_secs = self.services.clock.now_secs();
                    self.notices.fail(now_secs, "write", &with_path(error, &path));
                }
            }
        }
        let preview = self.files.opening.as_ref().and_then(|opening| opening.preview.try_recv().ok());
        if let Some(source) = preview {
            self.show_preview(source);
        }
        if let Some(opening) = &mut self.files.opening
            && let Some(answer) = opening.job.poll()
            && let Some(opening) = self.files.opening.take()
        {
            self.take_opened(opening, answer);
        }
        self.start_export();
        if let Some(exporting) = &mut self.files.exporting
            && let Some(answer) = exporting.job.poll()
            && let Some(exporting) = self.files.exporting.take()
        {
            self.take_exported(exporting, answer);
        }
    }

    fn take_dialog(&mut self, purpose: Purpose, answer: Result<Picked>) {
        let now_secs = self.services.clock.now_secs();
        match (answer, purpose) {
            (Ok(Picked::File(path)), Purpose::Open) => self.open(path),
            // The system's dialog has asked about a file that is there.
            (Ok(Picked::File(path)), purpose @ Purpose::Export(_)) => self.write_to(purpose, with_wav(path)),
            (Ok(Picked::File(path)), purpose @ Purpose::Project(_)) if projects::has_ending(&path) => {
                self.write_to(purpose, path);
            }
            // It has not, about the name with an ending.
            (Ok(Picked::File(path)), purpose) => self.take_path(purpose, path),
            (Ok(Picked::Cancelled), _) => {}
            (Ok(Picked::Unavailable), purpose) => {
                let advice = match purpose {
                    Purpose::Open => "Type a path, drop a file on the window, or name it on the command line.",
                    Purpose::Export(_) | Purpose::Project(_) | Purpose::Locate(_) => "Type a path.",
                };
                let what = "This system shows no file dialog (neither a desktop portal nor zenity answers).";
                // Once: whoever exports every minute knows by then.
                if !std::mem::replace(&mut self.files.has_told_no_dialog, true) {
                    self.notices.tell(now_secs, Level::Warning, what, Some(advice));
                }
                let text = match purpose {
                    Purpose::Open | Purpose::Locate(_) => String::new(),
                    Purpose::Project(_) => self.suggested_project().to_string_lossy().into_owned(),
                    Purpose::Export(_) => self.suggested_export().to_string_lossy().into_owned(),
                };
                self.card = Some(Card::Path { purpose, text, replaces: None });
            }
            (Err(error), _) => self.notices.fail(now_secs, "show a file dialog", &error),
        }
    }

    fn take_opened(&mut self, opening: Opening, answer: Result<OpenedFile>) {
        let now_secs = self.services.clock.now_secs();
        match answer {
            Ok(OpenedFile::Wanting(lost)) => {
                self.put_back(opening.previewed);
                self.ask_source(opening.path, lost);
            }
            Ok(opened) => {
                self.notices.succeed("open");
                let shown = opening
                    .previewed
                    .and_then(|previewed| self.document.clone().filter(|shown| shown.id == previewed.document));
                let document = match opened {
                    OpenedFile::Project(project) => self.take_project(&opening.path, *project),
                    OpenedFile::Sound(sound) => {
                        if let Some(shown) = &shown
                            && shown.history.original().source().is_same(&sound.source)
                        {
                            // It is what has been shown for a while, now whole.
                            self.tell_of_sound(&opening.path, &sound.notices);
                            self.note_recent(shown);
                            return;
                        }
                        self.take_sound(opening.path, *sound)
                    }
                    OpenedFile::Wanting(_) => return,
                };
                self.note_recent(&document);
                let state = self.document.as_ref().map(|document| (document.id, document.history.position()));
                // Strokes painted while the file was being read have not been asked about.
                if shown.is_some() || state == opening.may_replace && !self.edits.is_busy() {
                    self.show(document);
                } else {
                    self.unless_unsaved(Then::Show(Box::new(document)));
                }
            }
            Err(error) => {
                self.put_back(opening.previewed);
                self.notices.fail(now_secs, "open", &with_path(error, &opening.path));
            }
        }
    }

    fn take_sound(&mut self, path: PathBuf, opened: Opened) -> OpenDocument {
        self.tell_of_sound(&path, &opened.notices);
        let mut document = OpenDocument::new(Some(path), Snapshot::new(opened.source));
        self.remembered.view.apply(&mut document);
        document
    }

    fn tell_of_sound(&mut self, path: &Path, notices: &[String]) {
        let now_secs = self.services.clock.now_secs();
        let name = name_of(path);
        for notice in notices {
            self.notices.tell(now_secs, Level::Warning, about_file(&name, notice), None);
        }
    }

    /// Once every edit is applied.
    fn start_export(&mut self) {
        if self.edits.is_busy() || self.files.exporting.is_some() {
            return;
        }
        let Some((wish, path, id)) = self.files.waiting_exports.pop_front() else { return };
        let Some(document) = self.document.as_ref().filter(|document| document.id == id) else {
            let what = format!("{} was not exported: its sound was closed meanwhile.", name_of(&path));
            let now_secs = self.services.clock.now_secs();
            return self.notices.tell(now_secs, Level::Warning, what, Some("Open the file again first."));
        };
        let snapshot = document.history.current().clone();
        let (theirs, to) = (snapshot.clone(), path.clone());
        let (format, dither) = (wish.format, wish.dither);
        let job = self.services.jobs.spawn("export", move |progress| export(&theirs, &to, format, dither, progress));
        self.files.exporting = Some(Exporting {
            wish,
            path,
            document: document.id,
            position: document.history.position(),
            snapshot,
            started_secs: self.services.clock.now_secs(),
            job,
        });
    }

    fn take_exported(&mut self, exporting: Exporting, answer: Result<ExportReport>) {
        let now_secs = self.services.clock.now_secs();
        match answer {
            Ok(report) => {
                self.notices.succeed("export");
                let name = name_of(&exporting.path);
                for notice in &report.notices {
                    self.notices.tell(now_secs, Level::Warning, about_file(&name, notice), None);
                }
                let what = format!("Exported {name} ({}).", report.description);
                match report.clipped {
                    0 => self.notices.tell(now_secs, Level::Info, what, None),
                    n => {
                        let word = if n == 1 { "sample was" } else { "samples were" };
                        let what = format!(
                            "{what} {} {word} beyond full scale and clipped.",
                            crate::studio::theme::number(n as f64, 0)
                        );
                        let advice = Some("Lower the gain, or export as 32-bit float.");
                        self.notices.offer(now_secs, Level::Warning, what, advice, super::commands::Command::Export);
                    }
                }
                if let Some(document) = &mut self.document
                    && document.id == exporting.document
                    && let Some(entry) = document.history.entries().get(exporting.position)
                    && entry.snapshot.is_same(&exporting.snapshot)
                {
                    document.exported_at = Some(exporting.position);
                }
                if let Some(then) = exporting.wish.then {
                    self.unless_unsaved(then);
                }
            }
            Err(error) => self.notices.fail(now_secs, "export", &with_path(error, &exporting.path)),
        }
    }
}

fn with_path(error: Error, path: &Path) -> Error {
    if error.path().is_some() { error } else { error.at(path) }
}

pub(super) fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(|| shown_path(path), |name| shown_path(Path::new(name)))
}

pub(super) fn folder_of(path: &Path) -> PathBuf {
    let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
    std::path::absolute(&folder).unwrap_or(folder)
}

/// A name without an ending gets `.wav`.
fn with_wav(path: PathBuf) -> PathBuf {
    if path.extension().is_some() { path } else { path.with_extension("wav") }
}

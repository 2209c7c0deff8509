//! Recovery of sessions that a process left behind: they are found at startup, offered to the user, and restored in tab
//! order. A session that fails does not block the others.

use super::recoverable::{RecoverableWork, RecoveryAnswer};
use super::save;
use super::saved_view::{document_of, tab_of};
use super::slot::SavedTab;
use super::tabs::Tabs;
use crate::base::{Error, shown_path};
use crate::bench::acts::FileAct;
use crate::bench::context::{Concern, Context};
use crate::bench::notices::{Severity, sentence};
use crate::commands::FileCommand;
use crate::document::session::{
    FoundRecording, FoundSession, GeneratedSound, Place, ProjectFile, Restored, SessionFolder, SoundFolder,
    SourceError, SourceSearch, find_all_sessions, find_recordings, open_session,
};
use crate::documents::{Documents, OpenDocument};
use crate::files::{Locating, Question, name_of};
use crate::services::JobQueue;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Writes the sessions of open documents, and restores those left behind.
#[derive(Default)]
pub struct Sessions {
    looking: JobQueue<(), Vec<Recoverable>>,
    /// Whether to recover without asking.
    is_agreed: bool,
    /// Sessions found, until the user decides about them: those with unsaved work before others, newest first.
    found: Vec<Recoverable>,
    /// Sessions to open, in order.
    queue: JobQueue<Waiting, RestoreResult, Opening>,
    /// Sessions whose source file the user must locate first.
    held: Vec<(SessionFolder, OpenReason)>,
    /// Files to open after recovery.
    files: Vec<PathBuf>,
    /// Whether to open the demo clip if there is nothing else to open.
    begins_with_demo: bool,
    tabs: Tabs,
    /// The tab to bring to the front, of the documents restored so far, with the document's id.
    front: Option<(SavedTab, u64)>,
    /// Former tabs of the restored documents, by document id.
    places: Vec<(u64, SavedTab)>,
    /// Files opened in place of a session, with their former tabs.
    expected: Vec<(PathBuf, SavedTab)>,
}

/// A session or recording that a process left behind.
enum Recoverable {
    Session(FoundSession, SessionContent),
    Recording(FoundRecording),
}

/// The work in a session that exists nowhere else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SessionContent {
    Edits,
    /// A recorded sound.
    Recording,
    /// No work: a file was open without edits. It is restored with the other tabs of its window.
    None,
}

impl Recoverable {
    fn at(&self) -> Option<SystemTime> {
        match self {
            Recoverable::Session(session, _) => session.at,
            Recoverable::Recording(recording) => recording.at,
        }
    }

    fn was_tried(&self) -> bool {
        matches!(self, Recoverable::Session(session, _) if session.folder.was_tried())
    }

    fn has_work(&self) -> bool {
        !matches!(self, Recoverable::Session(_, SessionContent::None))
    }

    fn tab(&self) -> Option<SavedTab> {
        match self {
            Recoverable::Session(session, _) => tab_of(&session.view),
            Recoverable::Recording(_) => None,
        }
    }

    /// Path of its sound file.
    fn source(&self) -> Option<&Path> {
        match self {
            Recoverable::Session(session, _) => session.source.as_deref(),
            Recoverable::Recording(recording) => Some(&recording.path),
        }
    }

    /// Its description for the user.
    fn left(&self, n_more: usize) -> RecoverableWork {
        let secs_ago = self.at().and_then(|at| at.elapsed().ok()).map(|age| age.as_secs_f64());
        match self {
            Recoverable::Session(session, work) => RecoverableWork {
                name: session.name.clone(),
                n_edits: session.n_edits,
                is_recording: *work == SessionContent::Recording,
                secs_ago,
                n_more,
                was_tried: self.was_tried(),
                has_fallback: session.fallback.is_some(),
            },
            Recoverable::Recording(recording) => RecoverableWork {
                name: recording.name(),
                n_edits: 0,
                is_recording: true,
                secs_ago,
                n_more,
                was_tried: false,
                has_fallback: false,
            },
        }
    }
}

/// All sessions with unsaved work, and the other sessions of the same windows.
fn find_recoverable(state: &Path) -> Vec<Recoverable> {
    let mut left = find_all_sessions(state);
    let is_recording = |session: &FoundSession| {
        let sound = session.source.as_deref().and_then(|path| SoundFolder::of(path, state));
        sound.is_some_and(|sound| sound.what() == GeneratedSound::Recording)
    };
    let recorded: Vec<PathBuf> =
        left.unedited.iter().filter(|session| is_recording(session)).map(|one| one.folder.path().into()).collect();
    let work_of = |session: &FoundSession| match recorded.iter().any(|path| path == session.folder.path()) {
        true => SessionContent::Recording,
        false => SessionContent::None,
    };
    let window_of = |session: &FoundSession| tab_of(&session.view).map(|tab| tab.window);
    let with_work =
        left.unedited.iter().filter(|session| work_of(session) == SessionContent::Recording).chain(&left.edited);
    let mut windows: Vec<u64> = with_work.filter_map(window_of).collect();
    let all = || left.edited.iter().chain(&left.unedited);
    let needed: Vec<PathBuf> = all().filter_map(|session| session.source.clone()).collect();
    let recordings = find_recordings(state, &needed);
    if !recordings.is_empty() {
        // A recording in progress has no session, hence no window: it is assigned to the window of the latest session.
        let latest = all().filter_map(|session| Some((session.at, window_of(session)?))).max();
        windows.extend(latest.map(|(_, window)| window));
    }
    left.keep_unedited(|session| {
        let is_beside_work = window_of(session).is_some_and(|window| windows.contains(&window));
        work_of(session) == SessionContent::Recording || is_beside_work
    });
    let edited = left.edited.into_iter().map(|session| Recoverable::Session(session, SessionContent::Edits));
    let unedited = left.unedited.into_iter().map(|session| {
        let work = work_of(&session);
        Recoverable::Session(session, work)
    });
    let mut found: Vec<Recoverable> =
        edited.chain(unedited).chain(recordings.into_iter().map(Recoverable::Recording)).collect();
    found.sort_by_key(|one| (!one.has_work(), std::cmp::Reverse(one.at())));
    found
}

struct Waiting {
    folder: SessionFolder,
    kind: OpenReason,
    finding: SourceSearch,
    /// Whether the user had to locate its source file; by then, the other sessions are open.
    is_late: bool,
}

struct Opening {
    kind: OpenReason,
    /// The folder of the session.
    path: PathBuf,
    is_late: bool,
    /// The session's folder, if opening it counts as a recovery trial, since it might crash the program.
    tried: Option<PathBuf>,
}

type RestoreResult = (SessionFolder, Result<Restored, SourceError>);

/// Why a session is opened.
#[derive(Debug, Clone)]
enum OpenReason {
    /// Left behind by a process that ended unexpectedly; restored under a new name.
    Recovered { name: String, fallback: Option<PathBuf>, work: SessionContent, tab: Option<SavedTab> },
    /// Handed over to a new process that continues the same work.
    Resumed,
}

impl Concern for Sessions {
    fn advance(&mut self, context: &mut Context) {
        context.closing.retain_mut(|job| job.poll().is_none());
        if let Some(((), answer)) = self.looking.take_answer() {
            self.take_found(answer.unwrap_or_default(), context);
        }
        match self.queue.take_answer() {
            Some((opening, Ok((folder, tried)))) => {
                self.take_tried(folder, tried, opening.kind, opening.is_late, context);
            }
            Some((opening, Err(error))) => self.give_up(opening.kind, &error, context),
            None => {}
        }
        self.open_next(context);
        self.follow_tabs(context);
        save::follow(context);
        self.open_files(context);
    }

    fn is_busy(&self, context: &Context) -> bool {
        self.looking.is_busy() || self.queue.is_busy() || !context.closing.is_empty()
    }
}

impl Sessions {
    /// Searches for sessions of processes that ended unexpectedly, and then opens `files`. `agreed`: `Some(true)`
    /// restores the sessions, `Some(false)` leaves them for a later start, `None` offers them to the user.
    pub fn look(&mut self, agreed: Option<bool>, files: Vec<PathBuf>, context: &Context) {
        self.begins_with_demo &= files.is_empty();
        self.files = files;
        if agreed == Some(false) {
            return;
        }
        let state = context.folders.state().to_path_buf();
        self.is_agreed = agreed == Some(true);
        let job = context.jobs.spawn("look for sessions", move |_| Ok(find_recoverable(&state)));
        self.looking.run_instead_unseen((), job);
    }

    /// Has the demo clip opened if there is nothing else to open; call before [`look`](Sessions::look).
    pub fn begin_with_demo(&mut self) {
        self.begins_with_demo = true;
    }

    /// Resumes the session in the folder `path` in place of the process that wrote it.
    pub fn resume(&mut self, path: &Path, context: &mut Context) {
        match SessionFolder::adopt(path) {
            Ok(folder) => {
                let finding = SourceSearch::default();
                self.queue.push(Waiting { folder, kind: OpenReason::Resumed, finding, is_late: false });
            }
            Err(error) => context.fail("resume the session", &error),
        }
    }

    /// After the search for sessions, opens the demo clip if there is nothing else to open; once no session is left to
    /// decide about or open, opens the files.
    fn open_files(&mut self, context: &mut Context) {
        if self.looking.is_busy() {
            return;
        }
        if std::mem::take(&mut self.begins_with_demo) {
            context.order(FileCommand::OpenDemo);
        }
        if self.found.is_empty() && !self.queue.is_busy() {
            std::mem::take(&mut self.files).into_iter().for_each(|file| context.order(FileAct::OpenFile(file)));
        }
    }

    /// Folders of sessions being resumed, and files to open, for a process that replaces this one. Excludes sessions
    /// being recovered, which that process finds itself.
    pub fn coming(&self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let opening = self.queue.running().map(|opening| (&opening.kind, opening.path.as_path()));
        let waiting = self.queue.waiting().map(|waiting| (&waiting.kind, waiting.folder.path()));
        let held = self.held.iter().map(|(folder, kind)| (kind, folder.path()));
        let all = opening.chain(waiting).chain(held);
        let resumed = all.filter(|(kind, _)| matches!(kind, OpenReason::Resumed)).map(|(_, path)| path.to_path_buf());
        (resumed.collect(), self.files.clone())
    }

    /// Performs the user's decision about the sessions found.
    pub fn answer(&mut self, answer: RecoveryAnswer, context: &mut Context) {
        match answer {
            RecoveryAnswer::Recover => self.recover(context),
            RecoveryAnswer::Fallback => {
                // The sessions are kept for the next start.
                let fallback = self.found.drain(..).next().and_then(|one| match one {
                    Recoverable::Session(session, _) => session.fallback,
                    Recoverable::Recording(recording) => Some(recording.path),
                });
                self.files.splice(0..0, fallback);
            }
            RecoveryAnswer::NotNow => self.found.clear(),
            RecoveryAnswer::Discard => {
                if !self.found.is_empty() {
                    let first = self.found.remove(0);
                    throw_away(first, context);
                }
                if !self.found.iter().any(Recoverable::has_work) {
                    // Only sessions without work are left, which are offered only together with work.
                    self.found.drain(..).for_each(|one| throw_away(one, context));
                }
                self.offer(context);
            }
        }
    }

    /// Opens a session with the source file that the user located.
    pub fn locate(&mut self, session: &Path, finding: SourceSearch) {
        if let Some(at) = self.held.iter().position(|(folder, _)| folder.path() == session) {
            let (folder, kind) = self.held.remove(at);
            self.queue.push(Waiting { folder, kind, finding, is_late: true });
        }
    }

    /// Call when the program ends. `is_requested`: the user or the system requested it; false if the display failed.
    pub fn end(&mut self, is_requested: bool, context: &mut Context) {
        // A requested end was not caused by a recovery, so trials in progress do not count as crashes. A display
        // failure may have been, so the trials stay recorded then.
        if is_requested {
            let dropped = self.queue.drop_running(|_| true).into_iter();
            dropped.filter_map(|opening| opening.tried).for_each(|path| SessionFolder::end_trial_at(&path));
        }
        save::end(context, is_requested);
    }

    fn take_found(&mut self, found: Vec<Recoverable>, context: &mut Context) {
        for one in found {
            match one {
                Recoverable::Session(session, _) if session.damage.is_some() => {
                    let aside = session.folder.set_aside();
                    context.warn(&format!("a session could not be read and was moved to {}", shown_path(&aside)));
                }
                whole => self.found.push(whole),
            }
        }
        self.begins_with_demo &= self.found.is_empty();
        if self.is_agreed {
            // A session whose recovery ended the program before is not retried without asking.
            let n_found = self.found.len();
            self.found.retain(|one| !one.was_tried());
            if self.found.len() < n_found {
                context.warn(
                    "recovering the session stopped the program before, so it was skipped; start without --recover to \
                     choose",
                );
            }
            self.recover(context);
        } else {
            self.offer(context);
        }
    }

    fn offer(&mut self, context: &mut Context) {
        let Some(first) = self.found.first() else { return };
        context.ask(Question::Recover(first.left(self.found.len() - 1)));
    }

    /// Restores all sessions found, in tab order. Those without a tab come first, oldest first.
    fn recover(&mut self, context: &mut Context) {
        let mut found = std::mem::take(&mut self.found);
        found.sort_by_key(|one| (one.tab().map(|tab| (tab.window, tab.place)), one.at()));
        if context.documents.is_empty() {
            let latest = found.iter().filter_map(|one| Some((one.at(), one.tab()?.window))).max();
            self.tabs.go_on_as(latest.map(|(_, window)| window));
        }
        let needless: Vec<bool> = (0..found.len()).map(|at| is_needless(&found, at, &context.documents)).collect();
        for (one, is_needless) in found.into_iter().zip(needless) {
            let tab = one.tab();
            match one {
                one if is_needless => throw_away(one, context),
                Recoverable::Session(FoundSession { folder, name, fallback, .. }, work) => {
                    let kind = OpenReason::Recovered { name, fallback, work, tab };
                    let finding = SourceSearch::default();
                    self.queue.push(Waiting { folder, kind, finding, is_late: false });
                }
                Recoverable::Recording(recording) => {
                    notify_recording(&recording.name(), context);
                    context.hold_sound(recording.folder);
                    self.files.insert(0, recording.path);
                }
            }
        }
    }

    fn open_next(&mut self, context: &Context) {
        let Some(Waiting { folder, kind, finding, is_late }) = self.queue.take_next() else { return };
        let room = context.room();
        let is_trial = matches!(kind, OpenReason::Recovered { .. });
        let path = folder.path().to_path_buf();
        let tried = is_trial.then(|| path.clone());
        tracing::info!("session {}", folder.path().display());
        let job = context.jobs.spawn("open a session", move |progress| {
            progress.check()?;
            if is_trial {
                // Opened only once the trial is recorded on disk; otherwise a crash would repeat at every start.
                folder.note_trial()?;
            }
            let tried = open_session(&folder, &finding, &room, progress);
            Ok((folder, tried))
        });
        self.queue.run(Opening { kind, path, is_late, tried }, job, context.now_secs());
    }

    fn take_tried(
        &mut self,
        folder: SessionFolder,
        tried: Result<Restored, SourceError>,
        kind: OpenReason,
        is_late: bool,
        context: &mut Context,
    ) {
        match tried {
            Ok(restored) => {
                let (id, tab) = show(folder, restored, kind, context);
                match tab {
                    Some(tab) if is_late => self.put_back(id, tab, &mut context.documents),
                    Some(tab) => {
                        self.places.push((id, tab));
                        self.front = self.front.filter(|(front, _)| front.rank() > tab.rank()).or(Some((tab, id)));
                    }
                    None => {}
                }
            }
            // The session has no unsaved work: it is removed, and its file, unless missing, is opened as it is now.
            Err(lost) if kind.is_without_work() => {
                context.closing.push(context.jobs.spawn("remove a session", move |_| {
                    folder.remove();
                    Ok(())
                }));
                match lost {
                    SourceError::Moved(path) => {
                        let what = format!("{} was open, too, and was not found.", name_of(&path));
                        context.notify(Severity::Warning, what, None);
                    }
                    SourceError::Changed(_) | SourceError::Failed(_) => self.open_instead(kind),
                }
            }
            Err(lost @ (SourceError::Moved(_) | SourceError::Changed(_))) => {
                // The source file is at fault rather than the session, so the trial does not count as a crash.
                folder.end_trial();
                context.ask(Question::Locate { what: Locating::Session(folder.path().to_path_buf()), lost });
                self.held.push((folder, kind));
            }
            Err(SourceError::Failed(error)) => {
                tracing::warn!(%error, "a session cannot be opened");
                let aside = folder.set_aside();
                context.warn(&format!("the session could not be read and was moved to {}", shown_path(&aside)));
                self.give_up(kind, &error, context);
            }
        }
    }

    /// Reports the failure of a session with work, and opens its last saved file instead.
    fn give_up(&mut self, kind: OpenReason, error: &Error, context: &mut Context) {
        if !kind.is_without_work() {
            context.fail("recover the session", error);
        }
        self.open_instead(kind);
    }

    fn open_instead(&mut self, kind: OpenReason) {
        if let OpenReason::Recovered { fallback: Some(path), tab, .. } = kind {
            self.expected.extend(tab.map(|tab| (path.clone(), tab)));
            self.files.push(path);
        }
    }

    /// Moves the tab of a document that was restored late back between its former neighbours.
    fn put_back(&mut self, id: u64, tab: SavedTab, documents: &mut Documents) {
        let order = |tab: &SavedTab| (tab.window, tab.place);
        let is_behind = |document: &OpenDocument| {
            self.places.iter().any(|(other, place)| *other == document.id() && order(place) > order(&tab))
        };
        let others = documents.iter().filter(|document| document.id() != id);
        let to = others.into_iter().position(is_behind).unwrap_or(documents.len());
        documents.move_to(id, to);
        self.places.push((id, tab));
    }

    /// Once all sessions are open, activates the former front tab. From then on, notes tab positions for the sessions.
    fn follow_tabs(&mut self, context: &mut Context) {
        if self.queue.is_busy() {
            return;
        }
        let documents = &mut context.documents;
        for (path, tab) in std::mem::take(&mut self.expected) {
            let is_new = |document: &&OpenDocument| document.file() == Some(&path) && document.session().tab.is_none();
            let Some(id) = documents.iter().find(is_new).map(|document| document.id()) else {
                self.expected.push((path, tab));
                continue;
            };
            self.put_back(id, tab, documents);
            if let Some(document) = documents.get_mut(id) {
                document.session_mut().tab = Some(tab);
            }
            let tabs = documents.iter().filter_map(|document| Some((document.session().tab?.rank(), document.id())));
            self.front = tabs.max().map(|(_, id)| (tab, id));
        }
        if let Some((_, id)) = self.front.take() {
            documents.activate(id);
        }
        self.tabs.note(documents);
    }
}

impl OpenReason {
    /// Whether the session has no unsaved work.
    fn is_without_work(&self) -> bool {
        matches!(self, OpenReason::Recovered { work: SessionContent::None, .. })
    }
}

/// Whether a session without work is redundant: its file is open already, or another session restores it.
fn is_needless(found: &[Recoverable], at: usize, documents: &Documents) -> bool {
    let Some(source) = found[at].source().filter(|_| !found[at].has_work()) else { return false };
    let others = found.iter().enumerate().filter(|(i, one)| *i != at && one.source() == Some(source));
    documents.iter().any(|document| document.path() == Some(source))
        || others.into_iter().any(|(i, one)| i > at || one.has_work())
}

fn throw_away(left: Recoverable, context: &mut Context) {
    let state = context.folders.state().to_path_buf();
    context.closing.push(context.jobs.spawn("remove a session", move |_| {
        remove(left, &state);
        Ok(())
    }));
}

/// Deletes a session or recording, with the sound file that the program made for it.
fn remove(left: Recoverable, state: &Path) {
    match left {
        Recoverable::Session(FoundSession { folder, source, .. }, _) => {
            folder.remove();
            if let Some(sound) = source.and_then(|path| SoundFolder::of(&path, state)) {
                sound.remove();
            }
        }
        Recoverable::Recording(recording) => recording.folder.remove(),
    }
}

fn notify_recording(name: &str, context: &mut Context) {
    let advice = Some("Export it or save it as a project to keep it.");
    context.notify(Severity::Info, format!("Recovered {name}."), advice);
}

/// Opens a restored document in front; returns its id and its former tab.
fn show(
    folder: SessionFolder,
    mut restored: Restored,
    kind: OpenReason,
    context: &mut Context,
) -> (u64, Option<SavedTab>) {
    for notice in std::mem::take(&mut restored.notices) {
        context.notify(Severity::Warning, sentence(&notice), None);
    }
    let (n_edits, tab) = (restored.history.entries().len() - 1, tab_of(&restored.desk.view));
    let project = restored.project.take().zip(restored.project_position);
    let saved_back = folder.saved_back();
    let place = match restored.damage.take() {
        None => Place::Adopted(folder),
        // The readable part goes to a new session; the damaged one is moved away, but kept.
        Some(damage) => {
            let aside = folder.set_aside();
            context.warn(&format!(
                "the session {}; the original was moved to {}",
                damage.message(),
                shown_path(&aside)
            ));
            Place::New(context.folders.state().to_path_buf())
        }
    };
    let file = match &kind {
        OpenReason::Resumed => project.as_ref().and_then(|(path, _)| ProjectFile::again(path)),
        OpenReason::Recovered { .. } => None,
    };
    let mut document = document_of(restored, file, place);
    document.note_saved_at(project.map(|(_, position)| position));
    document.session_mut().tab = tab;
    // Edits were saved over the file, so the session's source is a copy of the original; the document keeps the file's
    // path.
    if let Some(saved) = saved_back {
        document.set_path(saved.file.clone());
        document.session_mut().note_saved_back(saved);
    }
    match &kind {
        OpenReason::Recovered { name, work: SessionContent::Edits, .. } => {
            document.set_title(format!("{name} (recovered)"));
            let steps = if n_edits == 1 { "1 edit".to_owned() } else { format!("{n_edits} edits") };
            let what = format!("Recovered {name} with {steps}.");
            let advice = Some("Save it as a project to keep it.");
            context.notices.offer(context.now_secs(), Severity::Info, what, advice, FileCommand::SaveProjectAs);
        }
        OpenReason::Recovered { name, work: SessionContent::Recording, .. } => notify_recording(name, context),
        OpenReason::Recovered { work: SessionContent::None, .. } | OpenReason::Resumed => {}
    }
    let id = document.id();
    context.show(document);
    (id, tab)
}

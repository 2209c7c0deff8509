//! Sessions that a process left behind: looked for at the start, offered, and given back one after another. One that
//! fails does not keep the others from coming back.

use super::desk::document_of;
use super::keep;
use super::left::{Left, LeftAnswer};
use crate::base::{Error, shown_path};
use crate::commands::FileCommand;
use crate::context::{Concern, Context};
use crate::document::session::{
    FoundRecording, FoundSession, Lost, Place, ProjectFile, Restored, SessionFolder, SoundFolder, SourceSearch,
    look_for_sessions, look_for_sounds, open_session,
};
use crate::files::{Locating, Question};
use crate::notices::{Severity, sentence};
use crate::services::Job;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Keeps the sessions of the open documents, and gives back those that were left.
#[derive(Default)]
pub struct Sessions {
    looking: Option<Job<Vec<Found>>>,
    /// Recover without asking.
    is_agreed: bool,
    /// What was found, the newest first, until the user has said what becomes of it.
    found: Vec<Found>,
    /// Sessions to open, in this order.
    waiting: VecDeque<Waiting>,
    opening: Option<Opening>,
    /// Sessions whose sound must be located first.
    held: Vec<(SessionFolder, Kind)>,
    /// Files to open once that is settled.
    files: Vec<PathBuf>,
}

/// Work that a process left behind.
enum Found {
    Session(FoundSession),
    Recording(FoundRecording),
}

impl Found {
    fn at(&self) -> Option<SystemTime> {
        match self {
            Found::Session(session) => session.at,
            Found::Recording(recording) => recording.at,
        }
    }

    fn was_tried(&self) -> bool {
        matches!(self, Found::Session(session) if session.folder.was_tried())
    }

    /// As the user is asked about it.
    fn left(&self, n_more: usize) -> Left {
        let secs_ago = self.at().and_then(|at| at.elapsed().ok()).map(|age| age.as_secs_f64());
        match self {
            Found::Session(session) => Left {
                name: session.name.clone(),
                n_edits: session.n_edits,
                is_recording: false,
                secs_ago,
                n_more,
                was_tried: self.was_tried(),
                has_fallback: session.fallback.is_some(),
            },
            Found::Recording(recording) => Left {
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

/// Everything that was left, the newest first.
fn look_for_work(state: &Path) -> Vec<Found> {
    let sessions = look_for_sessions(state);
    let needed: Vec<PathBuf> = sessions.iter().filter_map(|session| session.source.clone()).collect();
    let recordings = look_for_sounds(state, &needed).into_iter().map(Found::Recording);
    let mut found: Vec<Found> = sessions.into_iter().map(Found::Session).chain(recordings).collect();
    found.sort_by_key(|one| std::cmp::Reverse(one.at()));
    found
}

struct Waiting {
    folder: SessionFolder,
    kind: Kind,
    finding: SourceSearch,
}

struct Opening {
    kind: Kind,
    /// The folder of the session.
    path: PathBuf,
    /// The folder, if opening it is a trial.
    tried: Option<PathBuf>,
    job: Job<Tried>,
}

type Tried = (SessionFolder, Result<Restored, Lost>);

/// Why a session is opened.
#[derive(Debug, Clone)]
enum Kind {
    /// A process left it: it is given back under a name of its own.
    Recovered { name: String, fallback: Option<PathBuf> },
    /// The same work goes on in a new process.
    Resumed,
}

impl Concern for Sessions {
    fn advance(&mut self, context: &mut Context) {
        context.closing.retain_mut(|job| job.poll().is_none());
        if let Some(answer) = self.looking.as_mut().and_then(Job::poll) {
            self.looking = None;
            self.take_found(answer.unwrap_or_default(), context);
        }
        if let Some(answer) = self.opening.as_mut().and_then(|opening| opening.job.poll())
            && let Some(opening) = self.opening.take()
        {
            match answer {
                Ok((folder, tried)) => self.take_tried(folder, tried, opening.kind, context),
                Err(error) => self.give_up(opening.kind, &error, context),
            }
        }
        self.open_next(context);
        keep::follow(context);
    }

    fn is_busy(&self, context: &Context) -> bool {
        self.looking.is_some() || self.opening.is_some() || !self.waiting.is_empty() || !context.closing.is_empty()
    }
}

impl Sessions {
    /// Looks for work that was left by a process that ended unexpectedly, and offers it (`agreed` none), gives it back
    /// (yes) or leaves it (no); then these files are opened.
    pub fn look(&mut self, agreed: Option<bool>, files: Vec<PathBuf>, context: &Context) {
        self.files = files;
        if agreed == Some(false) {
            return;
        }
        let state = context.folders.state().to_path_buf();
        self.is_agreed = agreed == Some(true);
        self.looking = Some(context.jobs.spawn("look for sessions", move |_| Ok(look_for_work(&state))));
    }

    /// Goes on in a session whose process was replaced by this one. `path` is the folder of the session.
    pub fn resume(&mut self, path: &Path, context: &mut Context) {
        match SessionFolder::adopt(path) {
            Ok(folder) => {
                self.waiting.push_back(Waiting { folder, kind: Kind::Resumed, finding: SourceSearch::default() });
            }
            Err(error) => context.fail("resume the session", &error),
        }
    }

    /// Files that were to be opened once the sessions are settled, when they are.
    pub fn take_files(&mut self) -> Vec<PathBuf> {
        let is_settled = self.looking.is_none() && self.found.is_empty() && self.waiting.is_empty();
        if is_settled && self.opening.is_none() { std::mem::take(&mut self.files) } else { Vec::new() }
    }

    /// Sessions of this work that are about to go on, and files that are opened behind them. What another process left is
    /// not among them: it is offered again.
    pub fn coming(&self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let opening = self.opening.iter().map(|opening| (&opening.kind, opening.path.as_path()));
        let waiting = self.waiting.iter().map(|waiting| (&waiting.kind, waiting.folder.path()));
        let held = self.held.iter().map(|(folder, kind)| (kind, folder.path()));
        let all = opening.chain(waiting).chain(held);
        let resumed = all.filter(|(kind, _)| matches!(kind, Kind::Resumed)).map(|(_, path)| path.to_path_buf());
        (resumed.collect(), self.files.clone())
    }

    /// What the user wants done with work that was left.
    pub fn answer(&mut self, answer: LeftAnswer, context: &mut Context) {
        match answer {
            LeftAnswer::Recover => self.recover(context),
            LeftAnswer::Fallback => {
                // The sessions stay.
                let fallback = self.found.drain(..).next().and_then(|one| match one {
                    Found::Session(session) => session.fallback,
                    Found::Recording(recording) => Some(recording.path),
                });
                self.files.splice(0..0, fallback);
            }
            LeftAnswer::NotNow => self.found.clear(),
            LeftAnswer::Discard => {
                if !self.found.is_empty() {
                    let first = self.found.remove(0);
                    let state = context.folders.state().to_path_buf();
                    context.closing.push(context.jobs.spawn("remove a session", move |_| {
                        remove(first, &state);
                        Ok(())
                    }));
                }
                self.offer(context);
            }
        }
    }

    /// The sound of a session that was asked for.
    pub fn locate(&mut self, session: &Path, finding: SourceSearch) {
        if let Some(at) = self.held.iter().position(|(folder, _)| folder.path() == session) {
            let (folder, kind) = self.held.remove(at);
            self.waiting.push_back(Waiting { folder, kind, finding });
        }
    }

    /// The program ends. `is_asked_for` says that the user or the system asked for it.
    pub fn end(&mut self, is_asked_for: bool, context: &mut Context) {
        // Whoever asks for the end, the recovery did not cause it; a window that can draw no more may well have been
        // ended by it.
        if is_asked_for && let Some(opening) = self.opening.take() {
            opening.job.progress().cancel();
            if let Some(path) = opening.tried {
                SessionFolder::end_trial_at(&path);
            }
        }
        keep::end(context, is_asked_for);
    }

    fn take_found(&mut self, found: Vec<Found>, context: &mut Context) {
        for one in found {
            match one {
                Found::Session(session) if session.damage.is_some() => {
                    let aside = session.folder.set_aside();
                    context.warn(&format!("a session could not be read and was moved to {}", shown_path(&aside)));
                }
                whole => self.found.push(whole),
            }
        }
        if self.is_agreed {
            // What ended the program once is not tried again unasked.
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
        context.ask(Question::Left(first.left(self.found.len() - 1)));
    }

    /// Gives all that was found back, the newest last, so that it comes to the front.
    fn recover(&mut self, context: &mut Context) {
        for one in self.found.drain(..).rev() {
            match one {
                Found::Session(FoundSession { folder, name, fallback, .. }) => {
                    let kind = Kind::Recovered { name, fallback };
                    self.waiting.push_back(Waiting { folder, kind, finding: SourceSearch::default() });
                }
                Found::Recording(recording) => {
                    let what = format!("Recovered {}.", recording.name());
                    let advice = Some("Export it or save it as a project to keep it.");
                    context.tell(Severity::Info, what, advice);
                    context.hold_sound(recording.folder);
                    self.files.insert(0, recording.path);
                }
            }
        }
    }

    fn open_next(&mut self, context: &Context) {
        if self.opening.is_some() {
            return;
        }
        let Some(Waiting { folder, kind, finding }) = self.waiting.pop_front() else { return };
        let room = context.room();
        let is_trial = matches!(kind, Kind::Recovered { .. });
        let path = folder.path().to_path_buf();
        let tried = is_trial.then(|| path.clone());
        tracing::info!("session {}", folder.path().display());
        let job = context.jobs.spawn("open a session", move |progress| {
            progress.check()?;
            if is_trial {
                // If that cannot be noted, it might be tried for ever.
                folder.note_trial()?;
            }
            let tried = open_session(&folder, &finding, &room, progress);
            Ok((folder, tried))
        });
        self.opening = Some(Opening { kind, path, tried, job });
    }

    fn take_tried(&mut self, folder: SessionFolder, tried: Result<Restored, Lost>, kind: Kind, context: &mut Context) {
        match tried {
            Ok(restored) => show(folder, restored, kind, context),
            Err(lost @ (Lost::Moved(_) | Lost::Changed(_))) => {
                // It is not its fault: it may be tried again.
                folder.end_trial();
                context.ask(Question::Locate { what: Locating::Session(folder.path().to_path_buf()), lost });
                self.held.push((folder, kind));
            }
            Err(Lost::Failed(error)) => {
                tracing::warn!(%error, "a session cannot be opened");
                let aside = folder.set_aside();
                context.warn(&format!("the session could not be read and was moved to {}", shown_path(&aside)));
                self.give_up(kind, &error, context);
            }
        }
    }

    /// What is left is the last save.
    fn give_up(&mut self, kind: Kind, error: &Error, context: &mut Context) {
        context.fail("recover the session", error);
        if let Kind::Recovered { fallback: Some(path), .. } = kind {
            self.files.push(path);
        }
    }
}

/// Throws work that was left away, with the sound that we had for it.
fn remove(work: Found, state: &Path) {
    match work {
        Found::Session(FoundSession { folder, source, .. }) => {
            folder.remove();
            if let Some(sound) = source.and_then(|path| SoundFolder::of(&path, state)) {
                sound.remove();
            }
        }
        Found::Recording(recording) => recording.folder.remove(),
    }
}

/// Brings a restored document to the front.
fn show(folder: SessionFolder, mut restored: Restored, kind: Kind, context: &mut Context) {
    for notice in std::mem::take(&mut restored.notices) {
        context.tell(Severity::Warning, sentence(&notice), None);
    }
    let n_edits = restored.history.entries().len() - 1;
    let project = restored.project.take().zip(restored.project_position);
    let place = match restored.damage.take() {
        None => Place::Adopted(folder),
        // What could be read begins a session of its own; the damaged one is kept.
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
        Kind::Resumed => project.as_ref().and_then(|(path, _)| ProjectFile::again(path)),
        Kind::Recovered { .. } => None,
    };
    let mut document = document_of(restored, file, place);
    document.note_saved_at(project.map(|(_, position)| position));
    if let Kind::Recovered { name, .. } = &kind {
        document.set_title(format!("{name} (recovered)"));
        let steps = if n_edits == 1 { "1 edit".to_owned() } else { format!("{n_edits} edits") };
        let what = format!("Recovered {name} with {steps}.");
        let advice = Some("Save it as a project to keep it.");
        context.notices.offer(context.now_secs(), Severity::Info, what, advice, FileCommand::SaveProjectAs);
    }
    context.show(document);
}

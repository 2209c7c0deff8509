//! Sessions that a process left behind: looked for at the start, offered, and given back one after another. One that
//! fails does not keep the others from coming back.

use super::desk::document_of;
use super::keep;
use super::left::{Left, LeftAnswer};
use crate::base::{Error, shown_path};
use crate::document::session::{
    FoundSession, Lost, Place, ProjectFile, Restored, SessionFolder, SourceSearch, look_for_sessions, open_session,
};
use crate::workbench::commands::FileCommand;
use crate::workbench::context::{Concern, Context};
use crate::workbench::files::{Locating, Question};
use crate::workbench::notices::{Severity, sentence};
use crate::workbench::services::Job;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// Keeps the sessions of the open documents, and gives back those that were left.
#[derive(Default)]
pub struct Sessions {
    looking: Option<Job<Vec<FoundSession>>>,
    /// Recover without asking.
    is_agreed: bool,
    /// What was found, the newest first, until the user has said what becomes of it.
    found: Vec<FoundSession>,
    /// Sessions to open, in this order.
    waiting: VecDeque<Waiting>,
    opening: Option<Opening>,
    /// Sessions whose sound must be located first.
    held: Vec<(SessionFolder, Kind)>,
    /// Files to open once that is settled.
    files: Vec<PathBuf>,
}

struct Waiting {
    folder: SessionFolder,
    kind: Kind,
    finding: SourceSearch,
}

struct Opening {
    kind: Kind,
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
        self.looking = Some(context.jobs.spawn("look for sessions", move |_| Ok(look_for_sessions(&state))));
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

    /// What the user wants done with work that was left.
    pub fn answer(&mut self, answer: LeftAnswer, context: &mut Context) {
        match answer {
            LeftAnswer::Recover => self.recover(),
            LeftAnswer::Fallback => {
                // The sessions stay.
                let fallback = self.found.drain(..).next().and_then(|one| one.fallback);
                self.files.splice(0..0, fallback);
            }
            LeftAnswer::NotNow => self.found.clear(),
            LeftAnswer::Discard => {
                if !self.found.is_empty() {
                    let folder = self.found.remove(0).folder;
                    context.closing.push(context.jobs.spawn("remove a session", move |_| {
                        folder.remove();
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

    fn take_found(&mut self, found: Vec<FoundSession>, context: &mut Context) {
        let (whole, damaged): (Vec<FoundSession>, Vec<FoundSession>) =
            found.into_iter().partition(|one| one.damage.is_none());
        for one in damaged {
            let aside = one.folder.set_aside();
            context.warn(&format!("a session could not be read and was moved to {}", shown_path(&aside)));
        }
        self.found = whole;
        if self.is_agreed {
            // What ended the program once is not tried again unasked.
            let n_found = self.found.len();
            self.found.retain(|one| !one.folder.was_tried());
            if self.found.len() < n_found {
                context.warn(
                    "recovering the session stopped the program before, so it was skipped; start without --recover to \
                     choose",
                );
            }
            self.recover();
        } else {
            self.offer(context);
        }
    }

    fn offer(&mut self, context: &mut Context) {
        let Some(first) = self.found.first() else { return };
        context.ask(Question::Left(Left {
            name: first.name.clone(),
            n_edits: first.n_edits,
            secs_ago: first.at.and_then(|at| at.elapsed().ok()).map(|age| age.as_secs_f64()),
            n_more: self.found.len() - 1,
            was_tried: first.folder.was_tried(),
            has_fallback: first.fallback.is_some(),
        }));
    }

    /// Gives all that was found back, the newest last, so that it comes to the front.
    fn recover(&mut self) {
        for FoundSession { folder, name, fallback, .. } in self.found.drain(..).rev() {
            let kind = Kind::Recovered { name, fallback };
            self.waiting.push_back(Waiting { folder, kind, finding: SourceSearch::default() });
        }
    }

    fn open_next(&mut self, context: &Context) {
        if self.opening.is_some() {
            return;
        }
        let Some(Waiting { folder, kind, finding }) = self.waiting.pop_front() else { return };
        let room = context.room();
        let is_trial = matches!(kind, Kind::Recovered { .. });
        let tried = is_trial.then(|| folder.path().to_path_buf());
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
        self.opening = Some(Opening { kind, tried, job });
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

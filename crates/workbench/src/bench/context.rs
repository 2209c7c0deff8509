//! State shared by the concerns of the workbench, and their common interface.

use super::acts::Act;
use super::budgets::Budgets;
use super::limits::are_finite;
use super::notices::{Notices, Severity, sentence};
use super::work::{JobStatus, OrderReport};
use crate::base::{Error, Folders};
use crate::commands::Command;
use crate::document::session::{GeneratedSound, SampleStorage, SoundFolder};
use crate::documents::{Documents, OpenDocument, limits_of};
use crate::dsp::strokes::picture::Bitmap;
use crate::engine::Engine;
use crate::files::{CopiedPicture, Question, Then};
use crate::measurements::Readout;
use crate::media::OpenOptions;
use crate::services::{Clock, Dialogs, Job, Jobs};
use crate::settings::preferences::SavedState;
use crate::settings::tools::Tools;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One part of the workbench: files, sessions, searches... It owns its jobs and queues, and changes documents through
/// the [`Context`].
pub(crate) trait Concern {
    /// Called once per frame: takes the results of its jobs and starts work that waited for them.
    fn advance(&mut self, context: &mut Context);

    /// Progress for the status line.
    fn work(&self, _context: &Context) -> Option<JobStatus> {
        None
    }

    /// Whether any work is in progress or waiting.
    fn is_busy(&self, context: &Context) -> bool;

    /// Whether its work is ordered by the user, rather than needed only for display.
    fn is_ordered(&self) -> bool {
        true
    }

    /// Handles Escape by cancelling the concern's latest work; false if there is nothing to cancel.
    fn cancel(&mut self, _context: &mut Context) -> bool {
        false
    }
}

/// An event for the owner of the workbench.
#[derive(Debug, Clone)]
pub enum BenchEvent {
    /// A question for the user, whose answer is an act.
    Ask(Question),
    /// The user located the sound of a project or session; the question can close.
    Located,
    /// Text for the system clipboard.
    Copy(String),
    /// A picture for the system clipboard: grey, 8 bits.
    CopyPicture(Arc<Bitmap>),
    /// A sound was saved back over this file.
    SavedBack(PathBuf),
    /// The file to drag out of the window.
    DragOut(PathBuf),
    /// All questions are answered: the program can end.
    Quit,
    /// A command that only the window can perform.
    Perform(Command),
    /// There was nothing that [`Act::Cancel`] could stop.
    NothingToCancel,
}

/// State shared by the concerns.
pub struct Context {
    /// The open documents.
    pub documents: Documents,
    /// The tools, shared by all documents.
    pub tools: Tools,
    /// Messages to the user.
    pub notices: Notices,
    /// State remembered between runs.
    pub remembered: SavedState,
    /// The values under the pointer.
    pub readout: Option<Readout>,
    /// The last picture copied.
    pub copied_picture: Option<CopiedPicture>,
    /// The engine that applies edits.
    pub engine: Engine,
    /// Jobs off the UI thread.
    pub jobs: Jobs,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) dialogs: Arc<dyn Dialogs>,
    pub(crate) folders: Folders,
    pub(crate) limits: Budgets,
    /// Whether sounds may be saved back over their files.
    pub saves_back: bool,
    /// Running clean-up jobs: they end or remove sessions, remove sound files, and apply new limits on undo memory.
    pub(crate) closing: Vec<Job<()>>,
    pub(crate) events: Vec<BenchEvent>,
    /// Acts that one concern has requested of another; performed before the frame ends.
    pub(crate) orders: VecDeque<Act>,
    /// Sound files created by the program, such as recordings, that no document owns yet.
    held_sounds: Vec<SoundFolder>,
    wake_after_secs: Option<f64>,
}

/// A document and the time under the pointer, stored for a command that finishes later.
#[derive(Debug, Clone, Copy)]
pub struct Pointed {
    document: u64,
    secs: f64,
}

impl Context {
    pub(crate) fn new(
        clock: Arc<dyn Clock>,
        dialogs: Arc<dyn Dialogs>,
        folders: Folders,
        jobs: Jobs,
        engine: Engine,
    ) -> Context {
        Context {
            documents: Documents::default(),
            tools: Tools::default(),
            notices: Notices::default(),
            remembered: SavedState::default(),
            readout: None,
            copied_picture: None,
            engine,
            jobs,
            clock,
            dialogs,
            folders,
            limits: Budgets::default(),
            saves_back: false,
            closing: Vec::new(),
            events: Vec::new(),
            orders: VecDeque::new(),
            held_sounds: Vec::new(),
            wake_after_secs: None,
        }
    }

    /// The current time in seconds.
    pub fn now_secs(&self) -> f64 {
        self.clock.now_secs()
    }

    /// Sends an event to the owner of the workbench.
    pub fn send(&mut self, event: BenchEvent) {
        self.events.push(event);
    }

    /// Asks the user a question.
    pub fn ask(&mut self, question: Question) {
        self.send(BenchEvent::Ask(question));
    }

    /// Queues an act for another concern; it is performed before the frame ends.
    pub fn order(&mut self, act: impl Into<Act>) {
        self.orders.push_back(act.into());
    }

    /// Shows a notice: a sentence, and advice on what to do next.
    pub fn notify(&mut self, severity: Severity, what: impl Into<String>, advice: Option<&str>) {
        self.notices.notify(self.clock.now_secs(), severity, what, advice);
    }

    /// Shows a warning, a sentence without a full stop.
    pub fn warn(&mut self, what: &str) {
        self.notify(Severity::Warning, sentence(what), None);
    }

    /// Sets the values under the pointer, clamped to the document in front; a non-finite position clears them.
    pub fn point(&mut self, readout: Option<Readout>) {
        let readout = readout.filter(|readout| are_finite(&[readout.secs, readout.hz]));
        self.readout = readout.zip(self.documents.active()).map(|(readout, document)| {
            let limits = limits_of(document.shown());
            let (secs, hz) = (readout.secs.clamp(0.0, limits.duration_secs), readout.hz.clamp(0.0, limits.nyquist_hz));
            Readout { secs, hz, ..readout }
        });
    }

    /// The pointer's current document and time, for commands that finish later.
    pub fn pointed(&self) -> Option<Pointed> {
        Some(Pointed { document: self.documents.active_id()?, secs: self.readout?.secs })
    }

    /// The stored time in seconds, if the same document is still in front.
    pub fn secs_pointed_at(&self, pointed: Option<Pointed>) -> Option<f64> {
        pointed.filter(|pointed| self.documents.active_id() == Some(pointed.document)).map(|pointed| pointed.secs)
    }

    /// Reports a failure. `operation` completes "Cannot ...".
    pub fn fail(&mut self, operation: &str, error: &Error) {
        self.notices.fail(self.clock.now_secs(), operation, error);
    }

    /// Shows the result of an order, if any.
    pub fn report(&mut self, report: Option<OrderReport>) {
        if let Some(OrderReport { is_success, what, advice }) = report {
            let severity = if is_success { Severity::Info } else { Severity::Warning };
            self.notify(severity, what, Some(advice).filter(|advice| !advice.is_empty()));
        }
    }

    /// Requests another frame after a delay, even if nothing happens until then.
    pub fn wake_after(&mut self, secs: f64) {
        self.wake_after_secs = Some(self.wake_after_secs.map_or(secs, |sooner| sooner.min(secs)));
    }

    pub(crate) fn take_wake_after(&mut self) -> Option<f64> {
        self.wake_after_secs.take()
    }

    /// Options for opening a sound within the limits.
    pub(crate) fn open_options(&self) -> OpenOptions {
        let scratch_folder = self.folders.cache().to_path_buf();
        let Budgets { source_bytes, reserve_bytes, .. } = self.limits;
        OpenOptions { memory_bytes: source_bytes, scratch_folder, reserve_bytes, space: None }
    }

    /// Memory and disk available to restored documents.
    pub(crate) fn room(&self) -> SampleStorage {
        let folder = self.folders.state().to_path_buf();
        SampleStorage { budget_bytes: self.limits.history_bytes, folder, sound: self.open_options() }
    }

    /// Keeps a sound file created by the program until its document is shown.
    pub(crate) fn hold_sound(&mut self, sound: SoundFolder) {
        self.held_sounds.push(sound);
    }

    /// Releases a sound whose document will not be shown. Removes its file if the program created it, except
    /// recordings.
    pub(crate) fn forget_sound(&mut self, path: &Path) {
        if let Some(at) = self.held_sounds.iter().position(|sound| sound.holds(path)) {
            let sound = self.held_sounds.remove(at);
            // A recording that cannot be opened now is offered again at the next start.
            if sound.what() != GeneratedSound::Recording {
                self.remove_sound(sound);
            }
        }
    }

    /// Removes a sound file that the program created and no longer needs.
    pub(crate) fn remove_sound(&mut self, sound: SoundFolder) {
        self.closing.push(self.jobs.spawn("remove a sound", move |_| {
            sound.remove();
            Ok(())
        }));
    }

    /// Adds a document in front. The document takes ownership of its sound file if the program created that file.
    pub(crate) fn show(&mut self, mut document: OpenDocument) {
        if let Some(path) = document.path().map(Path::to_path_buf) {
            let held = self.held_sounds.iter().position(|sound| sound.holds(&path));
            let sound = match held {
                Some(at) => Some(self.held_sounds.remove(at)),
                None => SoundFolder::of(&path, self.folders.state()),
            };
            if let Some(sound) = sound {
                document.session_mut().own(sound);
            }
        }
        // A failed edit of another document is no longer of interest.
        self.notices.succeed("apply the edit");
        self.readout = None;
        self.number_untitled(&mut document);
        self.documents.add(document);
        self.share_history();
    }

    /// Numbers a document without a file and title if its name is taken: *Untitled*, *Untitled 2*.
    fn number_untitled(&self, document: &mut OpenDocument) {
        let is_named = |name: &str| self.documents.iter().any(|other| other.name() == name);
        let name = document.name();
        if document.file().is_none() && document.title().is_none() && is_named(&name) {
            let numbered = (2..).map(|n| format!("{name} {n}")).find(|numbered| !is_named(numbered));
            numbered.into_iter().for_each(|numbered| document.set_title(numbered));
        }
    }

    /// Divides the memory for undo among the documents, in a job, since blocks may have to move to disk.
    pub(crate) fn share_history(&mut self) {
        let each_bytes = self.limits.history_bytes / (self.documents.len().max(1) as u64);
        let folder = self.folders.state().to_path_buf();
        for document in self.documents.iter() {
            let (original, folder) = (document.history().original().clone(), folder.clone());
            // A new document has no blocks to move.
            if document.history().entries().len() == 1 {
                original.store().limit(each_bytes, &folder);
                continue;
            }
            self.closing.push(self.jobs.spawn("history", move |_| {
                original.store().limit(each_bytes, &folder);
                Ok(())
            }));
        }
    }

    /// Withdraws all earlier consent to lose edits, since the program is not ending after all.
    pub(crate) fn keep_all(&mut self) {
        self.documents.iter_mut().for_each(|document| document.session_mut().keep());
    }

    /// Closes a document or ends the program, after a question about unsaved edits. Earlier consent to lose edits no
    /// longer counts.
    pub(crate) fn leave(&mut self, then: Then) {
        self.keep_all();
        self.unless_unsaved(then);
    }

    /// Closes or quits if no edits would be lost, else asks the user.
    pub(crate) fn unless_unsaved(&mut self, then: Then) {
        let requested = match then {
            Then::Close(id) => self.documents.get(id).filter(|document| document.would_lose_edits()),
            Then::Quit => {
                self.documents.iter().find(|document| document.would_lose_edits() && !document.session().is_discarded())
            }
        };
        match requested.map(|document| document.id()) {
            Some(id) => {
                self.documents.activate(id);
                self.ask(Question::Unsaved { document: id, then });
            }
            None => self.go_on(then),
        }
    }

    /// Closes or quits, discarding unsaved work.
    pub(crate) fn go_on(&mut self, then: Then) {
        match then {
            Then::Close(id) => self.close(id),
            Then::Quit => self.send(BenchEvent::Quit),
        }
    }

    /// Closes a document: cancels its edits in flight and removes its session.
    pub(crate) fn close(&mut self, id: u64) {
        let Some(mut document) = self.documents.close(id) else { return };
        // Keep the file of a recording that has not been read to its end.
        let is_unread = document.is_reading() && document.session().is_recording();
        let (writer, sound) = (document.session_mut().take_writer(), document.session_mut().take_sound());
        let sound = sound.filter(|_| !is_unread);
        if writer.is_some() || sound.is_some() {
            self.closing.push(self.jobs.spawn("end a session", move |_| {
                // End the session first, since it needs the sound.
                if let Some(writer) = writer {
                    writer.end();
                }
                if let Some(sound) = sound {
                    sound.remove();
                }
                Ok(())
            }));
        }
        self.readout = None;
        drop(document);
        self.share_history();
        if self.documents.is_empty() {
            crate::dsp::cells::planes::forget();
        }
    }
}

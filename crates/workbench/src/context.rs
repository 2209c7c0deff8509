//! What the concerns of the workbench share, and what they have in common.

use super::acts::Act;
use super::budgets::Budgets;
use super::commands::Command;
use super::documents::{Documents, OpenDocument, limits_of};
use super::files::{CopiedPicture, Question, Then};
use super::habits::Remembered;
use super::limits::are_finite;
use super::measuring::Readout;
use super::notices::{Notices, Severity, sentence};
use super::services::{Clock, Dialogs, Job, Jobs};
use super::tools::Tools;
use super::work::{JobStatus, Told};
use crate::base::{Error, Folders};
use crate::document::session::{OwnSound, Room, SoundFolder};
use crate::dsp::picture::Bitmap;
use crate::engine::Engine;
use crate::media::OpenOptions;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One part of the workbench: files, sessions, searches... It owns its jobs and queues, and changes documents through
/// the [`Context`].
pub(super) trait Concern {
    /// Once a frame: takes the answers of its jobs and starts what waited for them.
    fn advance(&mut self, context: &mut Context);

    /// What is in progress, for the status line.
    fn work(&self, _context: &Context) -> Option<JobStatus> {
        None
    }

    /// Whether anything is in progress or waits.
    fn is_busy(&self, context: &Context) -> bool;

    /// Whether the user ordered what it does. The others follow what is shown.
    fn is_ordered(&self) -> bool {
        true
    }

    /// Stops what the user would stop with Escape; false if there is nothing.
    fn cancel(&mut self, _context: &mut Context) -> bool {
        false
    }
}

/// What the workbench reports to its owner.
#[derive(Debug, Clone)]
pub enum BenchEvent {
    /// A question for the user, whose answer is an act.
    Ask(Question),
    /// The sound of a project or session was located: nothing more is asked about it.
    Located,
    /// A text for the clipboard of the system.
    Copy(String),
    /// A picture for the clipboard of the system: grey, 8 bits.
    CopyPicture(Arc<Bitmap>),
    /// A sound was saved back over this file.
    SavedBack(PathBuf),
    /// This file is what is dragged out of the window.
    DragOut(PathBuf),
    /// Everything was asked that had to be asked: the program ends.
    Quit,
    /// A command that only the window can perform.
    Perform(Command),
    /// There was nothing that [`Act::Cancel`] could stop.
    NothingToCancel,
}

/// What the concerns share.
pub struct Context {
    /// The open documents.
    pub documents: Documents,
    /// The tools of all documents.
    pub tools: Tools,
    /// Messages to the user.
    pub notices: Notices,
    /// What is remembered from one start to the next.
    pub remembered: Remembered,
    /// What is under the pointer.
    pub readout: Option<Readout>,
    /// The picture that was copied last.
    pub copied_picture: Option<CopiedPicture>,
    /// Applies edits.
    pub engine: Engine,
    /// Work off this thread.
    pub jobs: Jobs,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) dialogs: Arc<dyn Dialogs>,
    pub(super) folders: Folders,
    pub(super) limits: Budgets,
    /// Whether sounds may be saved back over their files.
    pub saves_back: bool,
    /// Sessions of closed documents that are being removed.
    pub(super) closing: Vec<Job<()>>,
    pub(super) events: Vec<BenchEvent>,
    /// What concerns want others to do, before the frame ends.
    pub(super) orders: VecDeque<Act>,
    /// Sounds of ours that no document has taken yet.
    held_sounds: Vec<SoundFolder>,
    wake_after_secs: Option<f64>,
}

/// A time that the pointer was at.
#[derive(Debug, Clone, Copy)]
pub struct Pointed {
    document: u64,
    secs: f64,
}

impl Context {
    pub(super) fn new(
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
            remembered: Remembered::default(),
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

    /// What time it is.
    pub fn now_secs(&self) -> f64 {
        self.clock.now_secs()
    }

    /// Reports to the owner of the workbench.
    pub fn send(&mut self, event: BenchEvent) {
        self.events.push(event);
    }

    /// Puts a question to the user.
    pub fn ask(&mut self, question: Question) {
        self.send(BenchEvent::Ask(question));
    }

    /// Has another concern do something before the frame ends.
    pub fn order(&mut self, act: impl Into<Act>) {
        self.orders.push_back(act.into());
    }

    /// A notice: a sentence, and what to do next.
    pub fn tell(&mut self, severity: Severity, what: impl Into<String>, advice: Option<&str>) {
        self.notices.tell(self.clock.now_secs(), severity, what, advice);
    }

    /// Something that the user should know; a sentence without a full stop.
    pub fn warn(&mut self, what: &str) {
        self.tell(Severity::Warning, sentence(what), None);
    }

    /// Notes what is under the pointer: a place within the document in front. One that is no number is none.
    pub fn point(&mut self, readout: Option<Readout>) {
        let readout = readout.filter(|readout| are_finite(&[readout.secs, readout.hz]));
        self.readout = readout.zip(self.documents.active()).map(|(readout, document)| {
            let limits = limits_of(document.shown());
            let (secs, hz) = (readout.secs.clamp(0.0, limits.duration_secs), readout.hz.clamp(0.0, limits.nyquist_hz));
            Readout { secs, hz, ..readout }
        });
    }

    /// Where the pointer is now, for what comes later.
    pub fn pointed(&self) -> Option<Pointed> {
        Some(Pointed { document: self.documents.active_id()?, secs: self.readout?.secs })
    }

    /// The time that was pointed at, while the same document is in front.
    pub fn secs_pointed_at(&self, pointed: Option<Pointed>) -> Option<f64> {
        pointed.filter(|pointed| self.documents.active_id() == Some(pointed.document)).map(|pointed| pointed.secs)
    }

    /// Something was not done. `doing` completes "Cannot ...".
    pub fn fail(&mut self, doing: &str, error: &Error) {
        self.notices.fail(self.clock.now_secs(), doing, error);
    }

    /// Shows the result of an order, if any.
    pub fn report(&mut self, told: Option<Told>) {
        if let Some(Told { is_success, what, advice }) = told {
            let severity = if is_success { Severity::Info } else { Severity::Warning };
            self.tell(severity, what, Some(advice).filter(|advice| !advice.is_empty()));
        }
    }

    /// Asks to be advanced again after a while, even if nothing happens until then.
    pub fn wake_after(&mut self, secs: f64) {
        self.wake_after_secs = Some(self.wake_after_secs.map_or(secs, |sooner| sooner.min(secs)));
    }

    pub(super) fn take_wake_after(&mut self) -> Option<f64> {
        self.wake_after_secs.take()
    }

    /// How a sound is opened within the limits.
    pub(super) fn open_options(&self) -> OpenOptions {
        let scratch_folder = self.folders.cache().to_path_buf();
        let Budgets { source_bytes, reserve_bytes, .. } = self.limits;
        OpenOptions { memory_bytes: source_bytes, scratch_folder, reserve_bytes, space: None }
    }

    /// Where restored documents find room.
    pub(super) fn room(&self) -> Room {
        let folder = self.folders.state().to_path_buf();
        Room { budget_bytes: self.limits.history_bytes, folder, sound: self.open_options() }
    }

    /// Holds a sound of ours until a document of it is shown.
    pub(super) fn hold_sound(&mut self, sound: SoundFolder) {
        self.held_sounds.push(sound);
    }

    /// No document of this sound will be shown: it is removed if it is one of ours that can be made again.
    pub(super) fn forget_sound(&mut self, path: &Path) {
        if let Some(at) = self.held_sounds.iter().position(|sound| sound.holds(path)) {
            let sound = self.held_sounds.remove(at);
            // A recording that cannot be opened now is offered again at the next start.
            if sound.what() != OwnSound::Recording {
                self.remove_sound(sound);
            }
        }
    }

    /// Removes a sound of ours that is not needed any more.
    pub(super) fn remove_sound(&mut self, sound: SoundFolder) {
        self.closing.push(self.jobs.spawn("remove a sound", move |_| {
            sound.remove();
            Ok(())
        }));
    }

    /// Brings a new document to the front. If its sound is a file of ours, the document owns that from now on.
    pub(super) fn show(&mut self, mut document: OpenDocument) {
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
        // What could not be done to another sound.
        self.notices.succeed("apply the edit");
        self.readout = None;
        self.number_untitled(&mut document);
        self.documents.add(document);
        self.share_history();
    }

    /// Names of documents that come from no file: *Untitled*, *Untitled 2*.
    fn number_untitled(&self, document: &mut OpenDocument) {
        let is_named = |name: &str| self.documents.iter().any(|other| other.name() == name);
        let name = document.name();
        if document.file().is_none() && document.title().is_none() && is_named(&name) {
            let numbered = (2..).map(|n| format!("{name} {n}")).find(|numbered| !is_named(numbered));
            numbered.into_iter().for_each(|numbered| document.set_title(numbered));
        }
    }

    /// The documents share what undo may take. In a job, as blocks may have to move to the disk.
    pub(super) fn share_history(&mut self) {
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

    /// The program does not end after all: no document is discarded any more.
    pub(super) fn keep_all(&mut self) {
        self.documents.iter_mut().for_each(|document| document.session_mut().keep());
    }

    /// Closes a document or ends the program, after a question about unsaved edits. What was agreed to be lost before
    /// no longer counts.
    pub(super) fn leave(&mut self, then: Then) {
        self.keep_all();
        self.unless_unsaved(then);
    }

    /// Does it, or asks about edits that would be lost.
    pub(super) fn unless_unsaved(&mut self, then: Then) {
        let asked = match then {
            Then::Close(id) => self.documents.get(id).filter(|document| document.would_lose_edits()),
            Then::Quit => {
                self.documents.iter().find(|document| document.would_lose_edits() && !document.session().is_discarded())
            }
        };
        match asked.map(|document| document.id()) {
            Some(id) => {
                self.documents.activate(id);
                self.ask(Question::Unsaved { document: id, then });
            }
            None => self.go_on(then),
        }
    }

    /// Goes on, discarding unsaved work.
    pub(super) fn go_on(&mut self, then: Then) {
        match then {
            Then::Close(id) => self.close(id),
            Then::Quit => self.send(BenchEvent::Quit),
        }
    }

    /// Closes a document: its edits in flight stop, its session is put away.
    pub(super) fn close(&mut self, id: u64) {
        let Some(mut document) = self.documents.close(id) else { return };
        // A recording that could not be read is not lost by that.
        let is_unread = document.is_reading() && document.session().is_recording();
        let (writer, sound) = (document.session_mut().take_writer(), document.session_mut().take_sound());
        let sound = sound.filter(|_| !is_unread);
        if writer.is_some() || sound.is_some() {
            self.closing.push(self.jobs.spawn("end a session", move |_| {
                // The session first: it needs the sound.
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
            crate::dsp::planes::forget();
        }
    }
}

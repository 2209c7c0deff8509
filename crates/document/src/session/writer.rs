//! The document's side of a session: passes changes to the [thread](super::worker) that writes them, without waiting.

use super::SessionState;
use super::project::ProjectFile;
use super::source::{SourceRef, hash_of};
use super::worker::{Message, Place, Request, SessionStart, SessionThread, Shared};
use crate::base::{Error, ErrorKind, Progress, Result, lock};
use crate::document::History;
use crate::media::FileStamp;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// The document's side of a session. When dropped, it leaves the session in place.
#[derive(Debug)]
pub struct SessionWriter {
    sender: Sender<Message>,
    shared: Arc<Shared>,
    /// Numbers of the steps passed to the thread, and the ids of their entries.
    handed: Vec<(u64, u64)>,
    next_serial: u64,
    position: usize,
    n_sent: u64,
    hashing: Progress,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// Work for the thread until it is started.
    waiting: Waiting,
}

/// A worker and its messages, taken by the first thread.
#[derive(Clone)]
struct Waiting(Arc<Mutex<Option<Idle>>>);

type Idle = (SessionThread, Receiver<Message>);

impl std::fmt::Debug for Waiting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waiting").finish_non_exhaustive()
    }
}

/// Handle to a session for code that does not have the document: reads the session's folder, and sends requests to its
/// thread.
#[derive(Debug, Clone)]
pub struct SessionContact {
    sender: Sender<Message>,
    shared: Arc<Shared>,
}

impl SessionContact {
    /// Requests an attempt to write all pending changes. The channel gets a message after the attempt, or disconnects
    /// if the session is gone.
    pub fn ask(&self) -> Receiver<()> {
        let (reply, answer) = channel();
        self.sender.send(Message::Flush(reply)).ok();
        answer
    }

    /// Requests the end of the session, which is no longer needed. The channel disconnects once it is gone.
    pub fn end(&self) -> Receiver<()> {
        self.sender.send(Message::End).ok();
        self.ask()
    }

    /// The session's folder; `None` before it is created.
    pub fn folder(&self) -> Option<PathBuf> {
        lock(&self.shared.folder).clone()
    }

    /// Waits until all pending changes are on disk; returns the session's folder.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) if it cannot be written.
    pub fn settled_folder(&self) -> Result<PathBuf> {
        let is_answered = self.ask().recv_timeout(SETTLE_TIMEOUT).is_ok();
        let folder = self.folder().filter(|_| is_answered && !self.shared.is_failing.load(SeqCst));
        folder.ok_or_else(|| {
            let what = "the session, which undo needs, cannot be written; free some disk space, or use Export";
            Error::new(ErrorKind::Io, what)
        })
    }

    /// Sets a new source of the sound, which is on disk on return.
    ///
    /// # Errors
    /// As [`settled_folder`](SessionContact::settled_folder).
    pub(super) fn go_on_with(&self, source: SourceRef) -> Result<()> {
        self.sender.send(Message::Source(source)).ok();
        self.settled_folder().map(drop)
    }
}

/// Maximum wait for the session to be written: longer than any disk takes.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(60);

/// A project being saved, to be awaited on another thread.
#[derive(Debug)]
pub struct Saving {
    answer: Receiver<Result<ProjectFile>>,
    progress: Progress,
}

/// Interval at which saving checks for cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(30);

impl Saving {
    /// Waits until the project is written.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io), also if the file was changed by another program or is open in another window, and
    /// [`Cancelled`](ErrorKind::Cancelled); the file is then unchanged.
    pub fn wait(self, progress: &Progress) -> Result<ProjectFile> {
        loop {
            if progress.is_cancelled() {
                self.progress.cancel();
            }
            match self.answer.recv_timeout(POLL_INTERVAL) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Timeout) => {
                    progress.step((self.progress.fraction() * 1000.0) as u64, 1000).ok();
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let what = "the session writer stopped; restart Sonobrush and recover the session";
                    return Err(Error::new(ErrorKind::Internal, what));
                }
            }
        }
    }
}

impl SessionWriter {
    /// Begins a session; `wake` is called after a write or a failure.
    pub fn start(begin: SessionStart, wake: impl Fn() + Send + 'static) -> SessionWriter {
        // The path of an existing folder is available at once, before the thread has started.
        let folder = match &begin.place {
            Place::Made(folder) | Place::Adopted(folder) => Some(folder.path().to_path_buf()),
            Place::New(_) => None,
        };
        let shared = Arc::new(Shared { folder: Mutex::new(folder), ..Shared::default() });
        let (sender, receiver) = channel();
        let n_steps = begin.history.entries().len() as u64;
        let numbered = (0..n_steps).zip(begin.history.entries());
        let handed = numbered.map(|(serial, entry)| (serial, entry.id)).collect();
        let position = begin.history.position();
        let hashing = Progress::new();
        hash_aside(begin.source.as_ref(), &sender, &hashing);
        let worker = SessionThread::new(begin, shared.clone(), Box::new(wake));
        let waiting = Waiting(Arc::new(Mutex::new(Some((worker, receiver)))));
        let thread = Mutex::default();
        let writer = SessionWriter {
            sender,
            shared,
            handed,
            next_serial: n_steps,
            position,
            n_sent: 0,
            hashing,
            thread,
            waiting,
        };
        writer.start_thread().ok();
        writer
    }

    /// Starts the thread unless it is running. After a failure, every new message retries.
    fn start_thread(&self) -> Result<()> {
        let mut thread = lock(&self.thread);
        if thread.is_some() {
            return Ok(());
        }
        let waiting = self.waiting.clone();
        let run = move || {
            let taken = lock(&waiting.0).take();
            if let Some((worker, receiver)) = taken {
                worker.run(&receiver);
            }
        };
        match std::thread::Builder::new().name("session".into()).spawn(run) {
            Ok(started) => {
                *thread = Some(started);
                Ok(())
            }
            Err(error) => {
                tracing::warn!(%error, "no thread for the session");
                let what =
                    "no thread could be started for it; close other programs, or raise the process limit (ulimit -u)";
                let error = Error::new(ErrorKind::Limit, what);
                if !self.shared.is_failing.swap(true, SeqCst) {
                    *lock(&self.shared.fault) = Some(error.clone());
                }
                Err(error)
            }
        }
    }

    /// Passes on changes of the document. Cheap without changes; never waits.
    pub fn follow(&mut self, history: &History) {
        let entries = history.entries();
        let is_same = self.handed.len() == entries.len()
            && self.handed.last().zip(entries.last()).is_some_and(|((_, mine), entry)| *mine == entry.id);
        if !is_same {
            let n_same = self.handed.iter().zip(entries).take_while(|((_, mine), entry)| *mine == entry.id);
            let n_same = n_same.count();
            self.handed.truncate(n_same);
            for (index, entry) in entries.iter().enumerate().skip(n_same) {
                let serial = self.next_serial;
                self.next_serial += 1;
                self.handed.push((serial, entry.id));
                self.send(Message::Step { index, serial, entry: Box::new(entry.clone()) });
            }
            // `Message::Step` also sets the position to that step.
            self.position = entries.len() - 1;
        }
        if self.position != history.position() {
            self.position = history.position();
            self.send(Message::Position(self.position));
        }
    }

    /// Passes on view, selection and so on.
    pub fn set_desk(&mut self, desk: SessionState) {
        self.send(Message::Desk(Box::new(desk)));
    }

    /// Sets the document's project, and the position in the history at which it was written.
    pub fn set_project(&mut self, project: Option<(PathBuf, usize)>) {
        self.send(Message::Project(project));
    }

    /// Records that a recovery succeeded.
    pub fn end_trial(&mut self) {
        self.send(Message::EndTrial);
    }

    fn send(&mut self, message: Message) {
        self.n_sent += 1;
        self.sender.send(message).ok();
        self.start_thread().ok();
    }

    /// Whether a step of the history is on disk, and so survives a crash.
    pub fn is_saved(&self, index: usize) -> bool {
        let saved = self.shared.saved.load(SeqCst);
        self.handed.get(index).is_some_and(|(serial, _)| *serial < saved)
    }

    /// Whether all changes are on disk.
    pub fn is_settled(&self) -> bool {
        self.shared.settled.load(SeqCst) > self.n_sent
    }

    /// Whether the last attempt failed.
    pub fn is_failing(&self) -> bool {
        self.shared.is_failing.load(SeqCst)
    }

    /// Reason that edits are not stored; each failure is returned once.
    pub fn take_fault(&self) -> Option<Error> {
        lock(&self.shared.fault).take()
    }

    /// Path of the session, as passed to `--session`; `None` before it is created.
    pub fn folder(&self) -> Option<PathBuf> {
        lock(&self.shared.folder).clone()
    }

    /// Access to the session without its document.
    pub fn contact(&self) -> SessionContact {
        SessionContact { sender: self.sender.clone(), shared: self.shared.clone() }
    }

    /// Begins to write the project at `path`, with all pending changes. Replaces an existing file; if it is the project
    /// opened or saved as `old`, only if that is unchanged.
    pub fn save(&self, path: &Path, is_embedded: bool, old: Option<&ProjectFile>) -> Saving {
        let (reply, answer) = channel();
        let progress = Progress::new();
        let old = old.filter(|old| old.path == path).cloned();
        match self.start_thread() {
            Ok(()) => {
                let request = Request { path: path.to_path_buf(), is_embedded, old, progress: progress.clone(), reply };
                self.sender.send(Message::Save(Box::new(request))).ok();
            }
            Err(error) => _ = reply.send(Err(error)),
        }
        Saving { answer, progress }
    }

    /// Waits for an attempt to write all pending changes; returns whether they are on disk.
    pub fn flush(&self, patience: Duration) -> bool {
        let (send, done) = channel();
        self.start_thread().is_ok()
            && self.sender.send(Message::Flush(send)).is_ok()
            && done.recv_timeout(patience).is_ok()
            && self.is_settled()
    }

    /// Ends the session, which is no longer needed, and waits until it is gone.
    pub fn end(self) {
        self.hashing.cancel();
        self.sender.send(Message::End).ok();
        let thread = lock(&self.thread).take();
        if let Some(thread) = thread {
            thread.join().ok();
        } else if let Some((worker, _)) = lock(&self.waiting.0).take()
            && let Some(Place::Made(folder) | Place::Adopted(folder)) = worker.place
        {
            folder.remove();
        }
    }
}

impl Drop for SessionWriter {
    fn drop(&mut self) {
        self.hashing.cancel();
    }
}

/// Hashes the source file on a separate thread, while the document is already in use.
fn hash_aside(source: Option<&SourceRef>, sender: &Sender<Message>, progress: &Progress) {
    let Some(SourceRef::File { path, stamp, hash: None }) = source else { return };
    let (path, stamp, sender, progress) = (path.clone(), *stamp, sender.clone(), progress.clone());
    let hash = move || {
        if let Ok(hash) = hash_of(&path, &progress)
            && FileStamp::at(&path) == Some(stamp)
        {
            sender.send(Message::Hashed(hash)).ok();
        }
    };
    if let Err(error) = std::thread::Builder::new().name("hash".into()).spawn(hash) {
        tracing::warn!(%error, "the source is hashed when a project is saved");
    }
}

//! Stores an open document in its session, on a separate thread: every edit is one transaction, on disk before it is
//! reported as saved. Reports failed writes and retries them; nothing waits for it.

use super::fill::{Frame, fill_new, of_write, write_step};
use super::folder::{SessionFolder, remove_database};
use super::project::{
    FileToEmbed, ProjectFile, copy_session, finish_project, hashed, refuse_held, write_project, write_sound,
};
use super::rows::WriteError;
use super::source::{SourceRef, hash_of};
use super::{Desk, schema};
use crate::base::{Error, ErrorKind, Progress, Result, database_error, lock, open_private_file};
use crate::document::{Entry, History};
use crate::media::FileStamp;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Initial and maximum delay between attempts.
const RETRY_FIRST: Duration = Duration::from_millis(500);
const RETRY_MOST: Duration = Duration::from_secs(4);

/// Where to store a session.
#[derive(Debug)]
pub enum Place {
    /// In a new folder in this state folder.
    New(PathBuf),
    /// In this folder, which contains nothing except perhaps a file extracted from a project.
    Made(SessionFolder),
    /// In this session, which already has the whole document, to be continued.
    Adopted(SessionFolder),
}

/// Initial contents of a session.
#[derive(Debug)]
pub struct Begin {
    /// Where to store it.
    pub place: Place,
    /// The document so far.
    pub history: History,
    /// View, selection and so on.
    pub desk: Desk,
    /// The source of the sound; `None` if it has no file.
    pub source: Option<SourceRef>,
    /// The project it was opened from, and the position in the history at that time.
    pub project: Option<(PathBuf, usize)>,
}

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

type Idle = (Worker, Receiver<Message>);

impl std::fmt::Debug for Waiting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waiting").finish_non_exhaustive()
    }
}

/// State published by the thread.
#[derive(Debug, Default)]
struct Shared {
    /// Steps up to this number are on disk.
    saved: AtomicU64,
    /// Messages up to this count are on disk.
    settled: AtomicU64,
    is_failing: AtomicBool,
    fault: Mutex<Option<Error>>,
    folder: Mutex<Option<PathBuf>>,
}

enum Message {
    Step {
        index: usize,
        serial: u64,
        entry: Box<Entry>,
    },
    Position(usize),
    Desk(Box<Desk>),
    Hashed([u8; 32]),
    /// Sets the new source of the sound.
    Source(SourceRef),
    Project(Option<(PathBuf, usize)>),
    Save(Box<Request>),
    Flush(Sender<()>),
    EndTrial,
    End,
}

struct Request {
    path: PathBuf,
    is_embedded: bool,
    old: Option<ProjectFile>,
    progress: Progress,
    reply: Sender<Result<ProjectFile>>,
}

/// Access to a session without its document: its folder, and whether its thread has answered.
#[derive(Debug, Clone)]
pub struct SessionContact {
    sender: Sender<Message>,
    shared: Arc<Shared>,
}

impl SessionContact {
    /// Requests an attempt to write all pending changes. Answers after the attempt, or disconnects if the session is
    /// gone.
    pub fn ask(&self) -> Receiver<()> {
        let (reply, answer) = channel();
        self.sender.send(Message::Flush(reply)).ok();
        answer
    }

    /// Requests the end of the session, which is no longer needed. Disconnects once it is gone.
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
        let is_answered = self.ask().recv_timeout(SETTLE_PATIENCE).is_ok();
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
const SETTLE_PATIENCE: Duration = Duration::from_secs(60);

/// A project being saved, to be awaited on another thread.
#[derive(Debug)]
pub struct Saving {
    answer: Receiver<Result<ProjectFile>>,
    progress: Progress,
}

/// Interval at which saving checks for cancellation.
const LOOK_EVERY: Duration = Duration::from_millis(30);

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
            match self.answer.recv_timeout(LOOK_EVERY) {
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
    pub fn start(begin: Begin, wake: impl Fn() + Send + 'static) -> SessionWriter {
        // An existing folder is known before the thread has started.
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
        let worker = Worker::new(begin, shared.clone(), Box::new(wake));
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

    /// Starts the thread unless it is running. After a failure every new message tries again.
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
            // A step moves the position to itself.
            self.position = entries.len() - 1;
        }
        if self.position != history.position() {
            self.position = history.position();
            self.send(Message::Position(self.position));
        }
    }

    /// Passes on view, selection and so on.
    pub fn set_desk(&mut self, desk: Desk) {
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

/// Hashes a large file while the document is already in use.
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

/// State of the thread.
struct Worker {
    shared: Arc<Shared>,
    wake: Box<dyn Fn() + Send>,
    place: Option<Place>,
    folder: Option<SessionFolder>,
    database: Option<(PathBuf, Connection)>,
    steps: Vec<(u64, Entry)>,
    /// Number of leading steps in the database; 0 before it exists.
    n_written: usize,
    frame: Frame,
    /// Whether the sound has yet to be written to a file in the session's folder, since it does not come from one.
    is_sound_wanted: bool,
    is_frame_written: bool,
    n_received: u64,
    n_failures: u32,
}

impl Worker {
    fn new(begin: Begin, shared: Arc<Shared>, wake: Box<dyn Fn() + Send>) -> Worker {
        let Begin { place, history, desk, source, project } = begin;
        let position = history.position();
        let is_sound_wanted = source.is_none();
        let (project, project_position) = project.unzip();
        let source = source.unwrap_or(SourceRef::Silence);
        let entries = history.entries().iter().cloned();
        Worker {
            shared,
            wake,
            place: Some(place),
            folder: None,
            database: None,
            steps: (0..).zip(entries).collect(),
            n_written: 0,
            frame: Frame { source, desk, position, project, project_position },
            is_sound_wanted,
            is_frame_written: false,
            n_received: 0,
            n_failures: 0,
        }
    }

    fn run(mut self, receiver: &Receiver<Message>) {
        let mut is_connected = true;
        loop {
            let tried = self.sync();
            self.note(&tried);
            if !is_connected {
                return;
            }
            let first = match &tried {
                Ok(()) => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Err(_) => receiver.recv_timeout(self.pause()),
            };
            match first {
                Ok(message) => {
                    let mut next = Some(message);
                    while let Some(message) = next.take() {
                        if self.take(message) {
                            return;
                        }
                        next = receiver.try_recv().ok();
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => is_connected = false,
            }
        }
    }

    fn pause(&self) -> Duration {
        (RETRY_FIRST * 2u32.saturating_pow(self.n_failures.min(8))).min(RETRY_MOST)
    }

    /// Handles a message; returns true for the last.
    fn take(&mut self, message: Message) -> bool {
        match message {
            Message::Step { index, serial, entry } => {
                self.steps.truncate(index);
                self.n_written = self.n_written.min(index);
                self.frame.position = index;
                self.frame.project_position = self.frame.project_position.filter(|&position| position < index);
                self.steps.push((serial, *entry));
            }
            Message::Position(position) => self.frame.position = position,
            Message::Desk(desk) => self.frame.desk = *desk,
            Message::Hashed(hash) => {
                self.frame.source = self.frame.source.clone().with_hash(hash);
                self.is_frame_written = false;
                return false;
            }
            Message::Source(source) => {
                let hash = source.hash().or(self.frame.source.hash());
                self.frame.source = hash.map_or(source.clone(), |hash| source.with_hash(hash));
                self.is_frame_written = false;
                return false;
            }
            Message::Project(project) => (self.frame.project, self.frame.project_position) = project.unzip(),
            Message::Save(request) => {
                self.note_sync();
                let answer = self.save(&request);
                request.reply.send(answer).ok();
                return false;
            }
            Message::Flush(reply) => {
                self.note_sync();
                reply.send(()).ok();
                return false;
            }
            Message::EndTrial => self.folder.iter().for_each(SessionFolder::end_trial),
            Message::End => {
                self.database = None;
                if let Some(folder) = self.folder.take() {
                    folder.remove();
                }
                return true;
            }
        }
        self.n_received += 1;
        self.is_frame_written = false;
        false
    }

    fn note_sync(&mut self) {
        let tried = self.sync();
        self.note(&tried);
    }

    /// Records the result of an attempt, and publishes the first error after a success.
    fn note(&mut self, tried: &Result<()>) {
        let was_failing = self.shared.is_failing.swap(tried.is_err(), SeqCst);
        match tried {
            Ok(()) => {
                self.n_failures = 0;
                self.shared.settled.store(self.n_received + 1, SeqCst);
            }
            Err(error) => {
                self.n_failures += 1;
                tracing::warn!(%error, "the session cannot be written");
                if !was_failing {
                    *lock(&self.shared.fault) = Some(error.clone());
                }
                // A disk that failed once may say of what it has lost that it is there; a new file cannot.
                if self.n_failures > 1 && self.database.take().is_some() {
                    self.n_written = 0;
                }
            }
        }
        (self.wake)();
    }

    /// Abandons a session that was deleted in the meantime, for example by a cleanup tool, so that it is written again:
    /// an unlinked file disappears with the process.
    fn leave_removed(&mut self) {
        if let Some(folder) = self.folder.take_if(|folder| !folder.is_in_place()) {
            let state = folder.path().parent().and_then(Path::parent).unwrap_or(Path::new("."));
            tracing::warn!("a session was removed, and begins again: {}", folder.path().display());
            self.place = Some(Place::New(state.to_path_buf()));
            self.database = None;
        }
        if let Some((path, connection)) = self.database.take_if(|(path, _)| !path.exists()) {
            drop(connection);
            // Its log would be taken for a part of the next one.
            remove_database(&path);
        }
        if self.database.is_none() {
            self.n_written = 0;
            self.is_frame_written = false;
        }
    }

    /// Writes all pending changes.
    fn sync(&mut self) -> Result<()> {
        self.leave_removed();
        self.prepare()?;
        let Some((path, connection)) = &self.database else { return Ok(()) };
        let told = |error: rusqlite::Error| database_error(&error, "written", path);
        while self.n_written < self.steps.len() {
            let id = self.n_written;
            let (serial, entry) = &self.steps[id];
            let transaction = connection.unchecked_transaction().map_err(told)?;
            let write = || -> std::result::Result<(), WriteError> {
                if let Some((_, before)) = id.checked_sub(1).and_then(|before| self.steps.get(before)) {
                    write_step(connection, id, before, entry)?;
                }
                Ok(self.frame.head(&self.steps[0].1, id).write(connection)?)
            };
            write().map_err(|error| of_write(error, path))?;
            transaction.commit().map_err(told)?;
            self.n_written += 1;
            self.shared.saved.store(serial + 1, SeqCst);
            (self.wake)();
        }
        if !self.is_frame_written {
            let transaction = connection.unchecked_transaction().map_err(told)?;
            self.frame.head(&self.steps[0].1, self.steps.len() - 1).write(connection).map_err(told)?;
            transaction.commit().map_err(told)?;
            self.is_frame_written = true;
        }
        if let Some(folder) = &self.folder {
            folder.remove_others(path);
        }
        Ok(())
    }

    /// Creates folder and database if needed.
    fn prepare(&mut self) -> Result<()> {
        match self.place.take() {
            Some(Place::New(state)) => match SessionFolder::create(&state) {
                Ok(folder) => self.folder = Some(folder),
                Err(error) => {
                    self.place = Some(Place::New(state));
                    return Err(error);
                }
            },
            Some(Place::Made(folder)) => self.folder = Some(folder),
            Some(Place::Adopted(folder)) => {
                if let Some(path) = folder.databases().into_iter().next() {
                    self.database = schema::open_own_session(&path).ok().map(|connection| (path, connection));
                }
                // If it could not be opened, or is of an earlier version, all of it is written again.
                if let (Some(_), Some((serial, _))) = (&self.database, self.steps.last()) {
                    self.n_written = self.steps.len();
                    self.shared.saved.store(serial + 1, SeqCst);
                }
                self.folder = Some(folder);
            }
            None => {}
        }
        let Some(folder) = &self.folder else { return Ok(()) };
        *lock(&self.shared.folder) = Some(folder.path().to_path_buf());
        if self.frame.source.is_embedded() && !folder.source_file().exists() {
            // The folder that it was taken out into is gone with the session before.
            self.is_sound_wanted = true;
        }
        if self.is_sound_wanted
            && let Some((_, original)) = self.steps.first()
        {
            let file = folder.source_file();
            // What replaces it keeps its permissions.
            drop(open_private_file(&file).map_err(|error| Error::io(&error, "written", &file))?);
            write_sound(&original.snapshot, &file)?;
            let hash = hash_of(&file, &Progress::new())?;
            let stamp = FileStamp::at(&file).unwrap_or(FileStamp { n_bytes: 0, modified_ns: 0 });
            self.frame.source = SourceRef::Embedded { path: "sound.wav".into(), stamp, hash: Some(hash) };
            self.is_sound_wanted = false;
        }
        if self.database.is_none() {
            let path = folder.next_database();
            let connection = schema::open_session_to_write(&path)?;
            let told = |error: rusqlite::Error| database_error(&error, "written", &path);
            let transaction = connection.unchecked_transaction().map_err(told)?;
            schema::create(&connection).map_err(told)?;
            self.frame.desk.optional.write(&connection).map_err(told)?;
            transaction.commit().map_err(told)?;
            self.database = Some((path, connection));
            self.n_written = 0;
        }
        Ok(())
    }

    /// The file of the sound, if any.
    fn source_file(&self) -> Option<PathBuf> {
        match &self.frame.source {
            SourceRef::Silence => None,
            SourceRef::File { path, .. } => Some(path.clone()),
            SourceRef::Embedded { .. } => self.folder.as_ref().map(SessionFolder::source_file),
        }
    }

    fn save(&mut self, request: &Request) -> Result<ProjectFile> {
        let Request { path, is_embedded, old, progress, .. } = request;
        match old {
            Some(old) => old.check_unchanged()?,
            None => refuse_held(path)?,
        }
        if self.steps[0].1.snapshot.source().is_file_at(path) {
            return Err(Error::new(ErrorKind::Io, "is the source file; choose another name for the project").at(path));
        }
        let is_embedded = *is_embedded || self.frame.source.is_embedded();
        // What is contained is hashed on its way in.
        let source = if is_embedded { self.frame.source.clone() } else { hashed(self.frame.source.clone(), progress)? };
        let file = match is_embedded {
            true => FileToEmbed::of(&self.steps[0].1.snapshot, self.source_file().as_deref(), &source)?,
            false => FileToEmbed::default(),
        };
        let frame = Frame { source: source.clone(), ..self.frame.clone() };
        let entries: Vec<Entry> = self.steps.iter().map(|(_, entry)| entry.clone()).collect();
        let is_in_session = self.n_written == self.steps.len();
        let project = write_project(path, old.is_some(), progress, |half| {
            // A session that cannot be written, its disk being full perhaps, is no reason not to save elsewhere.
            let connection = match self.database.as_ref().filter(|_| is_in_session) {
                Some((_, session)) => copy_session(session, half, progress)?,
                None => fill_new(half, &entries, &frame, progress)?,
            };
            finish_project(&connection, &entries, frame.clone(), file.path(), half, progress)
        })?;
        if !is_embedded {
            self.frame.source = source;
        }
        (self.frame.project, self.frame.project_position) = (Some(path.clone()), Some(self.frame.position));
        self.is_frame_written = false;
        Ok(project)
    }
}

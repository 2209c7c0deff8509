//! The thread of a session: every edit is one transaction, on disk before it is reported as saved. Retries failed
//! writes.

use super::fill::{Frame, fill_new, of_write, write_step};
use super::folder::{SessionFolder, remove_database};
use super::project::{
    FileToEmbed, ProjectFile, copy_session, finish_project, hashed, refuse_held, write_project, write_sound,
};
use super::rows::WriteError;
use super::source::{SourceRef, hash_of};
use super::{SessionState, schema};
use crate::base::{Error, ErrorKind, Progress, Result, database_error, lock, open_private_file};
use crate::document::{Entry, History};
use crate::media::FileStamp;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Initial and maximum delay between attempts.
const RETRY_FIRST: Duration = Duration::from_millis(500);
const RETRY_MAX: Duration = Duration::from_secs(4);

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
pub struct SessionStart {
    /// Where to store it.
    pub place: Place,
    /// The document so far.
    pub history: History,
    /// View, selection and so on.
    pub desk: SessionState,
    /// The source of the sound; `None` if it has no file.
    pub source: Option<SourceRef>,
    /// The project it was opened from, and the position in the history at that time.
    pub project: Option<(PathBuf, usize)>,
}

/// State published by the thread.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Steps with serial numbers below this are on disk.
    pub saved: AtomicU64,
    /// 1 plus the number of messages with changes that are on disk; 0 before the first successful write.
    pub settled: AtomicU64,
    pub is_failing: AtomicBool,
    pub fault: Mutex<Option<Error>>,
    pub folder: Mutex<Option<PathBuf>>,
}

/// Changes and requests for the thread.
pub(super) enum Message {
    Step {
        index: usize,
        serial: u64,
        entry: Box<Entry>,
    },
    Position(usize),
    Desk(Box<SessionState>),
    Hashed([u8; 32]),
    /// Sets the new source of the sound.
    Source(SourceRef),
    Project(Option<(PathBuf, usize)>),
    Save(Box<Request>),
    Flush(Sender<()>),
    EndTrial,
    End,
}

/// A project to write.
pub(super) struct Request {
    pub path: PathBuf,
    pub is_embedded: bool,
    pub old: Option<ProjectFile>,
    pub progress: Progress,
    pub reply: Sender<Result<ProjectFile>>,
}

/// State of the thread.
pub(super) struct SessionThread {
    shared: Arc<Shared>,
    wake: Box<dyn Fn() + Send>,
    pub place: Option<Place>,
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

impl SessionThread {
    pub fn new(begin: SessionStart, shared: Arc<Shared>, wake: Box<dyn Fn() + Send>) -> SessionThread {
        let SessionStart { place, history, desk, source, project } = begin;
        let position = history.position();
        let is_sound_wanted = source.is_none();
        let (project, project_position) = project.unzip();
        let source = source.unwrap_or(SourceRef::Silence);
        let entries = history.entries().iter().cloned();
        SessionThread {
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

    pub fn run(mut self, receiver: &Receiver<Message>) {
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
        (RETRY_FIRST * 2u32.saturating_pow(self.n_failures.min(8))).min(RETRY_MAX)
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
                // After a write error, a disk may report lost pages as written. A new file avoids relying on them.
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
            // Otherwise SQLite would take its log for that of the next database.
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
        let to_error = |error: rusqlite::Error| database_error(&error, "written", path);
        while self.n_written < self.steps.len() {
            let id = self.n_written;
            let (serial, entry) = &self.steps[id];
            let transaction = connection.unchecked_transaction().map_err(to_error)?;
            let write = || -> std::result::Result<(), WriteError> {
                if let Some((_, before)) = id.checked_sub(1).and_then(|before| self.steps.get(before)) {
                    write_step(connection, id, before, entry)?;
                }
                Ok(self.frame.head(&self.steps[0].1, id).write(connection)?)
            };
            write().map_err(|error| of_write(error, path))?;
            transaction.commit().map_err(to_error)?;
            self.n_written += 1;
            self.shared.saved.store(serial + 1, SeqCst);
            (self.wake)();
        }
        if !self.is_frame_written {
            let transaction = connection.unchecked_transaction().map_err(to_error)?;
            self.frame.head(&self.steps[0].1, self.steps.len() - 1).write(connection).map_err(to_error)?;
            transaction.commit().map_err(to_error)?;
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
            // The extracted file was deleted along with the previous session's folder.
            self.is_sound_wanted = true;
        }
        if self.is_sound_wanted
            && let Some((_, original)) = self.steps.first()
        {
            let file = folder.source_file();
            // The replacement keeps the permissions of the file.
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
            let to_error = |error: rusqlite::Error| database_error(&error, "written", &path);
            let transaction = connection.unchecked_transaction().map_err(to_error)?;
            schema::create(&connection).map_err(to_error)?;
            self.frame.desk.optional.write(&connection).map_err(to_error)?;
            transaction.commit().map_err(to_error)?;
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
        // An embedded file is hashed while it is copied into the project.
        let source = if is_embedded { self.frame.source.clone() } else { hashed(self.frame.source.clone(), progress)? };
        let file = match is_embedded {
            true => FileToEmbed::of(&self.steps[0].1.snapshot, self.source_file().as_deref(), &source)?,
            false => FileToEmbed::default(),
        };
        let frame = Frame { source: source.clone(), ..self.frame.clone() };
        let entries: Vec<Entry> = self.steps.iter().map(|(_, entry)| entry.clone()).collect();
        let is_in_session = self.n_written == self.steps.len();
        let project = write_project(path, old.is_some(), progress, |half| {
            // A session that cannot be written, such as on a full disk, must not prevent saving elsewhere.
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

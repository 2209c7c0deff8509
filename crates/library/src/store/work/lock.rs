//! The lock that lets one process at a time work on the queue.

use crate::base::{Error, ErrorKind, Progress, Result, open_private_file, open_regular, read_small_file, write_at};
use crate::library::file_work::{FileLock, is_locked, try_lock};
use crate::store::database::foreign::refuse_foreign;
use crate::store::database::place::LibraryPlace;
use crate::store::database::side_files::{LOCK_MARK, is_lock, process_of_lock, refuse_foreign_files};
use std::fs::File;
use std::time::Duration;

/// Retry interval for a lock held by another process.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// The right to work on the queue, held until it is dropped.
#[derive(Debug)]
pub struct LibraryLock {
    _file: File,
}

impl LibraryLock {
    /// Takes the lock; `None` if another process holds it.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io); if the file at the path of the database, or one beside it, is not a file of a library.
    pub fn try_take(place: &LibraryPlace) -> Result<Option<LibraryLock>> {
        // Before any file beside it is opened.
        refuse_foreign(place)?;
        place.create_folder()?;
        place.check_writable()?;
        refuse_foreign_files(place)?;
        let path = place.lock_file();
        let io = |error: std::io::Error| Error::io(&error, "written", &path);
        let file = open_private_file(&path).map_err(io)?;
        match try_lock(&file) {
            FileLock::Held => return Ok(None),
            // SQLite's own locks still keep the database consistent.
            FileLock::Missing(error) => tracing::warn!(%error, "the library is not locked"),
            FileLock::Taken => {}
        }
        // In one write, so that another process that checks meanwhile recognises the lock.
        let text = [LOCK_MARK, std::process::id().to_string().as_bytes()].concat();
        write_at(&file, &text, 0).map_err(io)?;
        file.set_len(text.len() as u64).map_err(io)?;
        Ok(Some(LibraryLock { _file: file }))
    }

    /// Takes the lock as soon as no other process holds it. If it has to wait, first calls `waiting` with the
    /// [holder](LibraryLock::holder).
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io); cancelled.
    pub fn take(place: &LibraryPlace, waiting: &mut dyn FnMut(&str), progress: &Progress) -> Result<LibraryLock> {
        let mut has_reported = false;
        loop {
            if let Some(lock) = LibraryLock::try_take(place)? {
                return Ok(lock);
            }
            if !has_reported {
                waiting(&LibraryLock::holder(place));
                has_reported = true;
            }
            progress.check()?;
            std::thread::sleep(RETRY_INTERVAL);
        }
    }

    /// The process that holds the lock, for messages: `process 4711`.
    pub fn holder(place: &LibraryPlace) -> String {
        let text = read_small_file(&place.lock_file(), 64).unwrap_or_default();
        let number = process_of_lock(&text);
        number.map_or_else(|| "another process".to_owned(), |number| format!("process {number}"))
    }

    /// Whether a process currently holds the lock.
    pub fn is_held(place: &LibraryPlace) -> bool {
        let file = open_regular(&place.lock_file());
        file.is_ok_and(|(file, _)| is_lock(&file) && is_locked(&file))
    }

    /// The error if another process holds it.
    pub fn refusal(place: &LibraryPlace) -> Error {
        let sentence = format!("is being written by {}; wait for it to end", LibraryLock::holder(place));
        Error::new(ErrorKind::Io, sentence).at(place.database())
    }
}

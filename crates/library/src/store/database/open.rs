//! Opens the library's database.

use super::foreign::{ForeignFile, foreign};
use super::place::LibraryPlace;
use super::schema::{FORMAT, fill_in, migrate};
use super::side_files::{refuse_finished_library, refuse_foreign_files};
use crate::base::{
    Error, ErrorKind, FileId, Result, WriteMode, database_error, database_head, file_id, open_existing_database,
    open_immutable_database, open_new_private_file, open_private_database, read_head, shown_path, sync_folder,
};
use crate::store::clock::{now_ns, stamp_for_name};
use crate::store::work::lock::LibraryLock;
use rusqlite::Connection;
use rusqlite::limits::Limit;
use std::path::Path;
use std::time::Duration;

/// Maximum time that a writer waits for another connection.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum depth of deletions by foreign keys.
const MAX_CASCADES: i32 = 4;
/// Maximum number of cached statements: all those run for each file.
const MAX_CACHED_STATEMENTS: usize = 64;
/// Maximum length of a value: the words of a sound of twelve days.
pub const MAX_VALUE_BYTES: i32 = 32 << 20;
/// Maximum length of a folder's path in bytes.
const MAX_PATH_BYTES: i64 = 1 << 16;

const NO_LIBRARY: &str = "does not exist yet; add a folder of sounds with sonobrush library add FOLDER";

/// The open library database.
#[derive(Debug)]
pub struct LibraryStore {
    connection: Connection,
    place: LibraryPlace,
    /// Whether only the database file is read, since it and its folder are read-only.
    is_immutable: bool,
    /// The file being written; `None` when reading, or if files have no ids.
    written: Option<FileId>,
}

impl LibraryStore {
    /// Opens the library for writing while its lock is held, and creates it if it does not exist. A damaged one is set
    /// aside, with a notice.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for a newer version; if it is another program's database;
    /// [`Io`](ErrorKind::Io).
    pub fn open_to_write(place: &LibraryPlace, _lock: &LibraryLock, notices: &mut Vec<String>) -> Result<LibraryStore> {
        place.create_folder()?;
        if check_head(place, notices)? {
            match LibraryStore::open_checked(place, "NORMAL") {
                Err(error) if error.kind() == ErrorKind::Malformed => set_aside(place, &error, notices)?,
                opened => return opened,
            }
        }
        create(place)?;
        LibraryStore::open_checked(place, "NORMAL")
    }

    /// Opens an existing library for an edit by the user. Unlike with [`open_to_write`](LibraryStore::open_to_write),
    /// each commit is synced to disk before it returns.
    ///
    /// # Errors
    /// As [`open_to_write`](LibraryStore::open_to_write); if there is no library yet, or it is read-only.
    pub fn open_to_edit(place: &LibraryPlace) -> Result<LibraryStore> {
        refuse_absent(place)?;
        place.check_writable()?;
        LibraryStore::open_checked(place, "FULL").map_err(|error| with_remedy(place, error))
    }

    /// Opens an existing library for reading. It and its folder may be read-only.
    ///
    /// # Errors
    /// If there is no library yet, it has a newer version, is damaged (with advice), or is read-only with a log that
    /// cannot be read.
    pub fn open_to_read(place: &LibraryPlace) -> Result<LibraryStore> {
        refuse_absent(place)?;
        let open = || {
            let (ours, is_immutable) = open_for_reading(place)?;
            let OpenLibrary { connection, version } = ours;
            connection.set_prepared_statement_cache_capacity(MAX_CACHED_STATEMENTS);
            let store = LibraryStore { connection, place: place.clone(), is_immutable, written: None };
            store.read_as_this_version(version).map_err(|error| store.unread(&error))?;
            Ok(store)
        };
        open().map_err(|error| with_remedy(place, error))
    }

    fn open_checked(place: &LibraryPlace, synchronous: &'static str) -> Result<LibraryStore> {
        let path = place.database();
        // Checked before anything is written to it.
        let OpenLibrary { version, .. } = open_ours(place)?;
        let written = id_at(path);
        let connection = FORMAT.open_to_write(path, mode(synchronous))?;
        // Deleting a folder deletes its files, which deletes their jobs.
        let prepared = bound_values(&connection)
            .and_then(|()| connection.pragma_update(None, "foreign_keys", true))
            .and_then(|()| connection.set_limit(Limit::SQLITE_LIMIT_TRIGGER_DEPTH, MAX_CASCADES).map(drop));
        prepared.map_err(|error| database_error(&error, "written", path))?;
        connection.set_prepared_statement_cache_capacity(MAX_CACHED_STATEMENTS);
        let store = LibraryStore { connection, place: place.clone(), is_immutable: false, written };
        // The opened file must be the one checked above, and still in place.
        store.check_in_place()?;
        if version < FORMAT.version {
            store.migrate()?;
        }
        Ok(store)
    }

    /// Migrates a library of an older version to this one, in one transaction.
    fn migrate(&self) -> Result<()> {
        self.in_transaction(|connection| {
            // Another process may have migrated it meanwhile.
            let version = FORMAT.check_layout(connection).map_err(|error| error.at(self.place.database()))?;
            if version == FORMAT.version {
                return Ok(());
            }
            tracing::info!(from = version, to = FORMAT.version, "a library of an older version gets new columns");
            migrate(connection, version).map_err(|error| self.unwritten(&error))
        })
    }

    /// Makes the connection read-only. Columns that an older version lacks read as NULL.
    fn read_as_this_version(&self, version: u32) -> rusqlite::Result<()> {
        if version < FORMAT.version {
            self.connection.pragma_update(None, "query_only", false)?;
            fill_in(&self.connection, version)?;
        }
        self.connection.pragma_update(None, "query_only", true)
    }

    /// The connection.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Location of the library.
    pub fn place(&self) -> &LibraryPlace {
        &self.place
    }

    /// A read error as a sentence.
    pub(crate) fn unread(&self, error: &rusqlite::Error) -> Error {
        if self.is_immutable && self.place.has_log() {
            let sentence = "was written by another process while it was read; run the command again";
            return Error::new(ErrorKind::Io, sentence).at(self.place.database());
        }
        with_remedy(&self.place, store_error(error, "read", &self.place))
    }

    /// A write error as a sentence.
    pub(crate) fn unwritten(&self, error: &rusqlite::Error) -> Error {
        with_remedy(&self.place, store_error(error, "written", &self.place))
    }

    /// Runs work in one transaction, which is committed if the work succeeds and rolled back otherwise.
    ///
    /// # Errors
    /// Errors of the work and of SQLite.
    pub(crate) fn in_transaction<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let io = |error: rusqlite::Error| self.unwritten(&error);
        self.connection.execute_batch("BEGIN IMMEDIATE").map_err(io)?;
        let done = self.check_in_place().and_then(|()| work(&self.connection)).and_then(|done| {
            self.connection.execute_batch("COMMIT").map_err(io)?;
            Ok(done)
        });
        if done.is_err() {
            // It may have been rolled back already, as after a full disk.
            self.connection.execute_batch("ROLLBACK").ok();
        }
        let done = done?;
        self.check_in_place()?;
        Ok(done)
    }

    /// Checks that the open file is still the library, since writes to a removed or moved one would be lost.
    ///
    /// # Errors
    /// [`SourceChanged`](ErrorKind::SourceChanged).
    pub fn check_in_place(&self) -> Result<()> {
        let path = self.place.database();
        match self.written {
            Some(written) if id_at(path) != Some(written) => {
                let sentence = "was removed or replaced by another program while it was written, and what was done \
                                since is lost; run the same command again";
                Err(Error::new(ErrorKind::SourceChanged, sentence).at(path))
            }
            _ => Ok(()),
        }
    }
}

fn id_at(path: &Path) -> Option<FileId> {
    std::fs::metadata(path).ok().and_then(|found| file_id(&found))
}

/// A connection for reading, and whether it reads only the database file. SQLite normally reads through the write-ahead
/// log beside the file, and creates a missing log. If the library is read-only, the log is absent or empty and no
/// process is writing, the database file alone is complete.
fn open_for_reading(place: &LibraryPlace) -> Result<(OpenLibrary, bool)> {
    let is_writable = place.check_writable().is_ok();
    if is_writable || place.has_log() {
        match open_ours(place) {
            Err(error) if !is_writable && error.kind() == ErrorKind::Io => check_log_is_empty(place)?,
            opened => return opened.map(|ours| (ours, false)),
        }
    }
    if LibraryLock::is_held(place) {
        return Err(LibraryLock::refusal(place));
    }
    let connection = open_immutable_database(place.database())?;
    checked(connection, place).map(|ours| (ours, true))
}

/// Refuses a log with content, which is part of the library: without it the database may be inconsistent.
fn check_log_is_empty(place: &LibraryPlace) -> Result<()> {
    let log = place.beside("-wal");
    if std::fs::metadata(&log).is_ok_and(|found| found.len() == 0) {
        return Ok(());
    }
    let sentence = format!(
        "has changes in {} that cannot be read while it is read-only; copy both files to a folder that can be written",
        shown_path(&log)
    );
    Err(Error::new(ErrorKind::Io, sentence).at(place.database()))
}

/// A library whose tables have a version known to this program.
struct OpenLibrary {
    connection: Connection,
    version: u32,
}

/// Opens an existing library and checks its tables.
fn open_ours(place: &LibraryPlace) -> Result<OpenLibrary> {
    checked(open_existing_database(place.database(), TIMEOUT)?, place)
}

/// Returns a connection once its tables have been checked.
fn checked(connection: Connection, place: &LibraryPlace) -> Result<OpenLibrary> {
    // A locked or unreadable database is not damaged.
    let requested: rusqlite::Result<i64> =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0));
    requested.map_err(|error| store_error(&error, "read", place))?;
    let version = FORMAT.check_layout(&connection).map_err(|error| error.at(place.database()))?;
    bound_values(&connection).map_err(|error| store_error(&error, "read", place))?;
    // Limited, since the path of a folder is read again with each of its files.
    let longest = "SELECT coalesce(max(length(path)), 0) FROM folder";
    let longest: i64 =
        connection.query_row(longest, [], |row| row.get(0)).map_err(|error| store_error(&error, "read", place))?;
    if longest > MAX_PATH_BYTES {
        let sentence = "is damaged: the path of a folder is longer than any can be";
        return Err(Error::new(ErrorKind::Malformed, sentence).at(place.database()));
    }
    Ok(OpenLibrary { connection, version })
}

/// Limits the size of values, since a few are held in memory for each row read.
fn bound_values(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES).map(drop)
}

/// Creates a library under a temporary name and moves it into place, so that a library in place is always complete.
fn create(place: &LibraryPlace) -> Result<()> {
    let path = place.database();
    let new = place.new_database();
    let io = |error: std::io::Error| Error::io(&error, "created", path);
    refuse_foreign_files(place)?;
    refuse_finished_library(place)?;
    set_logs_aside(place)?;
    match std::fs::remove_file(&new) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(io(error)),
        _ => {}
    }
    // Created here, since SQLite gives its own files beside it the same permissions.
    let file = open_new_private_file(&new).map_err(io)?;
    let connection = open_private_database(&new)?;
    FORMAT.create(&connection).map_err(|error| database_error(&error, "created", path))?;
    drop(connection);
    file.sync_all().map_err(io)?;
    std::fs::rename(&new, path).map_err(io)?;
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => sync_folder(folder).map_err(io),
        _ => Ok(()),
    }
}

/// First bytes of SQLite's files beside a database: its log, the log's index, which has no fixed header, and its
/// journal.
const LOG_HEADS: [(&str, &[&[u8]]); 3] = [
    ("-wal", &[&[0x37, 0x7f, 0x06, 0x82], &[0x37, 0x7f, 0x06, 0x83], &[0; 4]]),
    ("-shm", &[&[0x18, 0xe2, 0x2d, 0x00], &[0x00, 0x2d, 0xe2, 0x18], &[0; 4]]),
    ("-journal", &[&[0xd9, 0xd5, 0x05, 0xf9], &[0; 4]]),
];

/// Renames logs left behind by a removed library, adding the date, since SQLite would apply them to the new one.
///
/// # Errors
/// [`Io`](ErrorKind::Io), also if a file with such a name was not written by SQLite.
fn set_logs_aside(place: &LibraryPlace) -> Result<()> {
    let aside = format!(".damaged-{}", stamp_for_name(now_ns()));
    for (ending, heads) in LOG_HEADS {
        let log = place.beside(ending);
        if std::fs::symlink_metadata(&log).is_err() {
            continue;
        }
        let head = read_head(&log, 4)?;
        if !head.is_empty() && !heads.contains(&&head[..]) {
            let sentence = "is no file of Sonobrush, and SQLite keeps a log of the library under that name; move it, or \
                            choose another path for the library";
            return Err(Error::new(ErrorKind::Io, sentence).at(&log));
        }
        let to = place.beside(&format!("{aside}{ending}"));
        std::fs::rename(&log, to).map_err(|error| Error::io(&error, "moved", &log))?;
    }
    Ok(())
}

fn mode(synchronous: &'static str) -> WriteMode {
    WriteMode { synchronous, patience: TIMEOUT }
}

fn store_error(error: &rusqlite::Error, verb: &str, place: &LibraryPlace) -> Error {
    let code = error.sqlite_error_code();
    let store_error = database_error(error, verb, place.database());
    let is_damage = matches!(code, Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase));
    if is_damage { Error::new(ErrorKind::Malformed, store_error.message()).at(place.database()) } else { store_error }
}

/// The error of a damaged library, with advice.
fn with_remedy(place: &LibraryPlace, error: Error) -> Error {
    if error.kind() != ErrorKind::Malformed || error.message().contains(';') {
        return error;
    }
    let sentence = format!("{}; run sonobrush library verify --repair", error.message());
    Error::new(ErrorKind::Malformed, sentence).at(place.database())
}

fn refuse_absent(place: &LibraryPlace) -> Result<()> {
    let path = place.database();
    match std::fs::metadata(path) {
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::new(ErrorKind::Io, NO_LIBRARY).at(path));
        }
        Err(error) => return Err(Error::io(&error, "read", path)),
    }
    let head = database_head(path)?;
    if head.is_empty() {
        return Err(Error::new(ErrorKind::Io, NO_LIBRARY).at(path));
    }
    if !FORMAT.is_head(&head) {
        return Err(foreign(place, &head).error);
    }
    Ok(())
}

/// Whether there is a library to open, by its first bytes. In the state folder, which belongs to the program, anything
/// else is set aside.
fn check_head(place: &LibraryPlace, notices: &mut Vec<String>) -> Result<bool> {
    let path = place.database();
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(Error::io(&error, "read", path)),
        Ok(_) => {}
    }
    let head = database_head(path)?;
    if FORMAT.is_head(&head) || head.is_empty() {
        return Ok(!head.is_empty());
    }
    let ForeignFile { error, is_damaged } = foreign(place, &head);
    if !is_damaged {
        return Err(error);
    }
    set_aside(place, &error, notices)?;
    Ok(false)
}

/// Renames a damaged library and SQLite's files beside it, adding the date.
pub(in crate::store) fn set_aside(place: &LibraryPlace, why: &Error, notices: &mut Vec<String>) -> Result<()> {
    // A new library is created next, which must be possible.
    refuse_finished_library(place)?;
    let stamp = stamp_for_name(now_ns());
    let aside = place.beside(&format!(".damaged-{stamp}"));
    for ending in ["", "-wal", "-shm"] {
        let mut to = aside.as_os_str().to_owned();
        to.push(ending);
        match std::fs::rename(place.beside(ending), to) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            renamed => renamed.map_err(|error| Error::io(&error, "moved", place.database()))?,
        }
    }
    let what = why.message().split(';').next().unwrap_or_default();
    notices.push(format!("the library {what}; it was moved to {}; the new one is empty", shown_path(&aside)));
    Ok(())
}

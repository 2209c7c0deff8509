//! SQLite databases: hardened ways to open them, and readable errors.

use super::error::DISK_IS_FULL;
use super::files::small_file::open_regular;
use super::platform::is_deleted;
use super::{Error, ErrorKind, Result, file_id, lock, path_bytes, read_at, read_head};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};
use std::fs::File;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

/// Maximum length of a text or blob, enough for a script that pastes minutes of sound.
pub const MAX_TEXT_BYTES: usize = 256 << 20;
/// SQL condition for tables and indexes that a later version may add without changing the layout of this one.
pub const OPTIONAL_TABLES: &str =
    "tbl_name LIKE 'opt\\_%' ESCAPE '\\' AND (sql IS NULL OR sql NOT LIKE 'CREATE VIRTUAL%')";
/// Number of bytes at the start of a database file that identify its format.
pub const DATABASE_HEAD_BYTES: usize = 100;

/// Databases whose heads were read, kept open until the file is deleted: see [`database_head`].
static OPEN_DATABASES: Mutex<Vec<File>> = Mutex::new(Vec::new());

/// A database format of this program.
#[derive(Debug, Clone, Copy)]
pub struct DatabaseFormat {
    /// The application id in its header.
    pub application_id: i32,
    /// The version of the tables that this program writes.
    pub version: u32,
    /// The SQL declarations of a version; `None` if this program cannot read that version.
    pub tables_of: fn(u32) -> Option<String>,
    /// Page size in bytes.
    pub page_bytes: u32,
    /// Whether free pages are released when rows are deleted.
    pub is_vacuumed: bool,
    /// Noun for messages: `project`.
    pub name: &'static str,
}

/// Options for opening a database for writing.
#[derive(Debug, Clone, Copy)]
pub struct WriteMode {
    /// `FULL`: a commit is on disk before it is reported; `NORMAL`: a power cut may lose the last commits.
    pub synchronous: &'static str,
    /// Maximum time that a writer waits for another connection.
    pub patience: Duration,
}

impl DatabaseFormat {
    /// Creates the tables in a new and empty database.
    ///
    /// # Errors
    /// SQLite's error.
    pub fn create(&self, connection: &Connection) -> rusqlite::Result<()> {
        self.prepare_pages(connection)?;
        connection.pragma_update(None, "application_id", self.application_id)?;
        connection.pragma_update(None, "user_version", self.version)?;
        connection.execute_batch(&(self.tables_of)(self.version).unwrap_or_default())
    }

    /// Sets the page size and the vacuum mode. Call it before creating the first table.
    fn prepare_pages(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection.pragma_update(None, "page_size", self.page_bytes)?;
        if self.is_vacuumed {
            connection.pragma_update(None, "auto_vacuum", "FULL")?;
        }
        Ok(())
    }

    /// Opens a database that only this program writes, in write-ahead mode; creates it if it does not exist.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io), [`DiskFull`](ErrorKind::DiskFull).
    pub fn open_to_write(&self, path: &Path, mode: WriteMode) -> Result<Connection> {
        let to_error = |error: rusqlite::Error| database_error(&error, "written", path);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(to_error)?;
        let prepare = || {
            connection.busy_timeout(mode.patience)?;
            self.prepare_pages(&connection)?;
            connection.pragma_update(None, "journal_mode", "WAL")?;
            connection.pragma_update(None, "synchronous", mode.synchronous)?;
            connection.pragma_update(None, "temp_store", "MEMORY")?;
            harden_database(&connection)
        };
        prepare().map_err(to_error)?;
        Ok(connection)
    }

    /// Opens a file that this process did not write. It is checked before SQLite opens it; nothing beside it is read,
    /// and nothing in it is trusted. Returns the connection and the version of the file's tables.
    ///
    /// # Errors
    /// If the file is not a database of this format, has a newer version, or has other tables.
    pub fn open_untrusted(&self, path: &Path) -> Result<(Connection, u32)> {
        self.look(path)?;
        let to_error = |error: rusqlite::Error| match error {
            rusqlite::Error::SqliteFailure(failure, _) if failure.code == rusqlite::ErrorCode::SystemIoFailure => {
                database_error(&error, "read", path)
            }
            error => {
                tracing::warn!(%error, "a database");
                damaged("its tables cannot be read").at(path)
            }
        };
        let connection = connect_immutable(path).map_err(to_error)?;
        let version = self.check_layout(&connection).map_err(|error| error.at(path))?;
        Ok((connection, version))
    }

    /// Whether a file's first bytes are those of a database of this format.
    pub fn is_head(&self, head: &[u8]) -> bool {
        head.starts_with(b"SQLite format 3\0") && head.get(68..72) == Some(&self.application_id.to_be_bytes())
    }

    fn look(&self, path: &Path) -> Result<()> {
        if self.is_head(&read_head(path, DATABASE_HEAD_BYTES)?) {
            return Ok(());
        }
        let sentence = format!("is not a Sonobrush {}, or its header is damaged", self.name);
        Err(Error::new(ErrorKind::Malformed, sentence).at(path))
    }

    /// The version, if the application id matches and the declarations of the tables match except for spaces.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for a newer version, [`Malformed`](ErrorKind::Malformed) for any other
    /// difference.
    pub fn check_layout(&self, connection: &Connection) -> Result<u32> {
        // Reads version and tables in one transaction, since another process may be changing both.
        connection.execute_batch("SAVEPOINT layout").map_err(unreadable)?;
        let version = self.version_of(connection);
        connection.execute_batch("RELEASE layout").map_err(unreadable)?;
        version
    }

    fn version_of(&self, connection: &Connection) -> Result<u32> {
        let owner: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(unreadable)?;
        if owner != self.application_id {
            return Err(damaged("it was not made by Sonobrush"));
        }
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(unreadable)?;
        if version > i64::from(self.version) {
            let what = format!(
                "was made by a newer Sonobrush (format {version}; this one reads {}); update Sonobrush",
                self.version
            );
            return Err(Error::new(ErrorKind::Unsupported, what));
        }
        let tables = u32::try_from(version).ok().and_then(self.tables_of);
        let tables = tables.ok_or_else(|| damaged("its version is invalid"))?;
        let expected = Connection::open_in_memory()
            .and_then(|connection| {
                connection.execute_batch(&tables)?;
                layout_of(&connection)
            })
            .map_err(unreadable)?;
        if layout_of(connection).map_err(unreadable)? != expected {
            return Err(damaged(&format!("its tables are not those of a {}", self.name)));
        }
        Ok(version as u32)
    }
}

/// Opens a temporary file that no other program reads and that is discarded on any failure: no journal, and no fsync
/// until its creator calls it.
///
/// # Errors
/// [`Io`](ErrorKind::Io).
pub fn open_private_database(path: &Path) -> Result<Connection> {
    let to_error = |error: rusqlite::Error| database_error(&error, "written", path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(to_error)?;
    let prepare = || {
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        connection.pragma_update(None, "journal_mode", "OFF")?;
        connection.pragma_update(None, "synchronous", "OFF")?;
        connection.pragma_update(None, "temp_store", "MEMORY")
    };
    prepare().map_err(to_error)?;
    Ok(connection)
}

/// Opens an existing database with its log, without checking its tables.
///
/// # Errors
/// [`Io`](ErrorKind::Io), also if it is not a regular file.
pub fn open_existing_database(path: &Path, patience: Duration) -> Result<Connection> {
    check_is_file(path)?;
    let to_error = |error: rusqlite::Error| database_error(&error, "read", path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(to_error)?;
    let prepare = || {
        connection.busy_timeout(patience)?;
        harden_database(&connection)
    };
    prepare().map_err(to_error)?;
    Ok(connection)
}

/// Opens a database that no process is writing, from its main file alone and without checking its tables. Creates
/// nothing beside it.
///
/// # Errors
/// [`Io`](ErrorKind::Io).
pub fn open_immutable_database(path: &Path) -> Result<Connection> {
    check_is_file(path)?;
    connect_immutable(path).map_err(|error| database_error(&error, "read", path))
}

/// Opens a connection that ignores any journal or log beside the file.
fn connect_immutable(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(uri_of(path, "mode=ro&immutable=1"), flags)?;
    connection.pragma_update(None, "query_only", true)?;
    harden_database(&connection)?;
    Ok(connection)
}

/// The first [`DATABASE_HEAD_BYTES`] of a database that this process may have open, or all of a shorter file.
///
/// Where locks belong to processes, closing a file drops all locks that SQLite holds on it for any connection of this
/// process. Another process could then assume that it is the last to close the database, and delete the log while it is
/// still being written. So the file stays open.
///
/// # Errors
/// [`Io`](ErrorKind::Io) if it cannot be read or is not a regular file.
pub fn database_head(path: &Path) -> Result<Vec<u8>> {
    let io = |error: std::io::Error| Error::io(&error, "read", path);
    let id = file_id(&check_is_file(path)?);
    let mut looked_at = lock(&OPEN_DATABASES);
    looked_at.retain(|file| file.metadata().is_ok_and(|found| !is_deleted(&found)));
    let is_it = |file: &&File| id.is_some() && file.metadata().is_ok_and(|found| file_id(&found) == id);
    if let Some(file) = looked_at.iter().find(is_it) {
        return head_of(file).map_err(io);
    }
    let (file, _) = open_regular(path)?;
    let head = head_of(&file).map_err(io);
    // Systems without file ids (all but Unix) tie locks to file handles, so closing this one releases no other lock.
    if id.is_some() {
        looked_at.push(file);
    }
    head
}

fn head_of(file: &File) -> std::io::Result<Vec<u8>> {
    let n_bytes = file.metadata()?.len().min(DATABASE_HEAD_BYTES as u64);
    let mut head = vec![0; n_bytes as usize];
    read_at(file, &mut head, 0)?;
    Ok(head)
}

/// Checks that a path is a regular file.
fn check_is_file(path: &Path) -> Result<std::fs::Metadata> {
    let found = std::fs::metadata(path).map_err(|error| Error::io(&error, "read", path))?;
    match found.is_file() {
        true => Ok(found),
        false => Err(Error::new(ErrorKind::Io, "is not a regular file").at(path)),
    }
}

/// A readable error for a failure of SQLite; `verb` completes "could not be ...".
pub fn database_error(error: &rusqlite::Error, verb: &str, path: &Path) -> Error {
    let reason = match error {
        rusqlite::Error::SqliteFailure(failure, _) => match failure.code {
            rusqlite::ErrorCode::DiskFull => DISK_IS_FULL,
            rusqlite::ErrorCode::ReadOnly => "permission to write was denied",
            rusqlite::ErrorCode::CannotOpen => "its folder cannot be opened",
            // Includes exceeded quotas and file size limits.
            rusqlite::ErrorCode::SystemIoFailure if failure.extended_code == rusqlite::ffi::SQLITE_IOERR_WRITE => {
                "the disk takes no more of it; free some space, or choose another disk"
            }
            rusqlite::ErrorCode::SystemIoFailure => "the disk reported an error",
            rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked => "another program is using it",
            rusqlite::ErrorCode::TooBig => "it exceeds a size limit",
            rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase => "it is damaged",
            rusqlite::ErrorCode::OutOfMemory => "there is not enough memory",
            rusqlite::ErrorCode::PermissionDenied | rusqlite::ErrorCode::AuthorizationForStatementDenied => {
                "permission was denied"
            }
            rusqlite::ErrorCode::OperationInterrupted | rusqlite::ErrorCode::OperationAborted => "it was interrupted",
            rusqlite::ErrorCode::ConstraintViolation => "its rows contradict each other, so it is damaged",
            // Such as a missing table.
            _ => "its tables are not as they were made, so it is damaged",
        },
        rusqlite::Error::QueryReturnedNoRows => "something that it names is missing, so it is damaged",
        _ => "a value in it is of another kind than it was made, so it is damaged",
    };
    tracing::debug!(%error, "a database");
    let is_full =
        matches!(error, rusqlite::Error::SqliteFailure(failure, _) if failure.code == rusqlite::ErrorCode::DiskFull);
    let kind = if is_full { ErrorKind::DiskFull } else { ErrorKind::Io };
    Error::new(kind, format!("could not be {verb}: {reason}")).at(path)
}

fn unreadable(error: rusqlite::Error) -> Error {
    tracing::warn!(%error, "a database");
    damaged("its tables cannot be read")
}

fn damaged(what: &str) -> Error {
    Error::new(ErrorKind::Malformed, format!("is damaged: {what}"))
}

/// Distrusts the schema, disables triggers and views, and sets limits far above our own use and far below anything
/// harmful.
///
/// # Errors
/// SQLite's error.
pub fn harden_database(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    for (limit, max) in [
        (Limit::SQLITE_LIMIT_LENGTH, MAX_TEXT_BYTES as i32),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, 100_000),
        (Limit::SQLITE_LIMIT_COLUMN, 100),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 30),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 5),
        (Limit::SQLITE_LIMIT_VDBE_OP, 25_000),
        (Limit::SQLITE_LIMIT_FUNCTION_ARG, 8),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50),
        (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 100),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, max)?;
    }
    Ok(())
}

/// A path as a SQLite URI; all but unreserved characters are percent-encoded.
fn uri_of(path: &Path, options: &str) -> String {
    let mut uri = String::from("file:");
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    for &byte in path_bytes(&absolute).iter() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    format!("{uri}?{options}")
}

/// Type, name and SQL of every declaration, with single spaces; at most 64, more than our formats have.
fn layout_of(connection: &Connection) -> rusqlite::Result<Vec<[Option<String>; 3]>> {
    let mut statement = connection.prepare(&format!(
        "SELECT type, name, sql FROM sqlite_schema WHERE NOT (type IN ('table', 'index') AND {OPTIONAL_TABLES}) \
         ORDER BY type, name LIMIT 64"
    ))?;
    let spaced = |text: String| text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let rows = statement.query_map([], |row| {
        let text: Option<String> = row.get(2)?;
        Ok([row.get(0)?, row.get(1)?, text.map(spaced)])
    })?;
    rows.collect()
}

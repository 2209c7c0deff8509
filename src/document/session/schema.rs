//! The tables, their version, and the ways into a database file.

use super::{damaged, sqlite_error};
use crate::base::{Error, ErrorKind, Result, read_head};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// `SnBr`, where a database says whose it is.
const APPLICATION_ID: i32 = 0x536e_4272;
/// The layout that is written.
pub const VERSION: u32 = 1;
/// A block of samples goes into one page and a bit.
const PAGE_BYTES: u32 = 16_384;
/// The longest text: a script that pastes minutes of sound.
pub const MOST_TEXT_BYTES: usize = 256 << 20;

/// Tables of this version. `seal` is a hash over the other columns, and over what the row counts.
const TABLES: &str = "
CREATE TABLE session (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  source_kind TEXT NOT NULL,
  source_path BLOB,
  source_bytes INTEGER NOT NULL,
  source_modified_ns INTEGER NOT NULL,
  source_hash BLOB,
  n_samples INTEGER NOT NULL,
  sample_rate_hz INTEGER NOT NULL,
  n_channels INTEGER NOT NULL,
  n_edits INTEGER NOT NULL,
  position INTEGER NOT NULL,
  n_markers INTEGER NOT NULL,
  transform TEXT NOT NULL,
  view TEXT NOT NULL,
  selection TEXT,
  project_path BLOB,
  project_position INTEGER,
  seal BLOB NOT NULL
) STRICT;
CREATE TABLE edits (
  id INTEGER PRIMARY KEY,
  script TEXT NOT NULL,
  consistency_db REAL,
  n_samples INTEGER NOT NULL,
  n_blocks INTEGER NOT NULL,
  seal BLOB NOT NULL
) STRICT;
CREATE TABLE blocks (
  id INTEGER PRIMARY KEY,
  edit INTEGER NOT NULL,
  channel INTEGER NOT NULL,
  place INTEGER NOT NULL,
  changed BLOB NOT NULL,
  samples BLOB NOT NULL,
  seal BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX blocks_by_edit ON blocks (edit, channel, place);
CREATE TABLE markers (
  id INTEGER PRIMARY KEY,
  secs REAL NOT NULL,
  end_secs REAL,
  name TEXT NOT NULL,
  seal BLOB NOT NULL
) STRICT;
CREATE TABLE source_parts (
  id INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL
) STRICT;
";

/// Makes the tables in a new and empty database.
pub fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    // What is undone and replaced leaves nothing behind.
    connection.pragma_update(None, "auto_vacuum", "FULL")?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", VERSION)?;
    connection.execute_batch(TABLES)
}

/// How long a writer waits for another connection.
const PATIENCE: Duration = Duration::from_secs(5);

/// A session's database, new or of this process: write-ahead, every commit on the disk before it is reported.
pub fn open_session_to_write(path: &Path) -> Result<Connection> {
    let told = |error: rusqlite::Error| sqlite_error(&error, "written", path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(told)?;
    let prepare = || {
        connection.busy_timeout(PATIENCE)?;
        // Before the first table is made.
        connection.pragma_update(None, "page_size", PAGE_BYTES)?;
        connection.pragma_update(None, "auto_vacuum", "FULL")?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        harden(&connection)
    };
    prepare().map_err(told)?;
    Ok(connection)
}

/// A file of ours that no other program can be looking at, and that is thrown away if anything fails: no journal, and
/// no fsync before the one that its maker does.
pub fn open_private(path: &Path) -> Result<Connection> {
    let told = |error: rusqlite::Error| sqlite_error(&error, "written", path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(told)?;
    let prepare = || {
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        connection.pragma_update(None, "journal_mode", "OFF")?;
        connection.pragma_update(None, "synchronous", "OFF")?;
        connection.pragma_update(None, "temp_store", "MEMORY")
    };
    prepare().map_err(told)?;
    Ok(connection)
}

/// A file that was not written by this process: it is looked at before SQLite is, nothing beside it is read, and nothing
/// in it is trusted. Its version comes with it.
///
/// # Errors
/// One sentence: no database of ours, a newer version, a layout that is not ours.
pub fn open_untrusted(path: &Path) -> Result<(Connection, u32)> {
    look(path)?;
    let told = |error: rusqlite::Error| match error {
        rusqlite::Error::SqliteFailure(failure, _) if failure.code == rusqlite::ErrorCode::SystemIoFailure => {
            sqlite_error(&error, "read", path)
        }
        error => {
            tracing::warn!(%error, "a database");
            damaged("its tables cannot be read").at(path)
        }
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    // Immutable: neither a journal nor a log that someone put beside it is looked at.
    let connection = Connection::open_with_flags(uri_of(path, "mode=ro&immutable=1"), flags).map_err(told)?;
    let prepare = || {
        connection.pragma_update(None, "query_only", true)?;
        harden(&connection)
    };
    prepare().map_err(told)?;
    let version = check_layout(&connection).map_err(|error| error.at(path))?;
    Ok((connection, version))
}

/// The database of a session whose process is gone; its log is taken in. We hold the folder's lock.
pub fn open_left_session(path: &Path) -> Result<(Connection, u32)> {
    let connection = open_left(path)?;
    let version = check_layout(&connection).map_err(|error| error.at(path))?;
    Ok((connection, version))
}

/// Whether a session's process ended before anything was in it.
pub fn is_blank(path: &Path) -> bool {
    let count = |text: &str| -> Option<i64> { open_left(path).ok()?.query_row(text, [], |row| row.get(0)).ok() };
    count("SELECT count(*) FROM sqlite_schema") == Some(0) || count("SELECT count(*) FROM session") == Some(0)
}

fn open_left(path: &Path) -> Result<Connection> {
    // What is there may not be a file at all.
    read_head(path, HEAD_BYTES)?;
    let told = |error: rusqlite::Error| sqlite_error(&error, "read", path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(told)?;
    let prepare = || {
        connection.busy_timeout(PATIENCE)?;
        harden(&connection)
    };
    prepare().map_err(told)?;
    Ok(connection)
}

/// Limits far above what is ours and far below what could hurt.
fn harden(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "mmap_size", 0)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, MOST_TEXT_BYTES as i32),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, 100_000),
        (Limit::SQLITE_LIMIT_COLUMN, 100),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 30),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 5),
        (Limit::SQLITE_LIMIT_VDBE_OP, 25_000),
        (Limit::SQLITE_LIMIT_FUNCTION_ARG, 8),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50),
        (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 50),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, most)?;
    }
    Ok(())
}

/// Bytes at the start of a database that say what it is.
pub const HEAD_BYTES: usize = 100;

/// Whether the first bytes of a file are those of a database of ours.
pub fn has_our_head(head: &[u8]) -> bool {
    head.starts_with(b"SQLite format 3\0") && head.get(68..72) == Some(&APPLICATION_ID.to_be_bytes())
}

fn look(path: &Path) -> Result<()> {
    if has_our_head(&read_head(path, HEAD_BYTES)?) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Malformed, "is not a Sonobrush project, or its header is damaged").at(path))
}

/// A path as SQLite's addresses have it: all but plain signs by their bytes.
fn uri_of(path: &Path, options: &str) -> String {
    let mut uri = String::from("file:");
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    for &byte in super::source::bytes_of(&absolute).iter() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    format!("{uri}?{options}")
}

/// Version and tables as they are expected, to the letter.
fn check_layout(connection: &Connection) -> Result<u32> {
    let unreadable = |error: rusqlite::Error| {
        tracing::warn!(%error, "a database");
        damaged("its tables cannot be read")
    };
    let owner: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(unreadable)?;
    if owner != APPLICATION_ID {
        return Err(damaged("it was not made by Sonobrush"));
    }
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(unreadable)?;
    if version > i64::from(VERSION) {
        let what =
            format!("was made by a newer Sonobrush (format {version}; this one reads {VERSION}); update Sonobrush");
        return Err(Error::new(ErrorKind::Unsupported, what));
    }
    let tables = tables_of(u32::try_from(version).unwrap_or(0)).ok_or_else(|| damaged("its version is invalid"))?;
    let expected = Connection::open_in_memory()
        .and_then(|connection| {
            connection.execute_batch(tables)?;
            layout_of(&connection)
        })
        .map_err(unreadable)?;
    if layout_of(connection).map_err(unreadable)? != expected {
        return Err(damaged("its tables are not those of a project"));
    }
    Ok(version as u32)
}

/// The tables of a version that is read.
fn tables_of(version: u32) -> Option<&'static str> {
    match version {
        VERSION => Some(TABLES),
        _ => None,
    }
}

/// Kind, name and text of everything that is declared; more than is ours is cut off.
fn layout_of(connection: &Connection) -> rusqlite::Result<Vec<[Option<String>; 3]>> {
    let mut statement = connection.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name LIMIT 32")?;
    let rows = statement.query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))?;
    rows.collect()
}

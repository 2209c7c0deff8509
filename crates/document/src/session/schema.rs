//! The tables, their version, and opening database files.

use crate::base::{
    DATABASE_HEAD_BYTES, DatabaseFormat, Error, Result, WriteMode, open_existing_database, open_private_database,
    open_private_file, read_head,
};
use rusqlite::Connection;
use std::path::Path;
use std::time::Duration;

/// Version that is written.
pub const VERSION: u32 = 2;

/// The format of databases; the application id is `SnBr`. A page has the size of a full block of samples. Pages freed
/// by undone and replaced steps are released.
const FORMAT: DatabaseFormat = DatabaseFormat {
    application_id: 0x536e_4272,
    version: VERSION,
    tables_of,
    page_bytes: 16_384,
    is_vacuumed: true,
    name: "project",
};

/// Tables of this version. `seal` is a hash over the other columns; that of an edit also covers the seals of its blocks
/// and pieces. There may also be tables whose names begin with `opt_`: they belong to later versions, and are
/// preserved.
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
  n_labels INTEGER NOT NULL,
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
CREATE TABLE pieces (
  edit INTEGER PRIMARY KEY,
  first INTEGER NOT NULL,
  n_removed INTEGER NOT NULL,
  list BLOB NOT NULL,
  seal BLOB NOT NULL
) STRICT;
CREATE TABLE blocks (
  id INTEGER PRIMARY KEY,
  edit INTEGER NOT NULL,
  layer INTEGER NOT NULL,
  channel INTEGER NOT NULL,
  place INTEGER NOT NULL,
  changed BLOB NOT NULL,
  samples BLOB NOT NULL,
  seal BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX blocks_by_edit ON blocks (edit, layer, channel, place);
CREATE TABLE labels (
  id INTEGER PRIMARY KEY,
  start_secs REAL NOT NULL,
  end_secs REAL NOT NULL,
  low_hz REAL,
  high_hz REAL,
  text TEXT NOT NULL,
  confidence REAL,
  channel INTEGER,
  colour INTEGER,
  columns TEXT,
  seal BLOB NOT NULL
) STRICT;
CREATE TABLE grid (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  bpm REAL NOT NULL,
  beats INTEGER NOT NULL,
  first_secs REAL NOT NULL,
  seal BLOB NOT NULL
) STRICT;
CREATE TABLE source_parts (
  id INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL
) STRICT;
";

/// Tables of version 1, in which a sound could only become longer.
const TABLES_1: &str = "
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

/// Creates the tables in a new and empty database.
pub fn create(connection: &Connection) -> rusqlite::Result<()> {
    FORMAT.create(connection)
}

/// Maximum time that a writer waits for another connection.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Opens the database of a session that this process has created or taken over, with a write-ahead log. Every commit is
/// on disk before it is reported.
pub fn open_session_to_write(path: &Path) -> Result<Connection> {
    // SQLite's own files beside it get the same permissions.
    drop(open_private_file(path).map_err(|error| Error::io(&error, "written", path))?);
    FORMAT.open_to_write(path, WriteMode { synchronous: "FULL", patience: TIMEOUT })
}

/// Opens a session of this program's version to resume it, with its log merged.
///
/// # Errors
/// [`Unsupported`](crate::base::ErrorKind::Unsupported) if it has another version.
pub fn open_own_session(path: &Path) -> Result<Connection> {
    let (_, version) = open_left_session(path)?;
    if version != VERSION {
        return Err(Error::new(crate::base::ErrorKind::Unsupported, "is of an earlier version").at(path));
    }
    open_session_to_write(path)
}

/// Opens a file that no other program can have open, and that is discarded on any failure.
pub fn open_private(path: &Path) -> Result<Connection> {
    open_private_database(path)
}

/// Opens a project, which is untrusted, and returns its version.
///
/// # Errors
/// One sentence, if it is not our database, has a newer version, or an unknown layout.
pub fn open_untrusted(path: &Path) -> Result<(Connection, u32)> {
    FORMAT.open_untrusted(path)
}

/// Opens the database of a session whose process ended, with its log merged. The folder's lock must be held.
pub fn open_left_session(path: &Path) -> Result<(Connection, u32)> {
    let connection = open_existing_database(path, TIMEOUT)?;
    let version = FORMAT.check_layout(&connection).map_err(|error| error.at(path))?;
    Ok((connection, version))
}

/// Whether a session's process ended before anything was stored.
pub fn is_blank(path: &Path) -> bool {
    let open = || open_existing_database(path, TIMEOUT).ok();
    let count = |text: &str| -> Option<i64> { open()?.query_row(text, [], |row| row.get(0)).ok() };
    count("SELECT count(*) FROM sqlite_schema") == Some(0) || count("SELECT count(*) FROM session") == Some(0)
}

/// Whether a file begins like a session or a project.
pub fn has_our_head(path: &Path) -> bool {
    read_head(path, DATABASE_HEAD_BYTES).is_ok_and(|head| FORMAT.is_head(&head))
}

/// The tables of a readable version.
fn tables_of(version: u32) -> Option<String> {
    match version {
        VERSION => Some(TABLES.to_owned()),
        1 => Some(TABLES_1.to_owned()),
        _ => None,
    }
}

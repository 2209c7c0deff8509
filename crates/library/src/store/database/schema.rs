//! The tables and their version.

use crate::base::DatabaseFormat;
use crate::library::descriptors::{Descriptor, DescriptorPlace, Reading, TABLES_VERSION, stored, stored_since};
use rusqlite::Connection;

/// Version of the algorithm that computes the words of recordings; words of older versions are computed again.
pub const WORDS_VERSION: i64 = 2;
/// Bytes of a file or audio hash.
pub const HASH_BYTES: usize = 32;

/// The library's database format; its application id spells `SnBl`.
pub const FORMAT: DatabaseFormat = DatabaseFormat {
    application_id: 0x536e_426c,
    version: TABLES_VERSION,
    tables_of,
    page_bytes: 4_096,
    is_vacuumed: false,
    name: "library",
};

fn tables_of(version: u32) -> Option<String> {
    (1..=TABLES_VERSION).contains(&version).then(|| {
        let columns: String = stored_since(1).map(|row| format!(", {}", declared(row))).collect();
        let first = format!("{TABLES}{DESCRIPTOR_HEAD}{columns});");
        (2..=version).fold(first, |tables, version| tables + &added_in(version))
    })
}

/// SQL that upgrades tables from `version - 1` to `version`. New libraries are created by the same steps.
fn added_in(version: u32) -> String {
    let column = |row| format!("ALTER TABLE descriptor ADD COLUMN {};\n", declared(row));
    stored_since(version).map(column).collect()
}

/// Migrates tables from a version to this program's, in a transaction.
pub fn migrate(connection: &Connection, from: u32) -> rusqlite::Result<()> {
    (from + 1..=TABLES_VERSION).try_for_each(|version| connection.execute_batch(&added_in(version)))?;
    connection.pragma_update(None, "user_version", TABLES_VERSION)
}

/// Makes a library of an older version readable without changing it; missing columns read as NULL.
pub fn fill_in(connection: &Connection, version: u32) -> rusqlite::Result<()> {
    let is_there = |row: &Descriptor| matches!(row.place, DescriptorPlace::Description(since) if since <= version);
    let column = |row: &Descriptor| {
        let value = if is_there(row) { "" } else { "NULL AS " };
        format!(", {value}{}", row.name)
    };
    let columns: String = stored().map(column).collect();
    // SQLite resolves names without a schema to temporary views first.
    connection
        .execute_batch(&format!("CREATE TEMP VIEW descriptor AS SELECT sound, version{columns} FROM main.descriptor"))
}

/// A column of a row as declared in SQL.
fn declared(row: &Descriptor) -> String {
    let kind = match row.reading {
        Reading::Number(_) => "REAL",
        Reading::Truth(_) if row.place == DescriptorPlace::Description(1) => "INTEGER NOT NULL",
        Reading::Truth(_) | Reading::Count(_) => "INTEGER",
        Reading::Text(_) => "TEXT",
        Reading::Numbers(..) => "BLOB",
    };
    format!("{} {kind}", row.name)
}

/// All tables except that of descriptions. Paths are stored as the operating system's bytes, those of files relative to
/// their folder. Times are in nanoseconds since 1970.
const TABLES: &str = "
CREATE TABLE folder(
  id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, watched INTEGER NOT NULL, scanned_ns INTEGER);
CREATE TABLE sound(
  id INTEGER PRIMARY KEY AUTOINCREMENT, file_hash BLOB NOT NULL UNIQUE, audio_hash BLOB, kind TEXT NOT NULL,
  duration_secs REAL, sample_rate INTEGER, channels INTEGER, format TEXT,
  ahash INTEGER, dhash INTEGER, whash INTEGER, picture_secs REAL, first_seen_ns INTEGER NOT NULL);
CREATE INDEX sound_audio ON sound(audio_hash);
CREATE TABLE file(
  id INTEGER PRIMARY KEY, folder INTEGER NOT NULL REFERENCES folder ON DELETE CASCADE, path BLOB NOT NULL,
  name TEXT NOT NULL, bytes INTEGER NOT NULL, modified_ns INTEGER NOT NULL, inode INTEGER,
  sound INTEGER REFERENCES sound, missing_since_ns INTEGER, UNIQUE(folder, path));
CREATE INDEX file_sound ON file(sound);
CREATE TABLE words(
  sound INTEGER PRIMARY KEY REFERENCES sound ON DELETE CASCADE, version INTEGER NOT NULL, words BLOB NOT NULL);
CREATE TABLE tag(
  sound INTEGER NOT NULL REFERENCES sound ON DELETE CASCADE, name TEXT NOT NULL, value TEXT NOT NULL,
  source TEXT NOT NULL, PRIMARY KEY(sound, name, value)) WITHOUT ROWID;
CREATE VIRTUAL TABLE text USING fts5(
  name, path, tags, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2', prefix='2 3');
CREATE TABLE job(
  file INTEGER NOT NULL REFERENCES file ON DELETE CASCADE, kind TEXT NOT NULL, priority INTEGER NOT NULL,
  state TEXT NOT NULL, attempts INTEGER NOT NULL, owner TEXT, since_ns INTEGER, error TEXT,
  PRIMARY KEY(file, kind)) WITHOUT ROWID;
CREATE INDEX job_next ON job(state, priority DESC, file);
CREATE TABLE stats(
  run TEXT NOT NULL, kind TEXT NOT NULL, engine TEXT NOT NULL, batches INTEGER, items INTEGER, failed INTEGER,
  fallbacks INTEGER, shrunk INTEGER, busy_ms REAL, largest_batch INTEGER, sound_secs REAL,
  PRIMARY KEY(run, kind, engine));
CREATE TABLE routes(
  kind TEXT, adapter TEXT, version TEXT, cpu_per_s REAL, gpu_per_s REAL, measured_ns INTEGER,
  PRIMARY KEY(kind, adapter, version));
CREATE TABLE scale(version INTEGER PRIMARY KEY, n_sounds INTEGER, centre BLOB, spread BLOB);
";

/// The table of descriptions, without the columns for descriptors.
const DESCRIPTOR_HEAD: &str = "
CREATE TABLE descriptor(
  sound INTEGER PRIMARY KEY REFERENCES sound ON DELETE CASCADE, version INTEGER NOT NULL";

//! Verifies the library: its database, and its agreement with the disk.

use super::open::{LibraryStore, set_aside};
use super::place::LibraryPlace;
use super::schema::HASH_BYTES;
use crate::base::{ErrorKind, Progress, Result, path_from_bytes, shown_path};
use crate::library::descriptors::{Reading, stored};
use crate::library::identity::recordings::file_digest;
use crate::media::FileStamp;
use crate::store::results::queue_again;
use crate::store::scan::is_picture_name;
use crate::store::text::{refresh_text, remove_orphans};
use crate::store::work::analysis::Digest;
use crate::store::work::lock::LibraryLock;
use rusqlite::Connection;
use serde::Serialize;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;

/// One in this many files is hashed again, but at least one file.
const HASHED_ONE_IN: usize = 100;
/// Maximum number of problems listed; further ones are counted.
const MAX_LISTED: usize = 1_000;

/// Options of a verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VerifyOrder {
    /// Whether to hash every file rather than a random 1 in 100.
    pub hashes_all: bool,
}

/// Result of a verification.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct VerifyReport {
    /// Files checked.
    pub files: usize,
    /// Files that were hashed again.
    pub hashed: usize,
    /// Problems, one sentence each.
    pub problems: Vec<String>,
    /// Problems beyond those listed.
    pub more_problems: usize,
    /// Files queued for analysis again.
    pub queued: usize,
    /// Whether the database itself is damaged.
    pub is_damaged: bool,
    /// Files to analyse again.
    #[serde(skip)]
    wrong_files: Vec<i64>,
    /// Sounds whose words must be indexed again.
    #[serde(skip)]
    unindexed: Vec<i64>,
}

impl VerifyReport {
    /// The report on a database that cannot be read.
    pub fn of_damage(why: &str) -> VerifyReport {
        let problems = vec![format!("the database {}", why.split(';').next().unwrap_or_default())];
        VerifyReport { problems, is_damaged: true, ..VerifyReport::default() }
    }

    /// Whether there are no problems.
    pub fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    fn add(&mut self, problem: String) {
        if self.problems.len() < MAX_LISTED {
            self.problems.push(problem);
        } else {
            self.more_problems += 1;
        }
    }
}

/// A file recorded as existing.
struct FileCheck {
    id: i64,
    path: PathBuf,
    stamp: FileStamp,
    hash: Option<Digest>,
}

impl LibraryStore {
    /// Checks everything without changing anything.
    ///
    /// # Errors
    /// Read errors; cancelled.
    pub fn verify(&self, order: VerifyOrder, progress: &Progress) -> Result<VerifyReport> {
        self.verify_drawn(order, RandomState::new().hash_one(HASHED_ONE_IN), progress)
    }

    /// As [`verify`](LibraryStore::verify), with a seed that selects the files to hash.
    ///
    /// # Errors
    /// As [`verify`](LibraryStore::verify).
    pub fn verify_drawn(&self, order: VerifyOrder, seed: u64, progress: &Progress) -> Result<VerifyReport> {
        let io = |error: rusqlite::Error| self.unread(&error);
        let mut report = VerifyReport::default();
        if let Err(error) = check_pages(self.connection(), &mut report) {
            report.add(format!("the database {}", self.unread(&error).message()));
            report.is_damaged = true;
        }
        if report.is_damaged {
            return Ok(report);
        }
        check_rows(self.connection(), &mut report).map_err(io)?;
        let files = present_files(self.connection()).map_err(io)?;
        let drawn = drawn(&files, seed);
        for (at, file) in files.iter().enumerate() {
            progress.step(at as u64, files.len() as u64)?;
            check_file(file, order.hashes_all || drawn.contains(&file.id), &mut report, progress)?;
        }
        report.wrong_files.sort_unstable();
        report.wrong_files.dedup();
        Ok(report)
    }

    /// Repairs the problems that `verify` found: wrong files are queued for analysis again, the word index is repaired,
    /// and sounds without files are removed.
    ///
    /// # Errors
    /// Write errors.
    pub fn repair(&self, report: &mut VerifyReport) -> Result<()> {
        self.in_transaction(|connection| {
            let io = |error: rusqlite::Error| self.unwritten(&error);
            for &file in &report.wrong_files {
                let path = relative_path(connection, file).map_err(io)?;
                forget_sound(connection, file).map_err(io)?;
                queue_again(connection, file, is_picture_name(&path_from_bytes(&path))).map_err(io)?;
            }
            for &sound in &report.unindexed {
                refresh_text(connection, sound).map_err(io)?;
            }
            remove_orphans(connection, &orphans(connection).map_err(io)?).map_err(io)?;
            let ghosts =
                "DELETE FROM text WHERE rowid IN (SELECT rowid FROM text WHERE rowid NOT IN (SELECT id FROM sound))";
            connection.execute(ghosts, []).map_err(io)?;
            connection.execute_batch("INSERT INTO text(text) VALUES ('optimize')").map_err(io)?;
            Ok(())
        })?;
        report.queued = report.wrong_files.len();
        Ok(())
    }

    /// Sets aside a library with a damaged database, and opens a new, empty one.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io).
    pub fn replace_damaged(
        place: &LibraryPlace,
        lock: &LibraryLock,
        why: &str,
        notices: &mut Vec<String>,
    ) -> Result<LibraryStore> {
        set_aside(place, &crate::base::Error::new(ErrorKind::Malformed, why), notices)?;
        LibraryStore::open_to_write(place, lock, notices)
    }
}

/// A file's path in its folder, as bytes.
fn relative_path(connection: &Connection, file: i64) -> rusqlite::Result<Vec<u8>> {
    connection.prepare_cached("SELECT path FROM file WHERE id = ?1")?.query_row([file], |row| row.get(0))
}

/// Removes the sound of a file; the next analysis finds it by the file's hash, or creates it again.
fn forget_sound(connection: &Connection, file: i64) -> rusqlite::Result<()> {
    let mut select = connection.prepare_cached("SELECT sound FROM file WHERE id = ?1")?;
    let sound: Option<i64> = select.query_row([file], |row| row.get(0))?;
    let Some(sound) = sound else { return Ok(()) };
    // All files of the sound are hashed again, since it is unclear which of them it belongs to.
    let mut select = connection.prepare_cached("SELECT id, path FROM file WHERE sound = ?1 AND id <> ?2")?;
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let others: Vec<(i64, Vec<u8>)> = select.query_map([sound, file], row)?.collect::<rusqlite::Result<_>>()?;
    connection.prepare_cached("UPDATE file SET sound = NULL WHERE sound = ?1")?.execute([sound])?;
    connection.prepare_cached("DELETE FROM text WHERE rowid = ?1")?.execute([sound])?;
    connection.prepare_cached("DELETE FROM sound WHERE id = ?1")?.execute([sound])?;
    for (other, path) in others {
        let mut select = connection.prepare_cached("SELECT missing_since_ns IS NOT NULL FROM file WHERE id = ?1")?;
        let is_missing: bool = select.query_row([other], |row| row.get(0))?;
        match is_missing {
            true => connection.prepare_cached("DELETE FROM file WHERE id = ?1")?.execute([other]).map(drop)?,
            false => queue_again(connection, other, is_picture_name(&path_from_bytes(&path)))?,
        }
    }
    Ok(())
}

/// SQLite's own checks.
fn check_pages(connection: &Connection, report: &mut VerifyReport) -> rusqlite::Result<()> {
    let mut check = connection.prepare("PRAGMA integrity_check(20)")?;
    let mut n_faults = 0;
    for line in check.query_map([], |row| row.get::<_, String>(0))? {
        let line = line?;
        if line != "ok" {
            tracing::warn!("the database is damaged: {line}");
            n_faults += 1;
        }
    }
    if n_faults > 0 {
        // SQLite's messages are about pages and trees, and belong in the log.
        let places = if n_faults == 1 { "1 place".to_owned() } else { format!("{n_faults} places or more") };
        report.add(format!("the database is damaged in {places}; the log has the details"));
        report.is_damaged = true;
    }
    let mut check = connection.prepare("PRAGMA foreign_key_check")?;
    for table in check.query_map([], |row| row.get::<_, String>(0))? {
        report.add(format!("a row of the table {} belongs to nothing", table?));
        report.is_damaged = true;
    }
    Ok(())
}

/// Checks that rows are consistent. Each query returns the files concerned.
fn check_rows(connection: &Connection, report: &mut VerifyReport) -> rusqlite::Result<()> {
    let blob = |column: &str, n: usize| format!("{column} IS NOT NULL AND length({column}) <> {n}");
    let of_sound =
        |condition: &str| format!("SELECT file.id FROM sound JOIN file ON file.sound = sound.id WHERE {condition}");
    let of_described = |condition: &str| {
        format!("SELECT file.id FROM descriptor JOIN file ON file.sound = descriptor.sound WHERE {condition}")
    };
    let no_job = |kind: &str| {
        format!(
            "NOT EXISTS (SELECT 1 FROM job JOIN file AS other ON other.id = job.file
               WHERE other.sound = sound.id AND job.kind = '{kind}')"
        )
    };
    let lists = stored().filter_map(|row| match row.reading {
        Reading::Numbers(n, _) => Some((
            format!("has a {} of the wrong length", row.name),
            of_described(&blob(row.name, n * size_of::<f32>())),
        )),
        _ => None,
    });
    let checks = [
        ("has a hash of the wrong length", of_sound(&format!("length(file_hash) <> {HASH_BYTES}"))),
        ("has an audio hash of the wrong length", of_sound(&blob("audio_hash", HASH_BYTES))),
        (
            "has words of the wrong length",
            "SELECT file.id FROM words JOIN file ON file.sound = words.sound WHERE length(words.words) % 4 <> 0".into(),
        ),
        (
            "was never analysed, and no job waits for it",
            "SELECT id FROM file WHERE sound IS NULL AND NOT EXISTS (SELECT 1 FROM job WHERE job.file = file.id)"
                .into(),
        ),
        (
            "has no description, and no job waits for it",
            of_sound(&format!(
                "kind = 'sound' AND NOT EXISTS (SELECT 1 FROM descriptor WHERE sound = sound.id) AND {}",
                no_job("describe")
            )),
        ),
        (
            "has no words, and no job waits for them",
            of_sound(&format!(
                "kind = 'sound' AND NOT EXISTS (SELECT 1 FROM words WHERE sound = sound.id) AND {}",
                no_job("words")
            )),
        ),
        ("has no picture, and no job waits for it", of_sound(&format!("ahash IS NULL AND {}", no_job("picture")))),
        (
            "has no audio hash, and no job waits for it",
            of_sound(&format!("kind = 'sound' AND audio_hash IS NULL AND {}", no_job("look"))),
        ),
    ];
    let checks = checks.into_iter().map(|(what, query)| (what.to_owned(), query));
    for (what, query) in checks.chain(lists) {
        let mut select = connection.prepare(&query)?;
        for file in select.query_map([], |row| row.get::<_, i64>(0))? {
            let file = file?;
            report.add(format!("{} {what}", shown_path(&path_of(connection, file)?)));
            report.wrong_files.push(file);
        }
    }
    match orphans(connection)?.len() {
        0 => {}
        1 => report.add("1 sound belongs to no file".into()),
        n => report.add(format!("{n} sounds belong to no file")),
    }
    check_index(connection, report)
}

/// Sounds without files.
fn orphans(connection: &Connection) -> rusqlite::Result<Vec<i64>> {
    let text = "SELECT id FROM sound WHERE NOT EXISTS (SELECT 1 FROM file WHERE file.sound = sound.id)";
    connection.prepare(text)?.query_map([], |row| row.get(0))?.collect()
}

/// Checks that the word index contains exactly the sounds of the library.
fn check_index(connection: &Connection, report: &mut VerifyReport) -> rusqlite::Result<()> {
    let ids = |query: &str| -> rusqlite::Result<Vec<i64>> {
        connection.prepare(query)?.query_map([], |row| row.get(0))?.collect()
    };
    report.unindexed = ids("SELECT id FROM sound WHERE id NOT IN (SELECT rowid FROM text)")?;
    for sound in report.unindexed.clone() {
        report.add(format!("sound {sound} cannot be searched for"));
    }
    for sound in ids("SELECT rowid FROM text WHERE rowid NOT IN (SELECT id FROM sound)")? {
        report.add(format!("the index of words has a sound {sound}, which does not exist"));
    }
    Ok(())
}

fn path_of(connection: &Connection, file: i64) -> rusqlite::Result<PathBuf> {
    let text = "SELECT folder.path, file.path FROM file JOIN folder ON folder.id = file.folder WHERE file.id = ?1";
    connection.prepare_cached(text)?.query_row([file], |row| {
        let [folder, path]: [Vec<u8>; 2] = [row.get(0)?, row.get(1)?];
        Ok(path_from_bytes(&folder).join(path_from_bytes(&path)))
    })
}

/// Files that are not recorded as missing and have no jobs left; the others are checked when their jobs run.
fn present_files(connection: &Connection) -> rusqlite::Result<Vec<FileCheck>> {
    let mut select = connection.prepare(
        "SELECT file.id, folder.path, file.path, bytes, modified_ns, file_hash FROM file
         JOIN folder ON folder.id = file.folder LEFT JOIN sound ON sound.id = file.sound
         WHERE missing_since_ns IS NULL AND NOT EXISTS (SELECT 1 FROM job WHERE job.file = file.id) ORDER BY file.id",
    )?;
    let row = |row: &rusqlite::Row<'_>| {
        let [folder, path]: [Vec<u8>; 2] = [row.get(1)?, row.get(2)?];
        let bytes: i64 = row.get(3)?;
        let hash: Option<Vec<u8>> = row.get(5)?;
        Ok(FileCheck {
            id: row.get(0)?,
            path: path_from_bytes(&folder).join(path_from_bytes(&path)),
            stamp: FileStamp { n_bytes: bytes.unsigned_abs(), modified_ns: row.get(4)? },
            hash: hash.and_then(|hash| hash.try_into().ok()),
        })
    };
    select.query_map([], row)?.collect()
}

/// The files to hash: the first in an order determined by the seed.
fn drawn(files: &[FileCheck], seed: u64) -> HashSet<i64> {
    let place = |id: i64| *blake3::hash(&[seed.to_le_bytes(), id.to_le_bytes()].concat()).as_bytes();
    let mut ids: Vec<i64> = files.iter().map(|file| file.id).collect();
    ids.sort_by_cached_key(|id| place(*id));
    ids.into_iter().take(files.len().div_ceil(HASHED_ONE_IN)).collect()
}

fn check_file(file: &FileCheck, is_hashed: bool, report: &mut VerifyReport, progress: &Progress) -> Result<()> {
    report.files += 1;
    let shown = shown_path(&file.path);
    match FileStamp::at(&file.path) {
        None => report.add(format!("{shown} is not there any more; scan its folder again")),
        Some(stamp) if stamp != file.stamp => {
            report.add(format!("{shown} was changed; scan its folder again"));
            report.wrong_files.push(file.id);
        }
        Some(_) if is_hashed => {
            report.hashed += 1;
            match file_digest(&file.path, progress) {
                Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
                Err(error) => report.add(error.to_string()),
                Ok(hash) if Some(hash) != file.hash => {
                    report.add(format!("{shown} has other bytes than those that were analysed"));
                    report.wrong_files.push(file.id);
                }
                Ok(_) => {}
            }
        }
        Some(_) => {}
    }
    Ok(())
}

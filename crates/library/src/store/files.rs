//! Files found by a scan, and the jobs that follow.

use super::clock::now_ns;
use super::database::below::paths_below;
use super::database::schema::WORDS_VERSION;
use super::listed::unlist;
use super::scan::{ScanReport, ScannedFile};
use super::text::name_of;
use super::work::job_kind::JobKinds;
use super::work::priority::prefer;
use super::work::queue::n_waiting;
use crate::base::{path_bytes, path_from_bytes};
use crate::library::descriptors::DESCRIPTOR_VERSION;
use rusqlite::{CachedStatement, Connection, OptionalExtension, params};
use std::path::Path;

/// The database row of a file.
struct KnownFile {
    id: i64,
    bytes: i64,
    modified_ns: i64,
    sound: Option<i64>,
    is_missing: bool,
    has_jobs: bool,
}

/// Starts recording which files of a folder exist.
pub fn begin_scan(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("CREATE TEMP TABLE IF NOT EXISTS seen(file INTEGER PRIMARY KEY); DELETE FROM temp.seen;")
}

/// Records files of a folder, and queues jobs of this priority for new and changed ones. Returns the number of those
/// files; 0 if the folder was removed in the meantime.
pub fn note_files(connection: &Connection, folder: i64, files: &[ScannedFile], priority: i64) -> rusqlite::Result<u64> {
    if !connection.prepare_cached("SELECT 1 FROM folder WHERE id = ?1")?.exists([folder])? {
        return Ok(0);
    }
    let mut statements = ScanStatements::new(connection)?;
    let mut n_queued = 0;
    for file in files {
        let (id, is_queued) = statements.note(connection, folder, file)?;
        statements.see.execute([id])?;
        if is_queued && priority != 0 {
            prefer(connection, id, priority)?;
        }
        n_queued += u64::from(is_queued);
    }
    Ok(n_queued)
}

/// Statements of a scan, prepared once for many files.
struct ScanStatements<'a> {
    select: CachedStatement<'a>,
    insert: CachedStatement<'a>,
    update: CachedStatement<'a>,
    see: CachedStatement<'a>,
}

impl<'a> ScanStatements<'a> {
    fn new(connection: &'a Connection) -> rusqlite::Result<ScanStatements<'a>> {
        Ok(ScanStatements {
            select: connection.prepare_cached(
                "SELECT id, bytes, modified_ns, sound, missing_since_ns IS NOT NULL,
                   EXISTS (SELECT 1 FROM job WHERE job.file = file.id)
                 FROM file WHERE folder = ?1 AND path = ?2",
            )?,
            insert: connection.prepare_cached(
                "INSERT INTO file(folder, path, name, bytes, modified_ns, inode) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?,
            update: connection.prepare_cached(
                "UPDATE file SET bytes = ?2, modified_ns = ?3, inode = ?4, missing_since_ns = NULL WHERE id = ?1",
            )?,
            see: connection.prepare_cached("INSERT OR IGNORE INTO temp.seen(file) VALUES (?1)")?,
        })
    }

    /// Records a file. Returns its row, and whether jobs were queued.
    fn note(&mut self, connection: &Connection, folder: i64, file: &ScannedFile) -> rusqlite::Result<(i64, bool)> {
        let path = path_bytes(&file.path);
        let bytes = i64::try_from(file.stamp.n_bytes).unwrap_or(i64::MAX);
        let inode = file.inode.map(u64::cast_signed);
        let Some(known) = self.known(folder, &path)? else {
            let name = name_of(&file.path);
            let row = params![folder, path.as_ref(), name, bytes, file.stamp.modified_ns, inode];
            let id = self.insert.insert(row)?;
            queue_jobs(connection, id, JobKinds::of_new(file.kind))?;
            return Ok((id, true));
        };
        let is_changed = known.bytes != bytes || known.modified_ns != file.stamp.modified_ns;
        if is_changed || known.is_missing {
            self.update.execute(params![known.id, bytes, file.stamp.modified_ns, inode])?;
        }
        // A file whose jobs failed keeps them until it changes.
        let is_queued = is_changed || known.sound.is_none() && !known.has_jobs;
        if is_queued {
            queue_jobs(connection, known.id, JobKinds::of_new(file.kind))?;
        }
        Ok((known.id, is_queued))
    }

    fn known(&mut self, folder: i64, path: &[u8]) -> rusqlite::Result<Option<KnownFile>> {
        let row = |row: &rusqlite::Row<'_>| {
            Ok(KnownFile {
                id: row.get(0)?,
                bytes: row.get(1)?,
                modified_ns: row.get(2)?,
                sound: row.get(3)?,
                is_missing: row.get(4)?,
                has_jobs: row.get(5)?,
            })
        };
        self.select.query_row(params![folder, path], row).optional()
    }
}

/// Queues jobs of a file; existing ones start over.
pub fn queue_jobs(connection: &Connection, file: i64, kinds: JobKinds) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO job(file, kind, priority, state, attempts) VALUES (?1, ?2, 0, 'waiting', 0)
         ON CONFLICT DO UPDATE SET priority = 0, state = 'waiting', attempts = 0, owner = NULL, since_ns = NULL,
           error = NULL",
    )?;
    for kind in kinds.iter() {
        insert.execute(params![file, kind.name()])?;
    }
    Ok(())
}

/// Queues jobs for results that an older version of this program computed differently. Returns the number of affected
/// files that were not waiting already. If there are any, the vector scale is marked to be recomputed. Reads all
/// descriptions and words.
pub fn queue_outdated(connection: &Connection) -> rusqlite::Result<u64> {
    let n_before = n_waiting(connection)?;
    for (table, kind, version) in [("descriptor", "describe", DESCRIPTOR_VERSION), ("words", "words", WORDS_VERSION)] {
        connection.execute(
            &format!(
                "INSERT OR IGNORE INTO job(file, kind, priority, state, attempts)
                 SELECT min(file.id), '{kind}', -1, 'waiting', 0 FROM {table} JOIN file ON file.sound = {table}.sound
                 WHERE {table}.version < ?1 AND file.missing_since_ns IS NULL GROUP BY {table}.sound"
            ),
            [version],
        )?;
    }
    let n_outdated = n_waiting(connection)? - n_before;
    if n_outdated > 0 {
        connection.execute("UPDATE scale SET n_sounds = 0", [])?;
    }
    Ok(n_outdated)
}

/// Ends a scan: marks files below a path of the folder as missing unless they were seen or are in unreadable folders.
/// Deletes their jobs, since there is nothing to analyse.
pub fn finish_scan(connection: &Connection, folder: i64, below: &Path, report: &ScanReport) -> rusqlite::Result<()> {
    let mut select = connection.prepare_cached(
        "SELECT id, path FROM file WHERE folder = ?1 AND path >= ?2 AND path < ?3 AND missing_since_ns IS NULL
           AND id NOT IN (SELECT file FROM temp.seen)",
    )?;
    let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?));
    // The range includes `below` itself, since a file may have been where the folder is now.
    let [_, until] = paths_below(below);
    let found = select.query_map(params![folder, path_bytes(below).as_ref(), until], row)?;
    let unseen = found.collect::<rusqlite::Result<Vec<_>>>()?;
    for (id, path) in unseen {
        let path = path_from_bytes(&path);
        if path.starts_with(below) && !report.unreadable.iter().any(|unreadable| path.starts_with(unreadable)) {
            note_missing(connection, id)?;
        }
    }
    Ok(())
}

/// Records that a file is missing. If its sound is known the row is kept, so that the file is recognised elsewhere.
pub fn note_missing(connection: &Connection, file: i64) -> rusqlite::Result<()> {
    unlist(connection, file)?;
    let mut update = connection
        .prepare_cached("UPDATE file SET missing_since_ns = ?2 WHERE id = ?1 AND missing_since_ns IS NULL")?;
    update.execute(params![file, now_ns()])?;
    connection.prepare_cached("DELETE FROM job WHERE file = ?1")?.execute([file])?;
    connection.prepare_cached("DELETE FROM file WHERE id = ?1 AND sound IS NULL")?.execute([file])?;
    Ok(())
}

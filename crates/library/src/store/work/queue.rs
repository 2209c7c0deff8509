//! The queue: jobs are claimed, released, retried or failed.

use super::job_kind::{JobKind, JobKinds};
use crate::base::path_from_bytes;
use crate::media::FileStamp;
use crate::store::clock::now_ns;
use rusqlite::{Connection, params};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Maximum number of attempts at a job whose file could not be read.
const MAX_ATTEMPTS: i64 = 3;
/// Reduction of priority for jobs that were tried before, or were running when their process died.
const RETRY_PRIORITY_OFFSET: i64 = 10;

/// A file with the jobs claimed by this process.
#[derive(Debug, Clone)]
pub struct ClaimedFile {
    /// Id of the file's row.
    pub id: i64,
    /// Path of the file.
    pub path: PathBuf,
    /// Size and time in its row.
    pub stamp: FileStamp,
    /// Its sound, if known.
    pub sound: Option<i64>,
    /// Jobs claimed by this process.
    pub kinds: JobKinds,
}

/// Claims at most `n_files` files with all their waiting jobs, in the order of the queue.
pub fn claim(connection: &Connection, owner: &str, n_files: usize) -> rusqlite::Result<Vec<ClaimedFile>> {
    // A file's jobs are usually adjacent in this order, so a limit on rows limits the number of files.
    let n_rows = n_files * JobKind::ALL.len();
    // The unary plus makes SQLite check the state in the rows of these files. Otherwise it would use the index of
    // states, and read all waiting jobs for each claim.
    let mut update = connection.prepare_cached(
        "UPDATE job SET state = 'running', owner = ?1, since_ns = ?2 WHERE +state = 'waiting' AND file IN
           (SELECT file FROM job WHERE state = 'waiting' ORDER BY priority DESC, file LIMIT ?3)
         RETURNING file, kind, priority",
    )?;
    let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?));
    let mut files: BTreeMap<i64, (i64, JobKinds)> = BTreeMap::new();
    for claimed in update.query_map(params![owner, now_ns(), n_rows as i64], row)? {
        let (file, name, priority) = claimed?;
        let entry = files.entry(file).or_insert((priority, JobKinds::default()));
        entry.0 = entry.0.max(priority);
        entry.1 = JobKind::of_name(&name).map_or(entry.1, |kind| entry.1.with(kind));
    }
    let mut files: Vec<(i64, (i64, JobKinds))> = files.into_iter().collect();
    files.sort_by_key(|(file, (priority, _))| (Reverse(*priority), *file));
    files.into_iter().map(|(file, (_, kinds))| claimed_file(connection, file, kinds)).collect()
}

fn claimed_file(connection: &Connection, file: i64, kinds: JobKinds) -> rusqlite::Result<ClaimedFile> {
    let mut select = connection.prepare_cached(
        "SELECT folder.path, file.path, bytes, modified_ns, sound FROM file JOIN folder ON folder.id = file.folder
         WHERE file.id = ?1",
    )?;
    select.query_row([file], |row| {
        let [folder, path]: [Vec<u8>; 2] = [row.get(0)?, row.get(1)?];
        let bytes: i64 = row.get(2)?;
        let stamp = FileStamp { n_bytes: bytes.unsigned_abs(), modified_ns: row.get(3)? };
        let path = path_from_bytes(&folder).join(path_from_bytes(&path));
        Ok(ClaimedFile { id: file, path, stamp, sound: row.get(4)?, kinds })
    })
}

/// Requeues jobs that were running when their process died, at lower priority, since they may have caused its death.
/// The holder of the lock calls this before the first claim.
pub fn recover(connection: &Connection) -> rusqlite::Result<usize> {
    connection.execute(
        "UPDATE job SET state = 'waiting', owner = NULL, since_ns = NULL, priority = priority - ?1
         WHERE state = 'running'",
        [RETRY_PRIORITY_OFFSET],
    )
}

/// Returns a file's jobs to the queue unchanged.
pub fn release(connection: &Connection, file: i64) -> rusqlite::Result<()> {
    let mut update = connection.prepare_cached(
        "UPDATE job SET state = 'waiting', owner = NULL, since_ns = NULL WHERE file = ?1 AND state = 'running'",
    )?;
    update.execute([file]).map(drop)
}

/// Removes a file's finished jobs.
pub fn finish(connection: &Connection, file: i64) -> rusqlite::Result<()> {
    let mut delete = connection.prepare_cached("DELETE FROM job WHERE file = ?1 AND state = 'running'")?;
    delete.execute([file]).map(drop)
}

/// Records a failed attempt at a file's jobs. With `may_pass` they wait for a retry at lower priority until the maximum
/// number of attempts is reached; otherwise they are marked as failed.
pub fn fail(connection: &Connection, file: i64, reason: &str, may_pass: bool) -> rusqlite::Result<()> {
    let mut update = connection.prepare_cached(
        "UPDATE job SET attempts = attempts + 1, owner = NULL, since_ns = NULL, error = ?2,
           state = CASE WHEN ?3 AND attempts + 1 < ?4 THEN 'waiting' ELSE 'failed' END,
           priority = CASE WHEN ?3 THEN priority - ?5 ELSE priority END
         WHERE file = ?1 AND state = 'running'",
    )?;
    update.execute(params![file, reason, may_pass, MAX_ATTEMPTS, RETRY_PRIORITY_OFFSET]).map(drop)
}

/// Requeues all failed jobs. Returns the number of files.
pub fn retry_failed(connection: &Connection) -> rusqlite::Result<usize> {
    let n = connection
        .query_row("SELECT count(DISTINCT file) FROM job WHERE state = 'failed'", [], |row| row.get::<_, i64>(0))?;
    connection.execute("UPDATE job SET state = 'waiting', attempts = 0, error = NULL WHERE state = 'failed'", [])?;
    Ok(usize::try_from(n).unwrap_or_default())
}

/// Number of waiting files.
pub fn n_waiting(connection: &Connection) -> rusqlite::Result<u64> {
    let text = "SELECT count(DISTINCT file) FROM job WHERE state = 'waiting'";
    connection.query_row(text, [], |row| row.get::<_, i64>(0)).map(i64::unsigned_abs)
}

/// Whether any job is waiting.
pub fn has_waiting(connection: &Connection) -> rusqlite::Result<bool> {
    connection.prepare_cached("SELECT 1 FROM job WHERE state = 'waiting' LIMIT 1")?.exists([])
}

//! Priorities of the queue: the user's latest request, for a folder or a sound, comes first.

use crate::base::Result;
use crate::store::database::below::paths_below;
use crate::store::database::open::LibraryStore;
use rusqlite::{Connection, OptionalExtension, params};
use std::path::Path;

/// Step between the priorities of requests. Deferred jobs come last within their step.
const STEP: i64 = 1_000;
/// Whether a file is in a requested part of a folder.
const IN_REQUESTED_PART: &str = "asked.folder = file.folder AND file.path >= asked.first AND file.path < asked.until";
/// How far a job was deferred within its step.
const PRIORITY_DEFERRAL: &str =
    "CASE WHEN priority % 1000 > 500 THEN priority % 1000 - 1000 ELSE min(priority % 1000, 0) END";

/// Moves waiting jobs of some folder parts to the front: each part is a folder's row and a path in it. Returns the
/// priority of files found there from now on; 0 if nothing else is waiting.
pub fn ask_first<'a>(connection: &Connection, parts: impl Iterator<Item = (i64, &'a Path)>) -> rusqlite::Result<i64> {
    connection.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS asked(folder INTEGER NOT NULL, first BLOB NOT NULL, until BLOB NOT NULL);
         DELETE FROM temp.asked;",
    )?;
    let mut insert = connection.prepare("INSERT INTO temp.asked(folder, first, until) VALUES (?1, ?2, ?3)")?;
    for (folder, below) in parts {
        let [first, until] = paths_below(below);
        insert.execute(params![folder, first, until])?;
    }
    // Starts from the waiting jobs, which may be far fewer than the library's files.
    let others = format!(
        "SELECT 1 FROM job JOIN file ON file.id = job.file
         WHERE state = 'waiting' AND NOT EXISTS (SELECT 1 FROM temp.asked WHERE {IN_REQUESTED_PART}) LIMIT 1"
    );
    if !connection.prepare(&others)?.exists([])? {
        return Ok(0);
    }
    let priority = front(connection)?;
    // Starts from the requested parts, and goes on to their files and jobs.
    let update = format!(
        "UPDATE job SET priority = ?1 + {PRIORITY_DEFERRAL}
         WHERE +state = 'waiting' AND file IN (SELECT file.id FROM temp.asked CROSS JOIN file ON {IN_REQUESTED_PART})"
    );
    connection.execute(&update, [priority])?;
    Ok(priority)
}

/// Sets the priority of a file's jobs.
pub fn prefer(connection: &Connection, file: i64, priority: i64) -> rusqlite::Result<()> {
    let mut update = connection.prepare_cached("UPDATE job SET priority = ?2 WHERE file = ?1")?;
    update.execute([file, priority]).map(drop)
}

/// A priority ahead of all waiting jobs.
fn front(connection: &Connection) -> rusqlite::Result<i64> {
    let text = "SELECT priority FROM job WHERE state = 'waiting' ORDER BY priority DESC LIMIT 1";
    let first: Option<i64> = connection.prepare(text)?.query_row([], |row| row.get(0)).optional()?;
    Ok((first.unwrap_or_default().max(0) / STEP + 1).saturating_mul(STEP))
}

impl LibraryStore {
    /// Moves the waiting jobs of a sound to the front of the queue. Returns whether the sound has jobs that are waiting
    /// or running. In a read-only library the order stays unchanged.
    ///
    /// # Errors
    /// Read errors.
    pub(crate) fn analyse_next(&self, sound: i64) -> Result<bool> {
        let text = "SELECT 1 FROM job JOIN file ON file.id = job.file
                    WHERE file.sound = ?1 AND +state IN ('waiting', 'running')";
        let requested = self.connection().prepare(text).and_then(|mut select| select.exists([sound]));
        if !requested.map_err(|error| self.unread(&error))? {
            return Ok(false);
        }
        let moved = LibraryStore::open_to_edit(self.place()).and_then(|store| store.move_to_front(sound));
        if let Err(error) = moved {
            tracing::warn!(%error, "a sound keeps its place in the queue");
        }
        Ok(true)
    }

    fn move_to_front(&self, sound: i64) -> Result<()> {
        self.in_transaction(|connection| {
            let moved = front(connection).and_then(|priority| {
                let mut update = connection.prepare(
                    "UPDATE job SET priority = ?2
                     WHERE +state = 'waiting' AND file IN (SELECT id FROM file WHERE sound = ?1)",
                )?;
                update.execute([sound, priority])
            });
            moved.map(drop).map_err(|error| self.unwritten(&error))
        })
    }
}

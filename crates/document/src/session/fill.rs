//! Writes a history to the rows of a database.

use super::rows::{Head, WriteError, write_edit};
use super::source::SourceRef;
use super::{SessionState, schema};
use crate::base::{Progress, Result, database_error};
use crate::document::Entry;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// Contents of a database in addition to its edits.
#[derive(Debug, Clone)]
pub struct Frame {
    pub source: SourceRef,
    pub desk: SessionState,
    pub position: usize,
    pub project: Option<PathBuf>,
    pub project_position: Option<usize>,
}

impl Frame {
    /// The head of a database with `n_edits` edits of this sound.
    pub fn head(&self, original: &Entry, n_edits: usize) -> Head {
        let info = original.snapshot.source().info();
        Head {
            source: self.source.clone(),
            n_samples: info.n_samples,
            sample_rate_hz: info.sample_rate_hz,
            n_channels: info.n_channels,
            n_edits,
            position: self.position.min(n_edits),
            desk: self.desk.clone(),
            labels: original.labels.clone(),
            project: self.project.clone(),
            project_position: self.project_position,
        }
    }
}

/// Writes step `id` of a history, 1 being the first edit; changes are relative to the previous step.
pub fn write_step(
    connection: &Connection,
    id: usize,
    before: &Entry,
    entry: &Entry,
) -> std::result::Result<(), WriteError> {
    let Some(edit) = &entry.edit else { return Ok(()) };
    // SQLite cannot store NaN.
    let consistency_db = entry.consistency_db.filter(|db| !db.is_nan());
    write_edit(connection, id, edit, consistency_db, [&before.snapshot, &entry.snapshot])
}

/// Writes a whole history to an empty file that no other process reads.
pub fn fill_new(path: &Path, entries: &[Entry], frame: &Frame, progress: &Progress) -> Result<Connection> {
    let to_error = |error: WriteError| of_write(error, path);
    let connection = schema::open_private(path)?;
    schema::create(&connection).map_err(|error| database_error(&error, "written", path))?;
    let transaction = connection.unchecked_transaction().map_err(|error| database_error(&error, "written", path))?;
    frame.desk.optional.write(&connection).map_err(|error| to_error(error.into()))?;
    for (id, pair) in entries.windows(2).enumerate() {
        write_step(&connection, id + 1, &pair[0], &pair[1]).map_err(to_error)?;
        progress.step(id as u64, entries.len() as u64)?;
    }
    if let Some(original) = entries.first() {
        frame.head(original, entries.len() - 1).write(&connection).map_err(|error| to_error(error.into()))?;
    }
    transaction.commit().map_err(|error| to_error(error.into()))?;
    Ok(connection)
}

/// The write error as one of our errors, about `path`.
pub fn of_write(error: WriteError, path: &Path) -> crate::base::Error {
    match error {
        WriteError::Database(error) => database_error(&error, "written", path),
        WriteError::Ours(error) => error,
    }
}

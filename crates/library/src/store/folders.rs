//! The folders of the library.

use super::clock::now_ns;
use super::database::open::LibraryStore;
use super::scan::device_of;
use super::text::remove_orphans;
use crate::base::{Error, ErrorKind, Result, path_bytes, path_from_bytes};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A folder of the library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderRow {
    /// Id of the folder.
    pub id: i64,
    /// Path, absolute and without links.
    pub path: PathBuf,
    /// Whether the studio watches it for changes.
    pub is_watched: bool,
}

/// A folder with its numbers of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderSummary {
    /// The folder.
    pub folder: FolderRow,
    /// Known files, including missing ones.
    pub files: i64,
    /// Files that could not be analysed.
    pub failed: i64,
}

/// Result of a removal from the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct RemovalReport {
    /// Number of files removed.
    pub files: usize,
    /// Number of sounds removed, since they have no file left.
    pub sounds: usize,
}

impl LibraryStore {
    /// All folders, sorted by path.
    ///
    /// # Errors
    /// Read errors.
    pub fn folders(&self) -> Result<Vec<FolderRow>> {
        folders(self.connection()).map_err(|error| self.unread(&error))
    }

    /// All folders, sorted by path, with their numbers of files.
    ///
    /// # Errors
    /// Read errors.
    pub fn folder_summaries(&self) -> Result<Vec<FolderSummary>> {
        let count = |text: &str| {
            let mut select = self.connection().prepare(text)?;
            let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
            select.query_map([], row)?.collect::<rusqlite::Result<HashMap<i64, i64>>>()
        };
        let counted = count("SELECT folder, count(*) FROM file GROUP BY folder").and_then(|files| {
            let text = "SELECT folder, count(DISTINCT file.id) FROM job JOIN file ON file.id = job.file
                        WHERE state = 'failed' GROUP BY folder";
            Ok((files, count(text)?))
        });
        let (files, failed) = counted.map_err(|error| self.unread(&error))?;
        let of = |counts: &HashMap<i64, i64>, id: i64| counts.get(&id).copied().unwrap_or_default();
        let folders = self.folders()?.into_iter();
        Ok(folders
            .map(|folder| FolderSummary { files: of(&files, folder.id), failed: of(&failed, folder.id), folder })
            .collect())
    }

    /// Adds a readable folder to the library before it is scanned, and sets whether the studio watches it. A known
    /// folder, or one inside a known one, is left unchanged.
    ///
    /// # Errors
    /// Write errors.
    pub fn enrol(&self, path: &Path, is_watched: bool) -> Result<()> {
        let found = std::fs::canonicalize(path).and_then(|found| std::fs::read_dir(&found).map(|_| found));
        // The scan reports an unreadable folder.
        let Ok(found) = found else { return Ok(()) };
        if self.folder_around(&found)?.is_some() {
            return Ok(());
        }
        let folder = self.add_folder(&found)?;
        self.set_watched(folder.id, is_watched)
    }

    /// Sets whether the studio watches a folder for changes.
    ///
    /// # Errors
    /// Write errors.
    pub fn set_watched(&self, id: i64, is_watched: bool) -> Result<()> {
        let set = self
            .connection()
            .execute("UPDATE folder SET watched = ?2 WHERE id = ?1", params![id, i64::from(is_watched)]);
        set.map(drop).map_err(|error| self.unwritten(&error))
    }

    /// The innermost library folder at or above a path, if its scans reach the path.
    pub(super) fn folder_around(&self, path: &Path) -> Result<Option<FolderRow>> {
        // Folders are sorted by path, so inner ones come later.
        let around = self.folders()?.into_iter().rfind(|folder| path.starts_with(&folder.path));
        Ok(around.filter(|around| !lies_on_another_disk(path, &around.path)))
    }

    /// Adds a folder, whose path must be canonical. If it is inside a folder of the library on the same file system,
    /// returns that folder instead.
    pub(super) fn add_folder(&self, path: &Path) -> Result<FolderRow> {
        if let Some(around) = self.folder_around(path)? {
            return Ok(around);
        }
        let bytes = path_bytes(path);
        let added = self.connection().query_row(
            "INSERT INTO folder(path, watched) VALUES (?1, 0) RETURNING id",
            [bytes.as_ref()],
            |row| row.get(0),
        );
        let id = added.map_err(|error| self.unwritten(&error))?;
        Ok(FolderRow { id, path: path.to_path_buf(), is_watched: false })
    }

    /// Removes a folder from the library: its files, jobs, and sounds without another file. Nothing on disk changes.
    ///
    /// # Errors
    /// If it is not in the library; write errors.
    pub fn remove_folder(&self, path: &Path) -> Result<RemovalReport> {
        // The folder may no longer exist on disk.
        let path = std::fs::canonicalize(path).or_else(|_| std::path::absolute(path));
        let path = path.map_err(|error| Error::io(&error, "read", Path::new("")))?;
        self.in_transaction(|connection| {
            let io = |error: rusqlite::Error| self.unwritten(&error);
            let id: Option<i64> = connection
                .query_row("SELECT id FROM folder WHERE path = ?1", [path_bytes(&path).as_ref()], |row| row.get(0))
                .optional()
                .map_err(io)?;
            let Some(id) = id else {
                let sentence = match self.folder_around(&path)? {
                    Some(around) => format!("is a part of {}; remove that", crate::base::shown_path(&around.path)),
                    None => "is not in the library; sonobrush library status lists what is".into(),
                };
                return Err(Error::new(ErrorKind::Io, sentence).at(&path));
            };
            remove_files(connection, "folder = ?1", &id)
                .and_then(|forgotten| {
                    connection.execute("DELETE FROM folder WHERE id = ?1", [id])?;
                    Ok(forgotten)
                })
                .map_err(io)
        })
    }

    /// Removes files missing at the last scan, and sounds without another file.
    ///
    /// # Errors
    /// Write errors.
    pub fn forget_missing(&self) -> Result<RemovalReport> {
        self.in_transaction(|connection| {
            remove_files(connection, "missing_since_ns > ?1", &i64::MIN).map_err(|error| self.unwritten(&error))
        })
    }

    /// Records the scan of a folder.
    pub(super) fn note_scan(&self, folder: i64) -> rusqlite::Result<()> {
        self.connection().execute("UPDATE folder SET scanned_ns = ?2 WHERE id = ?1", params![folder, now_ns()])?;
        Ok(())
    }
}

/// Removes files that meet an SQL condition.
fn remove_files(connection: &Connection, condition: &str, value: &i64) -> rusqlite::Result<RemovalReport> {
    let select = format!("SELECT DISTINCT sound FROM file WHERE sound IS NOT NULL AND {condition}");
    let mut statement = connection.prepare(&select)?;
    let sounds: Vec<i64> = statement.query_map([value], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let files = connection.execute(&format!("DELETE FROM file WHERE {condition}"), [value])?;
    Ok(RemovalReport { files, sounds: remove_orphans(connection, &sounds)? })
}

/// Whether two existing folders are on different file systems.
fn lies_on_another_disk(path: &Path, around: &Path) -> bool {
    let device = |path: &Path| std::fs::metadata(path).ok().and_then(|found| device_of(path, &found));
    device(path).zip(device(around)).is_some_and(|(one, other)| one != other)
}

fn folders(connection: &Connection) -> rusqlite::Result<Vec<FolderRow>> {
    let mut statement = connection.prepare("SELECT id, path, watched <> 0 FROM folder ORDER BY path")?;
    let row = |row: &rusqlite::Row<'_>| {
        let bytes: Vec<u8> = row.get(1)?;
        Ok(FolderRow { id: row.get(0)?, path: path_from_bytes(&bytes), is_watched: row.get(2)? })
    };
    statement.query_map([], row)?.collect()
}

//! `done.log`: the number of files per task, then the tasks whose rows are on disk, one per line, so that a killed run
//! can be resumed.

use super::manifest::MAX_FILES_PER_TASK;
use crate::base::{Error, ErrorKind, FileId, Result, file_id, read_regular, shown_json};
use crate::features::extract::Extracted;
use crate::library::file_work::{FileLock, try_lock};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// How the feature extraction of a file ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Its rows hold its features.
    Analysed(Extracted),
    /// The rows hold silence; the reason in one sentence.
    Failed(String),
}

/// A file whose rows are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDone {
    /// BLAKE3 hash of the file, in hexadecimal; `None` if the run has no index, or the file could not be read or
    /// changed in the meantime.
    pub blake3: Option<String>,
    /// How the feature extraction ended.
    pub outcome: Outcome,
    /// Notices about it, one sentence each, for example that only a part could be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// A task whose rows are written: its number, and the results of its files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskDone {
    /// Number of the task, counted from 0.
    pub task: usize,
    /// Results in the order of the files.
    pub files: Vec<FileDone>,
}

/// The first line of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LogHead {
    files_per_task: usize,
}

/// The log of a run, locked while it is open.
pub struct DoneLog {
    file: File,
    path: PathBuf,
    /// Whether the lock is held; some file systems have no locks.
    pub is_locked: bool,
}

impl DoneLog {
    /// Opens the log, or creates it; `None` if another process holds it.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io).
    pub fn open(path: &Path) -> Result<Option<DoneLog>> {
        let io = |error: std::io::Error| Error::io(&error, "written", path);
        let file = OpenOptions::new().append(true).create(true).open(path).map_err(io)?;
        let is_locked = match try_lock(&file) {
            FileLock::Taken => true,
            FileLock::Held => return Ok(None),
            FileLock::Missing(_) => false,
        };
        Ok(Some(DoneLog { file, path: path.to_path_buf(), is_locked }))
    }

    /// Identity of the open file, valid even after a rename.
    pub fn id(&self) -> Option<FileId> {
        self.file.metadata().ok().and_then(|found| file_id(&found))
    }

    /// The tasks logged by an earlier run, in order, up to the first incomplete line.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io).
    pub fn tasks(&self) -> Result<Vec<TaskDone>> {
        let text = read_regular(&self.path)?;
        let mut lines = text.split_inclusive(|&byte| byte == b'\n').peekable();
        lines.next_if(|line| value_of::<LogHead>(line).is_some());
        Ok(lines.map_while(value_of).collect())
    }

    /// Number of files per task, from the log's head; `None` if the log is empty or from an older version.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io).
    pub fn files_per_task(&self) -> Result<Option<usize>> {
        let text = read_regular(&self.path)?;
        let head = text.split_inclusive(|&byte| byte == b'\n').next().and_then(value_of::<LogHead>);
        Ok(head.map(|head| head.files_per_task).filter(|n_files| (1..=MAX_FILES_PER_TASK).contains(n_files)))
    }

    /// Clears the log, and writes the number of files per task and these tasks.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io).
    pub fn restart(&mut self, files_per_task: usize, tasks: &[TaskDone]) -> Result<()> {
        self.file.set_len(0).map_err(|error| Error::io(&error, "written", &self.path))?;
        let mut text = Vec::new();
        push_line(&LogHead { files_per_task }, &mut text)?;
        tasks.iter().try_for_each(|task| push_line(task, &mut text))?;
        self.write(&text)
    }

    /// Appends tasks whose rows are on disk, and syncs the log.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io).
    pub fn append(&mut self, tasks: &[TaskDone]) -> Result<()> {
        let mut text = Vec::new();
        tasks.iter().try_for_each(|task| push_line(task, &mut text))?;
        self.write(&text)
    }

    fn write(&mut self, text: &[u8]) -> Result<()> {
        let io = |error: std::io::Error| Error::io(&error, "written", &self.path);
        self.file.write_all(text).map_err(io)?;
        self.file.sync_data().map_err(io)
    }
}

fn push_line(value: &impl Serialize, text: &mut Vec<u8>) -> Result<()> {
    let line = serde_json::to_string(value)
        .map_err(|error| Error::new(ErrorKind::Internal, format!("JSON could not be written: {error}")))?;
    let line = shown_json(&line);
    text.extend_from_slice(line.as_bytes());
    text.push(b' ');
    text.extend_from_slice(checksum(line.as_bytes()).as_bytes());
    text.push(b'\n');
    Ok(())
}

/// Parses a line; `None` if it is damaged.
fn value_of<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    let line = line.strip_suffix(b"\n")?;
    let space = line.iter().rposition(|&byte| byte == b' ')?;
    let (text, sum) = (&line[..space], &line[space + 1..]);
    if checksum(text).as_bytes() != sum {
        return None;
    }
    serde_json::from_slice(text).ok()
}

fn checksum(text: &[u8]) -> String {
    blake3::hash(text).to_hex()[..16].to_owned()
}

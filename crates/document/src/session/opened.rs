//! A sound or a project opened by commands and batches, without a session.

use super::project::{is_project, open_project};
use super::restore::{Restored, SampleStorage};
use super::source::{SourceError, SourceSearch};
use crate::base::{Error, Progress, Result};
use crate::document::labels::formats::labels_of_sound;
use crate::document::{History, Snapshot};
use crate::media::Source;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A sound with its history, which has no edits for a plain file.
pub struct OpenedSound {
    /// Every step, and the current position.
    pub history: History,
    /// Notices, one sentence each.
    pub notices: Vec<String>,
    /// The other contents of a project. The caller handles [`damage`](Restored::damage), if any.
    pub project: Option<Restored>,
    /// The file extracted from a project.
    _contained: Option<ContainedFile>,
}

impl OpenedSound {
    /// A sound without a file.
    pub fn new(sound: Source, room: &SampleStorage) -> OpenedSound {
        let history = History::new(Snapshot::new(sound));
        history.limit(room.budget_bytes, &room.folder);
        OpenedSound { history, notices: Vec::new(), project: None, _contained: None }
    }
}

/// Opens a sound with the labels in its file, or a project.
///
/// # Errors
/// The reason that a project's source was not opened, or one sentence about the file.
pub fn open_sound(
    path: &Path,
    finding: &SourceSearch,
    room: &SampleStorage,
    progress: &Progress,
) -> std::result::Result<OpenedSound, SourceError> {
    if !is_project(path) {
        let opened = Source::open_with(path, &room.sound, &|_| (), progress).map_err(SourceError::Failed)?;
        let (labels, of_labels) = labels_of_sound(&opened.source);
        let history = History::labelled(Snapshot::new(opened.source), labels);
        history.limit(room.budget_bytes, &room.folder);
        let notices = [opened.notices, of_labels].concat();
        return Ok(OpenedSound { history, notices, project: None, _contained: None });
    }
    let contained = ContainedFile::in_folder(&room.folder).map_err(SourceError::Failed)?;
    let (restored, _) = open_project(path, finding, room, contained.path(), progress)?;
    let (history, notices) = (restored.history.clone(), restored.notices.clone());
    Ok(OpenedSound { history, notices, project: Some(restored), _contained: Some(contained) })
}

/// Prefix of files extracted from projects, followed by process id and number.
const CONTAINED: &str = "contained-";

/// A temporary file for the sound contained in a project; removed on drop.
pub struct ContainedFile(PathBuf);

impl ContainedFile {
    /// A unique name in the state folder, which is created if needed.
    ///
    /// # Errors
    /// [`Io`](crate::base::ErrorKind::Io).
    pub fn in_folder(state: &Path) -> Result<ContainedFile> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        std::fs::create_dir_all(state).map_err(|error| Error::io(&error, "created", state))?;
        clear_left(state);
        let number = NEXT.fetch_add(1, Relaxed);
        Ok(ContainedFile(state.join(format!("{CONTAINED}{}-{number}", std::process::id()))))
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ContainedFile {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok();
    }
}

/// Removes files left behind by killed processes; only on Linux, where `/proc` lists the running ones.
fn clear_left(state: &Path) {
    if !cfg!(target_os = "linux") {
        return;
    }
    for entry in std::fs::read_dir(state).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let numbers = name.to_str().and_then(|name| name.strip_prefix(CONTAINED));
        let process = numbers.and_then(|numbers| numbers.split('-').next()?.parse::<u32>().ok());
        if process.is_some_and(|id| !Path::new("/proc").join(id.to_string()).exists()) {
            std::fs::remove_file(entry.path()).ok();
        }
    }
}

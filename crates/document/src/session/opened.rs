//! A sound or a project as commands and batches read it: opened, used and left, without a session.

use super::project::{is_project, open_project};
use super::restore::{Restored, Room};
use super::source::{Lost, SourceSearch};
use crate::base::{Error, Progress, Result};
use crate::document::labels::formats::labels_of_sound;
use crate::document::{History, Snapshot};
use crate::media::Source;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A sound with its history, which of a file holds no edit.
pub struct OpenedSound {
    /// Every step, and the position among them.
    pub history: History,
    /// What the user should know, one sentence each.
    pub notices: Vec<String>,
    /// What else a project holds. Its [`damage`](Restored::damage), if there is any, is for the caller to judge.
    pub project: Option<Restored>,
    /// The file that a project contains, taken out of it.
    _contained: Option<ContainedFile>,
}

impl OpenedSound {
    /// A sound that no file holds.
    pub fn new(sound: Source, room: &Room) -> OpenedSound {
        let history = History::new(Snapshot::new(sound));
        history.limit(room.budget_bytes, &room.folder);
        OpenedSound { history, notices: Vec::new(), project: None, _contained: None }
    }
}

/// Opens a sound with the labels in its file, or a project.
///
/// # Errors
/// Why a project's source is not there, or one sentence about what is wrong with the file.
pub fn open_sound(
    path: &Path,
    finding: &SourceSearch,
    room: &Room,
    progress: &Progress,
) -> std::result::Result<OpenedSound, Lost> {
    if !is_project(path) {
        let opened = Source::open_with(path, &room.sound, &|_| (), progress).map_err(Lost::Failed)?;
        let (labels, of_labels) = labels_of_sound(&opened.source);
        let history = History::labelled(Snapshot::new(opened.source), labels);
        history.limit(room.budget_bytes, &room.folder);
        let notices = [opened.notices, of_labels].concat();
        return Ok(OpenedSound { history, notices, project: None, _contained: None });
    }
    let contained = ContainedFile::in_folder(&room.folder).map_err(Lost::Failed)?;
    let (restored, _) = open_project(path, finding, room, contained.path(), progress)?;
    let (history, notices) = (restored.history.clone(), restored.notices.clone());
    Ok(OpenedSound { history, notices, project: Some(restored), _contained: Some(contained) })
}

/// What the files of sounds that are taken out of projects are called, before the numbers of the process and of the
/// file.
const CONTAINED: &str = "contained-";

/// A place for the sound that a project contains; the file is removed when this is dropped.
pub struct ContainedFile(PathBuf);

impl ContainedFile {
    /// A name that no other has, in the state folder, which is made.
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

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ContainedFile {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok();
    }
}

/// Removes what processes left behind that were killed.
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

//! The interface of file dialogs. The window shows the system's dialogs; tests script the answers.

use crate::base::{Error, ErrorKind, Result, lock};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Result of a file dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Picked {
    /// A file.
    File(PathBuf),
    /// The user cancelled.
    Cancelled,
    /// The system has no file dialog to show.
    Unavailable,
}

/// A dialog for a file or a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileDialog {
    /// A sound, a project, notes or a picture to open.
    Open,
    /// A picture to open as sound.
    OpenPicture,
    /// A picture whose pixels are cells, to open.
    OpenCells,
    /// A folder of sounds to add to the library.
    Folder,
    /// A folder to write into.
    OutputFolder,
    /// A file of labels to read.
    OpenLabels,
    /// A script to open.
    OpenScript,
    /// Path to export a sound to. This and the dialogs below contain the suggested path.
    Export(PathBuf),
    /// Path to save a project to.
    SaveProject(PathBuf),
    /// Path to save a picture whose pixels are cells to.
    SaveCells(PathBuf),
    /// Path to save a picture of a view with its axes to.
    SavePicture(PathBuf),
    /// Path to export labels to.
    SaveLabels(PathBuf),
    /// Path to save a table of measurements to.
    SaveMeasurements(PathBuf),
    /// Path to save the table of a pitch line to.
    SavePitch(PathBuf),
}

/// File dialogs. Their methods may block, so jobs call them.
pub trait Dialogs: Send + Sync {
    /// Shows a dialog and waits for the user.
    fn ask(&self, dialog: &FileDialog) -> Picked;

    /// Shows a folder in the system's file manager.
    ///
    /// # Errors
    /// There is no file manager, or it did not start.
    fn show_folder(&self, folder: &Path) -> Result<()>;
}

/// Dialogs that return the answers of a test, in order; then [`Picked::Cancelled`]. Clones share the answers.
#[derive(Debug, Clone, Default)]
pub struct ScriptedDialogs {
    answers: Arc<Mutex<VecDeque<Picked>>>,
    shown: Arc<Mutex<Vec<PathBuf>>>,
}

impl ScriptedDialogs {
    /// Appends an answer, for a later dialog.
    pub fn answer(&self, picked: Picked) {
        lock(&self.answers).push_back(picked);
    }

    /// Removes all unused answers.
    pub fn forget(&self) {
        lock(&self.answers).clear();
    }

    /// Folders that were shown.
    pub fn shown(&self) -> Vec<PathBuf> {
        lock(&self.shown).clone()
    }
}

impl Dialogs for ScriptedDialogs {
    fn ask(&self, _dialog: &FileDialog) -> Picked {
        lock(&self.answers).pop_front().unwrap_or(Picked::Cancelled)
    }

    /// Fails if the next answer is [`Picked::Unavailable`].
    fn show_folder(&self, folder: &Path) -> Result<()> {
        if lock(&self.answers).pop_front() == Some(Picked::Unavailable) {
            return Err(Error::new(ErrorKind::Io, "there is no file manager; open the folder by hand"));
        }
        lock(&self.shown).push(folder.to_path_buf());
        Ok(())
    }
}

/// Dialogs that answer with the paths in the lines of a file, in order; then [`Picked::Cancelled`]. For tests that
/// start the program.
#[cfg(feature = "hooks")]
#[derive(Debug)]
pub struct AnsweredDialogs {
    file: PathBuf,
    n_answered: std::sync::atomic::AtomicUsize,
}

#[cfg(feature = "hooks")]
impl AnsweredDialogs {
    /// Dialogs that answer from this file, which is read again for each dialog.
    pub fn new(file: PathBuf) -> AnsweredDialogs {
        AnsweredDialogs { file, n_answered: std::sync::atomic::AtomicUsize::new(0) }
    }
}

#[cfg(feature = "hooks")]
impl Dialogs for AnsweredDialogs {
    fn ask(&self, _dialog: &FileDialog) -> Picked {
        let lines = std::fs::read_to_string(&self.file).unwrap_or_default();
        match lines.lines().nth(self.n_answered.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            Some(line) => Picked::File(line.into()),
            None => Picked::Cancelled,
        }
    }

    /// Writes the folder's path to a file next to the answers, with the extension `shown`.
    fn show_folder(&self, folder: &Path) -> Result<()> {
        let file = self.file.with_extension("shown");
        std::fs::write(&file, crate::base::shown_path(folder)).map_err(|error| Error::io(&error, "written", &file))
    }
}

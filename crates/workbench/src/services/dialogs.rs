//! File dialogs that the workbench asks for. The window shows the system's; tests script theirs.

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
    /// A picture of cells to open.
    OpenCells,
    /// A folder of sounds.
    Folder,
    /// A folder to write into.
    OutputFolder,
    /// A file of labels to read.
    OpenLabels,
    /// A script.
    OpenScript,
    /// A place to export a sound to, with the suggested path, as in the dialogs below.
    Export(PathBuf),
    /// A place for a project.
    SaveProject(PathBuf),
    /// A place for a picture of cells.
    SaveCells(PathBuf),
    /// A place for a picture of a view with its axes.
    SavePicture(PathBuf),
    /// A place for labels.
    SaveLabels(PathBuf),
    /// A place for a table of measurements.
    SaveMeasurements(PathBuf),
    /// Where to save a pitch line; the suggested file.
    SavePitch(PathBuf),
}

/// File dialogs. They may block, so they are called from jobs.
pub trait Dialogs: Send + Sync {
    /// Shows a dialog until the user answers.
    fn ask(&self, dialog: &FileDialog) -> Picked;

    /// Shows a folder in the system's file manager.
    ///
    /// # Errors
    /// One sentence, if there is none.
    fn show_folder(&self, folder: &Path) -> Result<()>;
}

/// Dialogs that return the answers of a test, in order; then [`Picked::Cancelled`]. Clones share the answers.
#[derive(Debug, Clone, Default)]
pub struct ScriptedDialogs {
    answers: Arc<Mutex<VecDeque<Picked>>>,
    shown: Arc<Mutex<Vec<PathBuf>>>,
}

impl ScriptedDialogs {
    /// Appends an answer.
    pub fn answer(&self, picked: Picked) {
        lock(&self.answers).push_back(picked);
    }

    /// Drops unused answers.
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

/// Dialogs that answer with the lines of a file, in order; then [`Picked::Cancelled`]. For tests that start the
/// program.
#[cfg(feature = "hooks")]
#[derive(Debug)]
pub struct AnsweredDialogs {
    file: PathBuf,
    n_answered: std::sync::atomic::AtomicUsize,
}

#[cfg(feature = "hooks")]
impl AnsweredDialogs {
    /// Answers from this file, read again for each dialog.
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

    /// Writes its path beside the answers.
    fn show_folder(&self, folder: &Path) -> Result<()> {
        let file = self.file.with_extension("shown");
        std::fs::write(&file, crate::base::shown_path(folder)).map_err(|error| Error::io(&error, "written", &file))
    }
}

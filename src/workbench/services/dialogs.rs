//! File dialogs: what the workbench asks of them. The window has those of the system; tests script theirs.

use crate::base::lock;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// What a file dialog gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Picked {
    /// A file.
    File(PathBuf),
    /// The user thought better of it.
    Cancelled,
    /// The system has no file dialog to show.
    Unavailable,
}

/// File dialogs. They may block, so they are asked in a job.
pub trait Dialogs: Send + Sync {
    /// A file to open.
    fn open(&self) -> Picked;
    /// A picture to open.
    fn open_picture(&self) -> Picked;
    /// A folder of sounds.
    fn folder(&self) -> Picked;
    /// A picture of cells to open.
    fn open_cells(&self) -> Picked;
    /// A place to save a picture, with a suggestion.
    fn save_picture(&self, folder: &Path, name: &str) -> Picked;
    /// A place to save, with a suggestion.
    fn save(&self, folder: &Path, name: &str) -> Picked;
    /// A place to save a project, with a suggestion.
    fn save_project(&self, folder: &Path, name: &str) -> Picked;
}

/// Dialogs that answer what a test told them, in order; then [`Picked::Cancelled`]. Clones share the answers.
#[derive(Debug, Clone, Default)]
pub struct ScriptedDialogs(Arc<Mutex<VecDeque<Picked>>>);

impl ScriptedDialogs {
    /// The next answer after those given before.
    pub fn answer(&self, picked: Picked) {
        lock(&self.0).push_back(picked);
    }

    /// Drops the answers that nobody asked for.
    pub fn forget(&self) {
        lock(&self.0).clear();
    }

    fn next(&self) -> Picked {
        lock(&self.0).pop_front().unwrap_or(Picked::Cancelled)
    }
}

impl Dialogs for ScriptedDialogs {
    fn open(&self) -> Picked {
        self.next()
    }

    fn open_picture(&self) -> Picked {
        self.next()
    }

    fn folder(&self) -> Picked {
        self.next()
    }

    fn open_cells(&self) -> Picked {
        self.next()
    }

    fn save_picture(&self, _folder: &Path, _name: &str) -> Picked {
        self.next()
    }

    fn save(&self, _folder: &Path, _name: &str) -> Picked {
        self.next()
    }

    fn save_project(&self, _folder: &Path, _name: &str) -> Picked {
        self.next()
    }
}

/// Dialogs that answer with the lines of a file, one after another; then [`Picked::Cancelled`]. For tests that start
/// the program.
#[cfg(feature = "hooks")]
#[derive(Debug)]
pub struct AnsweredDialogs {
    file: PathBuf,
    n_answered: std::sync::atomic::AtomicUsize,
}

#[cfg(feature = "hooks")]
impl AnsweredDialogs {
    /// Answers from this file, read anew for each.
    pub fn new(file: PathBuf) -> AnsweredDialogs {
        AnsweredDialogs { file, n_answered: std::sync::atomic::AtomicUsize::new(0) }
    }

    fn next(&self) -> Picked {
        let lines = std::fs::read_to_string(&self.file).unwrap_or_default();
        match lines.lines().nth(self.n_answered.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            Some(line) => Picked::File(line.into()),
            None => Picked::Cancelled,
        }
    }
}

#[cfg(feature = "hooks")]
impl Dialogs for AnsweredDialogs {
    fn open(&self) -> Picked {
        self.next()
    }

    fn open_picture(&self) -> Picked {
        self.next()
    }

    fn folder(&self) -> Picked {
        self.next()
    }

    fn open_cells(&self) -> Picked {
        self.next()
    }

    fn save_picture(&self, _folder: &Path, _name: &str) -> Picked {
        self.next()
    }

    fn save(&self, _folder: &Path, _name: &str) -> Picked {
        self.next()
    }

    fn save_project(&self, _folder: &Path, _name: &str) -> Picked {
        self.next()
    }
}

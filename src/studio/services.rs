//! What the studio needs from the machine. Tests give scripted dialogs, a recording output, a set clock and manual jobs.

use super::jobs::Jobs;
use crate::base::{Folders, lock};
use crate::playback::AudioOutput;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// All of it.
pub struct Services {
    /// File dialogs.
    pub dialogs: Arc<dyn Dialogs>,
    /// Where sound goes.
    pub audio_output: Box<dyn AudioOutput>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// Where settings, logs and the demo clip are kept.
    pub folders: Folders,
    /// Work off the UI thread.
    pub jobs: Jobs,
}

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
    /// A place to save, with a suggestion.
    fn save(&self, folder: &Path, name: &str) -> Picked;
    /// A place to save a project, with a suggestion.
    fn save_project(&self, folder: &Path, name: &str) -> Picked;
}

/// A clock that never goes back.
pub trait Clock: Send + Sync {
    /// Seconds since some moment.
    fn now_secs(&self) -> f64;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock(Instant);

impl SystemClock {
    /// A clock that starts at 0.
    pub fn new() -> SystemClock {
        SystemClock(Instant::now())
    }
}

impl Default for SystemClock {
    fn default() -> SystemClock {
        SystemClock::new()
    }
}

impl Clock for SystemClock {
    fn now_secs(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// A clock that tests set; clones share it.
#[derive(Debug, Clone, Default)]
pub struct SetClock(Arc<AtomicU64>);

impl SetClock {
    /// Moves on.
    pub fn advance(&self, secs: f64) {
        self.0.store((self.now_secs() + secs).to_bits(), Relaxed);
    }
}

impl Clock for SetClock {
    fn now_secs(&self) -> f64 {
        f64::from_bits(self.0.load(Relaxed))
    }
}

/// The dialogs of the system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemDialogs;

/// Nobody closes a dialog faster than this: no answer within it means that there was none to close. rfd tells no more
/// than "no file" when neither a portal nor zenity is there.
const LEAST_DIALOG_TIME: Duration = Duration::from_millis(500);

impl SystemDialogs {
    fn ask(dialog: impl FnOnce() -> Option<PathBuf>) -> Picked {
        let asked_at = Instant::now();
        match dialog() {
            Some(path) => Picked::File(path),
            None if asked_at.elapsed() < LEAST_DIALOG_TIME || !has_dialogs() => Picked::Unavailable,
            None => Picked::Cancelled,
        }
    }
}

/// Whether anything could have shown a dialog: on Linux, a session bus for the portal or zenity.
fn has_dialogs() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let has_zenity = std::env::split_paths(&folders).any(|folder| folder.join("zenity").is_file());
    has_zenity
        || std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some()
        || std::env::var_os("XDG_RUNTIME_DIR").is_some_and(|folder| Path::new(&folder).join("bus").exists())
}

/// What the opener reads.
const EXTENSIONS: [&str; 20] = [
    "wav", "wave", "rf64", "w64", "flac", "aif", "aiff", "aifc", "caf", "au", "snd", "mp3", "m4a", "m4b", "mp4", "mov",
    "aac", "ogg", "oga", "opus",
];

/// What projects end in.
const PROJECT_EXTENSIONS: [&str; 1] = ["sonobrush"];

impl Dialogs for SystemDialogs {
    fn open(&self) -> Picked {
        let dialog = rfd::FileDialog::new().set_title("Open a sound or a project");
        let all = [&EXTENSIONS[..], &PROJECT_EXTENSIONS].concat();
        let dialog = dialog.add_filter("Sounds and projects", &all).add_filter("Projects", &PROJECT_EXTENSIONS);
        SystemDialogs::ask(|| dialog.add_filter("All files", &["*"]).pick_file())
    }

    fn save(&self, folder: &Path, name: &str) -> Picked {
        let dialog = rfd::FileDialog::new().set_title("Export").add_filter("WAV", &["wav"]);
        SystemDialogs::ask(|| dialog.set_directory(folder).set_file_name(name).save_file())
    }

    fn save_project(&self, folder: &Path, name: &str) -> Picked {
        let dialog = rfd::FileDialog::new().set_title("Save the project");
        let dialog = dialog.add_filter("Sonobrush project", &PROJECT_EXTENSIONS);
        SystemDialogs::ask(|| dialog.set_directory(folder).set_file_name(name).save_file())
    }
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

    fn save(&self, _folder: &Path, _name: &str) -> Picked {
        self.next()
    }

    fn save_project(&self, _folder: &Path, _name: &str) -> Picked {
        self.next()
    }
}

/// Dialogs that answer with the lines of a file, one after another; then [`Picked::Cancelled`]. For tests that start
/// the program.
#[derive(Debug)]
pub struct AnsweredDialogs {
    file: PathBuf,
    n_answered: AtomicUsize,
}

impl AnsweredDialogs {
    /// Answers from this file, read anew for each.
    pub fn new(file: PathBuf) -> AnsweredDialogs {
        AnsweredDialogs { file, n_answered: AtomicUsize::new(0) }
    }

    fn next(&self) -> Picked {
        let lines = std::fs::read_to_string(&self.file).unwrap_or_default();
        match lines.lines().nth(self.n_answered.fetch_add(1, Relaxed)) {
            Some(line) => Picked::File(line.into()),
            None => Picked::Cancelled,
        }
    }
}

impl Dialogs for AnsweredDialogs {
    fn open(&self) -> Picked {
        self.next()
    }

    fn save(&self, _folder: &Path, _name: &str) -> Picked {
        self.next()
    }

    fn save_project(&self, _folder: &Path, _name: &str) -> Picked {
        self.next()
    }
}

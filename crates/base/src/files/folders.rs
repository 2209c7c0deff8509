//! Platform folders for settings, logs and caches.

use std::path::{Path, PathBuf};

/// The folders of one installation; tests use temporary ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    settings: PathBuf,
    state: PathBuf,
    cache: PathBuf,
}

impl Folders {
    /// The platform's folders for this user, or a temporary folder if there is no home folder.
    pub fn of_user() -> Folders {
        match directories::ProjectDirs::from("", "", "sonobrush") {
            Some(found) => {
                let state = found.state_dir().unwrap_or_else(|| found.data_local_dir()).to_path_buf();
                Folders { settings: found.config_dir().to_path_buf(), state, cache: found.cache_dir().to_path_buf() }
            }
            None => Folders::in_folder(&std::env::temp_dir().join("sonobrush")),
        }
    }

    /// All folders inside one folder.
    pub fn in_folder(folder: &Path) -> Folders {
        Folders { settings: folder.join("settings"), state: folder.join("state"), cache: folder.join("cache") }
    }

    /// The settings file.
    pub fn settings_file(&self) -> PathBuf {
        self.settings.join("settings.json")
    }

    /// Folder of the user's saved items of a kind, such as `noise` or `exports`.
    pub fn kept(&self, kind: &str) -> PathBuf {
        self.settings.join(kind)
    }

    /// Folder of logs and sessions.
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// Folder of data that can be recreated: this run's decoded sound, and cached pyramids of files.
    pub fn cache(&self) -> &Path {
        &self.cache
    }

    /// Path of the note about the last crash, kept until the next start reports it.
    pub fn crash_note(&self) -> PathBuf {
        Folders::crash_note_beside(&self.log_file())
    }

    /// As [`crash_note`](Folders::crash_note), given only the log file.
    pub fn crash_note_beside(log_file: &Path) -> PathBuf {
        log_file.with_file_name("crash.txt")
    }

    /// The log file.
    pub fn log_file(&self) -> PathBuf {
        self.state.join("sonobrush.log")
    }
}

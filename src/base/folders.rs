//! Where the platform keeps our settings, logs and caches.

use std::path::{Path, PathBuf};

/// The folders of one installation; tests give their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    settings: PathBuf,
    state: PathBuf,
    cache: PathBuf,
}

impl Folders {
    /// The platform's folders for this user. Without a home folder, a folder among the temporary files.
    pub fn of_user() -> Folders {
        match directories::ProjectDirs::from("", "", "sonobrush") {
            Some(found) => {
                let state = found.state_dir().unwrap_or_else(|| found.data_local_dir()).to_path_buf();
                Folders { settings: found.config_dir().to_path_buf(), state, cache: found.cache_dir().to_path_buf() }
            }
            None => Folders::in_folder(&std::env::temp_dir().join("sonobrush")),
        }
    }

    /// All of it inside one folder.
    pub fn in_folder(folder: &Path) -> Folders {
        Folders { settings: folder.join("settings"), state: folder.join("state"), cache: folder.join("cache") }
    }

    /// The settings file.
    pub fn settings_file(&self) -> PathBuf {
        self.settings.join("settings.json")
    }

    /// Logs and, later, sessions.
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// What can be made again at any time: sound decoded for this run, pictures of files seen before.
    pub fn cache(&self) -> &Path {
        &self.cache
    }

    /// The log file.
    pub fn log_file(&self) -> PathBuf {
        self.state.join("sonobrush.log")
    }
}

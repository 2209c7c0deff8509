//! Recently opened files.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A recently opened file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recent {
    /// Path of the file when it was opened.
    pub path: PathBuf,
    /// Length of the sound in seconds.
    pub duration_secs: f64,
    /// Sample rate, format and channels, as displayed.
    pub format: String,
}

impl Recent {
    /// File name and folder, for display; `~` stands for the home folder.
    pub fn words(&self) -> [String; 2] {
        let name = self.path.file_name().map_or_else(String::new, |name| crate::base::shown_path(Path::new(name)));
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.parent().is_some());
        let folder = match home.and_then(|home| folder.strip_prefix(home).ok().map(Path::to_path_buf)) {
            Some(inside) => Path::new("~").join(inside),
            None => folder.to_path_buf(),
        };
        [name, crate::base::shown_path(&folder)]
    }
}

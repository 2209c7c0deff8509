//! The program's own files, whose changes a watch ignores, since a library may be in a folder that it watches.

use crate::library::store::LibraryPlace;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Files of the library, and folders of the program, with paths as events report them.
#[derive(Debug)]
pub struct OwnFiles {
    files: BTreeSet<PathBuf>,
    folders: Vec<PathBuf>,
}

impl OwnFiles {
    /// The files of this library, whether they exist or not, and the program's folders. Links to folders are resolved.
    pub fn of(place: &LibraryPlace) -> OwnFiles {
        let files = place.own_files().into_iter().map(|path| without_links(&path)).collect();
        let folders = place.own_folders().iter().filter_map(|folder| std::fs::canonicalize(folder).ok()).collect();
        OwnFiles { files, folders }
    }

    /// Whether a path is one of them, or inside one.
    pub fn has(&self, path: &Path) -> bool {
        self.files.contains(path) || self.folders.iter().any(|folder| path.starts_with(folder))
    }
}

/// A path with links in its folder resolved; the file need not exist.
fn without_links(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let found = whole.parent().zip(whole.file_name());
    let canonical = found.and_then(|(folder, name)| Some(std::fs::canonicalize(folder).ok()?.join(name)));
    canonical.unwrap_or(whole)
}

//! Folders with changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time without changes after which a folder is scanned.
pub const QUIET_TIME: Duration = Duration::from_secs(1);

/// Folders with changes, and the time of the last change in each.
#[derive(Debug, Default)]
pub struct MarkedFolders(BTreeMap<PathBuf, Instant>);

impl MarkedFolders {
    /// Marks a folder.
    pub fn mark(&mut self, folder: &Path, at: Instant) {
        self.0.insert(folder.to_path_buf(), at);
    }

    /// Takes the folders that have been quiet since `before`. Folders inside another of the same root are left out:
    /// scanning the outer folder covers them.
    pub fn take_quiet(&mut self, before: Instant, roots: &[PathBuf]) -> Vec<PathBuf> {
        let quiet: Vec<PathBuf> =
            self.0.iter().filter(|(_, at)| **at <= before).map(|(path, _)| path.clone()).collect();
        self.0.retain(|_, at| *at > before);
        let mut outer: Vec<PathBuf> = Vec::new();
        for path in quiet {
            // Paths are sorted, so an outer folder comes before those inside it.
            let has_it = |known: &PathBuf| path.starts_with(known) && root_of(&path, roots) == root_of(known, roots);
            if !outer.iter().any(has_it) {
                outer.push(path);
            }
        }
        outer
    }

    /// Number of marked folders.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none is marked.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The root of a path: the innermost that contains it.
pub fn root_of<'a>(path: &Path, roots: &'a [PathBuf]) -> Option<&'a PathBuf> {
    roots.iter().filter(|root| path.starts_with(root)).max_by_key(|root| root.as_os_str().len())
}

//! Folders created for outputs, removed again if unused.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Folders that did not exist when this was made; those created since are removed again if they stay empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewFolders(BTreeSet<PathBuf>);

impl NewFolders {
    /// The folders among these and their ancestors that do not exist. Creates nothing.
    pub fn of<'a>(folders: impl IntoIterator<Item = &'a Path>) -> NewFolders {
        let mut missing = BTreeSet::new();
        for folder in folders {
            let around = folder.ancestors().take_while(|path| !path.as_os_str().is_empty());
            for path in around {
                // The ancestors of a folder found before have already been examined.
                if missing.contains(path) || path.symlink_metadata().is_ok() {
                    break;
                }
                missing.insert(path.to_path_buf());
            }
        }
        NewFolders(missing)
    }

    /// Removes the folders that have been created since and are empty.
    pub fn remove_empty(&self) {
        // A folder sorts before its contents, so contents are removed first.
        for folder in self.0.iter().rev() {
            // Fails for a folder that is not empty, which stays.
            std::fs::remove_dir(folder).ok();
        }
    }
}

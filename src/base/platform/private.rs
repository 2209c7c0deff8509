//! Folders and files that only this user can read.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Result;
use std::path::Path;

/// Creates a folder, and those above it, readable by this user alone; one that exists stays as it is. Elsewhere than on
/// Unix permissions are inherited.
///
/// # Errors
/// The system's.
pub fn create_private_folder(path: &Path) -> Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Opens a file for reading and writing, created readable by this user alone if it does not exist. Elsewhere than on Unix
/// permissions are inherited.
///
/// # Errors
/// The system's.
pub fn open_private_file(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    #[cfg(not(unix))]
    let _ = path;
    options.open(path)
}

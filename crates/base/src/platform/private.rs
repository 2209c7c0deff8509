//! Folders and files that only this user can read.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Result;
use std::path::Path;

/// Creates a folder and its ancestors, readable only by this user; an existing folder is left unchanged. On systems
/// other than Unix permissions are inherited.
///
/// # Errors
/// The operating system's error.
pub fn create_private_folder(path: &Path) -> Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Creates a folder readable only by this user. It must not exist, and its parent must. On systems other than Unix
/// permissions are inherited.
///
/// # Errors
/// The operating system's error.
pub fn create_new_private_folder(path: &Path) -> Result<()> {
    #[cfg(unix)]
    let builder = {
        let mut builder = DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
    };
    #[cfg(not(unix))]
    let builder = DirBuilder::new();
    builder.create(path)
}

/// Opens a file for reading and writing; if it does not exist, creates it readable only by this user. On systems other
/// than Unix permissions are inherited.
///
/// # Errors
/// The operating system's error.
pub fn open_private_file(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    #[cfg(not(unix))]
    let _ = path;
    options.open(path)
}

/// As [`open_private_file`], for a file that must not exist yet.
///
/// # Errors
/// The operating system's error.
pub fn open_new_private_file(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Removes other users' permissions from a folder or file created by an older version. On systems other than Unix
/// permissions are inherited.
///
/// # Errors
/// The operating system's error.
pub fn keep_private(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let found = std::fs::metadata(path)?.permissions();
        if found.mode() & 0o077 != 0 {
            std::fs::set_permissions(path, PermissionsExt::from_mode(found.mode() & 0o700))?;
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

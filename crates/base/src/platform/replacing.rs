//! Replacing a file by another of the same name.

use std::fs::{Metadata, Permissions};
use std::io::Result;
use std::path::Path;

/// Whether this user may write to an existing file; the permissions of its folder alone would let it be replaced.
/// Elsewhere than on Unix always: there the replacement itself fails.
///
/// # Errors
/// The system's, where it may not be written.
pub fn check_writable(path: &Path) -> Result<()> {
    #[cfg(unix)]
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK)?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Permissions for the file that replaces another, or none: those of the other, or of any new file (0o666 less the umask).
/// Elsewhere than on Unix files inherit them from their folder, and none are given.
pub fn permissions_of_new_file(replaced: Option<&Metadata>) -> Option<Permissions> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = replaced.map_or(0o666, |replaced| replaced.permissions().mode() & 0o777);
        Some(Permissions::from_mode(mode))
    }
    #[cfg(not(unix))]
    {
        let _ = replaced;
        None
    }
}

/// Writes to the disk which names a folder has. Elsewhere than on Unix folders cannot be opened as files: a rename is
/// left to the file system's journal.
///
/// # Errors
/// The system's.
pub fn sync_folder(folder: &Path) -> Result<()> {
    #[cfg(unix)]
    std::fs::File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

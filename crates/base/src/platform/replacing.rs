//! Replacing a file with another of the same name.

use std::fs::{Metadata, Permissions};
use std::io::Result;
use std::path::Path;

/// Checks that this user may write to an existing file; replacing it would otherwise need only permissions on its
/// folder. No check on systems other than Unix, where the replacement itself fails.
///
/// # Errors
/// The operating system's error if the file is not writable.
pub fn check_writable(path: &Path) -> Result<()> {
    #[cfg(unix)]
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK)?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Permissions for a new file: those of the file it replaces, or of any new file (0o666 less the umask). `None` on
/// systems other than Unix, where files inherit them from their folder.
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

/// Copies the owner, group, mode and extended attributes of the file to be replaced. On systems other than Unix files
/// keep those of their folder.
///
/// # Errors
/// The operating system's error: a user who may not change ownership cannot replace another user's file without
/// becoming its owner.
pub fn take_over_metadata(from: &Path, to: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let (old, new) = (std::fs::metadata(from)?, std::fs::metadata(to)?);
        if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
            std::os::unix::fs::chown(to, Some(old.uid()), Some(old.gid()))?;
        }
        copy_attributes(from, to);
        // Last, since a change of owner clears the set-user-ID and set-group-ID bits.
        std::fs::set_permissions(to, old.permissions())?;
    }
    #[cfg(not(unix))]
    let _ = (from, to);
    Ok(())
}

/// Copies extended attributes as far as the file system and the user's rights allow; some are reserved for the system.
#[cfg(target_os = "linux")]
fn copy_attributes(from: &Path, to: &Path) {
    use rustix::fs::{XattrFlags, getxattr, listxattr, setxattr};
    let (mut names, mut value) = (vec![0u8; 1 << 16], vec![0u8; 1 << 16]);
    let Ok(n_bytes) = listxattr(from, &mut names[..]) else { return };
    for name in names[..n_bytes].split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
        if let Ok(n_bytes) = getxattr(from, name, &mut value[..]) {
            setxattr(to, name, &value[..n_bytes], XattrFlags::empty()).ok();
        }
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
fn copy_attributes(_: &Path, _: &Path) {}

/// Syncs the entries of a folder to disk. On systems other than Unix folders cannot be opened as files, so a rename is
/// left to the file system's journal.
///
/// # Errors
/// The operating system's error.
pub fn sync_folder(folder: &Path) -> Result<()> {
    #[cfg(unix)]
    std::fs::File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

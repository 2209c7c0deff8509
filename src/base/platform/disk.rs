//! The size of a disk and what is free on it.

use std::path::Path;

/// Bytes of the disk that holds a folder, and those that this user may still write. Other systems than Unix give none:
/// nothing is refused for lack of space before it is written.
pub fn size_and_free_bytes(folder: &Path) -> Option<[u64; 2]> {
    #[cfg(unix)]
    {
        let found = rustix::fs::statvfs(folder).ok()?;
        let bytes = |blocks: u64| blocks.checked_mul(found.f_frsize);
        Some([bytes(found.f_blocks)?, bytes(found.f_bavail)?])
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        None
    }
}

//! Recognises a file under all of its names, and whether an open file was deleted.

use std::fs::Metadata;

/// Identity of a file: equal for all of its names, including hard links, and distinct between files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// Device number of the file system.
    pub fn device(self) -> u64 {
        self.device
    }

    /// Number of the file within its file system.
    pub fn inode(self) -> u64 {
        self.inode
    }
}

/// The id of a file. `None` on systems other than Unix, where callers compare canonical paths, which do not detect hard
/// links.
pub fn file_id(metadata: &Metadata) -> Option<FileId> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some(FileId { device: metadata.dev(), inode: metadata.ino() })
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}

/// Whether an open file was deleted, so that no name refers to it. Always false on systems other than Unix, where an
/// open file keeps its name.
pub fn is_deleted(metadata: &Metadata) -> bool {
    #[cfg(unix)]
    {
        std::os::unix::fs::MetadataExt::nlink(metadata) == 0
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        false
    }
}

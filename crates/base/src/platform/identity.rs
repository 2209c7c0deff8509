//! Identity of files.

use std::fs::Metadata;

/// Equal for all names of a file, hard links too, and different for different files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// Its file system.
    pub fn device(self) -> u64 {
        self.device
    }

    /// Its number in the file system.
    pub fn inode(self) -> u64 {
        self.inode
    }
}

/// The id of a file. `None` on systems other than Unix: callers compare canonical paths, which do not detect hard
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

/// Whether an open file was deleted, so that no name refers to it any more. Always false except on Unix: elsewhere an
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

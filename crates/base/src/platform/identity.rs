//! Which file a name leads to.

use std::fs::Metadata;

/// The same for all names of a file, hard links too, and different for different files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// The file system that it lies in.
    pub fn device(self) -> u64 {
        self.device
    }

    /// Its number there.
    pub fn inode(self) -> u64 {
        self.inode
    }
}

/// The id of a file. Other systems than Unix give none: callers compare canonical paths, which do not see hard links.
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

/// Whether an open file was deleted: no name leads to it any more. Elsewhere than on Unix never: there an open file keeps
/// its name.
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

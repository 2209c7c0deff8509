//! Opening paths that may not be regular files.

use std::fs::{File, FileType, OpenOptions};
use std::io::{Error, Result};
use std::path::Path;

/// Opens a file for reading without waiting for the writer of a named pipe. On systems other than Unix, where pipes are
/// not files, it is a plain open.
///
/// # Errors
/// The operating system's error.
pub fn open_without_waiting(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    options.open(path)
}

/// Whether opening a path failed because its symbolic links form a loop. Always false on systems other than Unix, where
/// it is an ordinary error.
pub fn is_link_loop(error: &Error) -> bool {
    #[cfg(unix)]
    {
        error.raw_os_error() == Some(libc::ELOOP)
    }
    #[cfg(not(unix))]
    {
        let _ = error;
        false
    }
}

/// The kind of a path that is neither a regular file nor a folder, with an article: `a named pipe`. On systems other
/// than Unix it is "not a regular file".
pub fn special_kind(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        match () {
            () if kind.is_fifo() => "a named pipe",
            () if kind.is_socket() => "a socket",
            () => "a device",
        }
    }
    #[cfg(not(unix))]
    {
        let _ = kind;
        "not a regular file"
    }
}

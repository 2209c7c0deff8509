//! Paths as bytes that can be stored.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The exact bytes of a path. On systems other than Unix they are UTF-8, with U+FFFD for invalid characters.
pub fn path_bytes(path: &Path) -> Cow<'_, [u8]> {
    #[cfg(unix)]
    {
        Cow::Borrowed(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()))
    }
    #[cfg(not(unix))]
    Cow::Owned(path.to_string_lossy().into_owned().into_bytes())
}

/// Inverse of [`path_bytes`].
pub fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        PathBuf::from(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes))
    }
    #[cfg(not(unix))]
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

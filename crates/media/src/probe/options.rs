//! Options for opening a sound.

use crate::base::{Folders, Progress, Space};
use std::path::{Path, PathBuf};

/// Memory limit per sound, and where to store longer sounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenOptions {
    /// Memory limit per sound in bytes. Longer sounds stay on disk: plain samples in their own file, all others decoded
    /// into an unnamed temporary file.
    pub memory_bytes: u64,
    /// The folder of those temporary files; created if needed.
    pub scratch_folder: PathBuf,
    /// Bytes to leave free on that folder's disk; `None` for [`Space::reserve`]. A sound that needs more is refused.
    pub reserve_bytes: Option<u64>,
    /// Size and free space to assume for the disk in tests.
    pub space: Option<Space>,
}

impl Default for OpenOptions {
    /// 64 MiB, about six minutes of 16-bit stereo; the user's cache folder.
    fn default() -> OpenOptions {
        OpenOptions {
            memory_bytes: 64 << 20,
            scratch_folder: Folders::of_user().cache().to_path_buf(),
            reserve_bytes: None,
            space: None,
        }
    }
}

/// Parameters for opening a file, the same for every reader.
#[derive(Clone, Copy)]
pub(crate) struct Opening<'a> {
    pub(crate) path: &'a Path,
    /// Length of the file in bytes.
    pub(crate) n_bytes: u64,
    pub(crate) options: &'a OpenOptions,
    pub(crate) progress: &'a Progress,
}

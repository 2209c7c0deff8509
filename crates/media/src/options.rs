//! Options for opening a sound.

use crate::base::{Folders, Progress, Space};
use std::path::{Path, PathBuf};

/// Memory limit of a sound, and storage for the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenOptions {
    /// Sounds whose samples take more stay on disk: plain ones in their own file, all others decoded into an unnamed
    /// temporary file.
    pub memory_bytes: u64,
    /// The folder of those temporary files; created if needed.
    pub scratch_folder: PathBuf,
    /// Bytes left free on its disk; `None` for [`Space::reserve`]. Sound that does not fit above is refused.
    pub reserve_bytes: Option<u64>,
    /// Size and free space of that disk before anything is written, instead of querying it: for tests.
    pub space: Option<Space>,
}

impl Default for OpenOptions {
    /// 64 MiB, some six minutes of stereo at 16 bits; the user's cache folder.
    fn default() -> OpenOptions {
        OpenOptions {
            memory_bytes: 64 << 20,
            scratch_folder: Folders::of_user().cache().to_path_buf(),
            reserve_bytes: None,
            space: None,
        }
    }
}

/// The opening of one file, as every reader needs to know it.
#[derive(Clone, Copy)]
pub(super) struct Opening<'a> {
    pub(super) path: &'a Path,
    /// Length of the file.
    pub(super) n_bytes: u64,
    pub(super) options: &'a OpenOptions,
    pub(super) progress: &'a Progress,
}

//! How a sound is opened.

use crate::base::{Folders, Progress, Space};
use std::path::{Path, PathBuf};

/// How much of a sound is held in memory, and where the rest goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenOptions {
    /// A sound whose samples take more stays on disk: plain ones in their own file, all others decoded into a temporary
    /// one without a name.
    pub memory_bytes: u64,
    /// The folder of those temporary files; made when there is none.
    pub scratch_folder: PathBuf,
    /// Bytes that those leave free on its disk; none: what [`Space::reserve`] says. Sound that does not fit above is
    /// refused.
    pub reserve_bytes: Option<u64>,
    /// What that disk holds before anything is written, where it is not asked: for tests.
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

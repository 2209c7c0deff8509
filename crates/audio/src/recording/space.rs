//! Limits on the size of a recording.

use crate::base::{Error, ErrorKind, Result, Space, space_of};
use std::path::Path;

/// Limits on the size of a recording.
#[derive(Debug, Clone, Copy, Default)]
pub struct RecordingSpace {
    /// Bytes to leave free on the disk; [`Space::reserve`] if `None`.
    pub reserve_bytes: Option<u64>,
    /// Maximum number of frames; unlimited if `None`.
    pub max_frames: Option<u64>,
    /// Whether the file is created readable only by this user.
    pub is_private: bool,
    /// Disk space to assume at the start of the recording, for tests.
    pub pretended: Option<Space>,
}

impl RecordingSpace {
    /// Bytes that may still be written to the disk of a folder; `None` if the system does not report them. `n_written`
    /// is the number of bytes written so far.
    pub(super) fn left_bytes(&self, folder: &Path, n_written: u64) -> Option<u64> {
        let space = match self.pretended {
            Some(space) => Space { free: space.free.saturating_sub(n_written), ..space },
            None => space_of(folder)?,
        };
        Some(space.free.saturating_sub(self.reserve_bytes.unwrap_or_else(|| space.reserve())))
    }

    /// Checks that `n_bytes` more may be written.
    ///
    /// # Errors
    /// [`DiskFull`](ErrorKind::DiskFull) if fewer bytes are left.
    pub(super) fn check(&self, folder: &Path, n_written: u64, n_bytes: u64) -> Result<()> {
        match self.left_bytes(folder, n_written) {
            Some(left) if left < n_bytes => Err(Error::new(
                ErrorKind::DiskFull,
                "the disk has no more room above what is kept in reserve (scratch_reserve_mb)",
            )),
            _ => Ok(()),
        }
    }
}

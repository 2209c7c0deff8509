//! Free disk space, checked before anything large is written.

use crate::platform::size_and_free_bytes;
use crate::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

/// Space left free in any case: a completely full disk breaks other programs, too.
const SPARE_BYTES: u64 = 16 << 20;

/// Size and free space of a disk in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Total size.
    pub size: u64,
    /// Space available to this user.
    pub free: u64,
}

impl Space {
    /// Default space that temporary data leaves free: the smaller of 1 GB and 5 % of the disk, but at least 64 MB.
    pub fn reserve(&self) -> u64 {
        (self.size / 20).clamp(MIN_RESERVED_BYTES, MAX_RESERVED_BYTES)
    }
}

const MAX_RESERVED_BYTES: u64 = 1_000_000_000;
const MIN_RESERVED_BYTES: u64 = 64_000_000;

/// Size and free space of the disk of a folder, or of its nearest existing parent; `None` if the system does not report
/// it.
pub fn space_of(folder: &Path) -> Option<Space> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| PathBuf::from(folder));
    absolute.ancestors().find(|folder| folder.is_dir()).and_then(space_in)
}

/// Bytes available to this user in a folder, or in its nearest existing parent; `None` if the system does not report
/// it.
pub fn free_bytes(folder: &Path) -> Option<u64> {
    space_of(folder).map(|space| space.free)
}

fn space_in(folder: &Path) -> Option<Space> {
    size_and_free_bytes(folder).map(|[size, free]| Space { size, free })
}

/// Checks that `n_bytes` fit into a folder.
///
/// # Errors
/// [`ErrorKind::DiskFull`], with the needed and the free space.
pub fn check_room(folder: &Path, n_bytes: u64) -> Result<()> {
    let Some(free) = free_bytes(folder) else { return Ok(()) };
    if n_bytes == 0 || n_bytes.saturating_add(SPARE_BYTES.min(n_bytes)) <= free {
        return Ok(());
    }
    let mb = |bytes: u64| bytes.div_ceil(1_000_000);
    let (needed, free) = (mb(n_bytes), free / 1_000_000);
    let sentence =
        format!("does not fit: {needed} MB are needed and {free} MB are free; free some space or choose another disk");
    Err(Error::new(ErrorKind::DiskFull, sentence).at(folder))
}

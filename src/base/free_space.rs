//! How much a disk still holds, asked before anything long is written to it.

use super::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

/// Left alone: a disk without a byte stops more than us.
const SPARE_BYTES: u64 = 16 << 20;

/// Bytes that this user may still write in a folder, or in the nearest one above it that is there; none where the
/// system does not tell.
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| PathBuf::from(folder));
    absolute.ancestors().find(|folder| folder.is_dir()).and_then(free_in)
}

#[cfg(target_os = "linux")]
fn free_in(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    found.f_bavail.checked_mul(found.f_frsize)
}

#[cfg(not(target_os = "linux"))]
fn free_in(_folder: &Path) -> Option<u64> {
    None
}

/// Refuses what would not fit.
///
/// # Errors
/// [`ErrorKind::DiskFull`], with what is needed and what is free.
pub fn check_room(folder: &Path, n_bytes: u64) -> Result<()> {
    let Some(free) = free_bytes(folder) else { return Ok(()) };
    if n_bytes == 0 || n_bytes.saturating_add(SPARE_BYTES.min(n_bytes)) <= free {
        return Ok(());
    }
    let mb = |bytes: u64| bytes.div_ceil(1_000_000);
    let (needed, free) = (mb(n_bytes), free / 1_000_000);
    let sentence =
        format!("does not fit: {needed} MB are needed and {free} MB are free; make room or choose another disk");
    Err(Error::new(ErrorKind::DiskFull, sentence).at(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_with_both_figures() {
        let folder = std::env::temp_dir();
        assert!(check_room(&folder, 0).is_ok() && check_room(&folder, 1).is_ok());
        let below = folder.join("not").join("there");
        assert!(check_room(&below, 1).is_ok(), "asked of the folder above");
        if free_bytes(&folder).is_some() {
            let error = check_room(&below, 1 << 60).expect_err("more than any disk");
            assert_eq!(error.kind(), ErrorKind::DiskFull);
            assert!(error.message().contains("1152921504607 MB are needed"), "{error}");
        }
    }
}

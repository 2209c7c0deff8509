//! Files that are read whole: scripts and settings.

use super::platform::open_without_waiting;
use super::{Error, ErrorKind, Result};
use std::io::Read;
use std::path::Path;

/// The bytes of a regular file of at most `max_bytes`. Never waits on a FIFO, never reads an endless device.
///
/// # Errors
/// [`ErrorKind::Io`] where it cannot be read or is no regular file, [`ErrorKind::Limit`] where it is larger.
pub fn read_small_file(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let io = |error: std::io::Error| Error::io(&error, "read", path);
    let (file, n_bytes) = open_regular(path)?;
    if n_bytes > max_bytes {
        let megabytes = max_bytes >> 20;
        return Err(
            Error::new(ErrorKind::Limit, format!("is larger than the {megabytes} MB that are read here")).at(path)
        );
    }
    let mut bytes = Vec::new();
    file.take(max_bytes).read_to_end(&mut bytes).map_err(io)?;
    Ok(bytes)
}

/// The first bytes of a regular file: `n_bytes` of them, or all where it is shorter.
///
/// # Errors
/// [`ErrorKind::Io`] where it cannot be read or is no regular file.
pub fn read_head(path: &Path, n_bytes: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let (file, _) = open_regular(path)?;
    file.take(n_bytes as u64).read_to_end(&mut bytes).map_err(|error| Error::io(&error, "read", path))?;
    Ok(bytes)
}

/// A regular file and its size.
fn open_regular(path: &Path) -> Result<(std::fs::File, u64)> {
    let io = |error: std::io::Error| Error::io(&error, "read", path);
    let file = open_without_waiting(path).map_err(io)?;
    let found = file.metadata().map_err(io)?;
    if !found.is_file() {
        return Err(Error::new(ErrorKind::Io, "is not a regular file").at(path));
    }
    Ok((file, found.len()))
}

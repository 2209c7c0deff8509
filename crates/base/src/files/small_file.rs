//! Bounded reading of whole files, such as scripts and settings.

use crate::platform::open_without_waiting;
use crate::{Error, ErrorKind, Result};
use std::io::Read;
use std::path::Path;

/// Reads a regular file of at most `max_bytes`. Never blocks on a FIFO or reads an endless device.
///
/// # Errors
/// [`ErrorKind::Io`] if it cannot be read or is not a regular file, [`ErrorKind::Limit`] if it is larger.
pub fn read_small_file(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let io = |error: std::io::Error| Error::io(&error, "read", path);
    let (file, n_bytes) = open_regular(path)?;
    if n_bytes > max_bytes {
        let megabytes = max_bytes >> 20;
        return Err(Error::new(ErrorKind::Limit, format!("is larger than the limit of {megabytes} MB")).at(path));
    }
    let mut bytes = Vec::new();
    file.take(max_bytes).read_to_end(&mut bytes).map_err(io)?;
    Ok(bytes)
}

/// Reads all of a regular file of any size. For files that grow with the user's data, such as lists of files.
///
/// # Errors
/// [`ErrorKind::Io`] if it cannot be read or is not a regular file.
pub fn read_regular(path: &Path) -> Result<Vec<u8>> {
    let (file, n_bytes) = open_regular(path)?;
    let mut bytes = Vec::new();
    file.take(n_bytes).read_to_end(&mut bytes).map_err(|error| Error::io(&error, "read", path))?;
    Ok(bytes)
}

/// Reads the first `n_bytes` of a regular file, or all of a shorter one.
///
/// # Errors
/// [`ErrorKind::Io`] if it cannot be read or is not a regular file.
pub fn read_head(path: &Path, n_bytes: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let (file, _) = open_regular(path)?;
    file.take(n_bytes as u64).read_to_end(&mut bytes).map_err(|error| Error::io(&error, "read", path))?;
    Ok(bytes)
}

/// Opens a regular file for reading and returns its size. All code that reads files of the user or of another program
/// uses this function: it never blocks on a FIFO and never reads an endless device.
///
/// # Errors
/// [`ErrorKind::Io`] if it cannot be opened or is not a regular file.
pub fn open_regular(path: &Path) -> Result<(std::fs::File, u64)> {
    let file = open_without_waiting(path).map_err(|error| Error::unread(&error, path))?;
    let found = file.metadata().map_err(|error| Error::io(&error, "read", path))?;
    if !found.is_file() {
        return Err(Error::new(ErrorKind::Io, "is not a regular file").at(path));
    }
    Ok((file, found.len()))
}

//! File helpers: full disks, hashes and removal.

use crate::base::{Error, ErrorKind, Progress, Result};
use crate::library::identity::recordings::FileHasher;
use parquet::errors::ParquetError;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The error of a failed write; if the disk is full, it says so and advises how to resume.
pub fn full_or_io(error: &std::io::Error, path: &Path) -> Error {
    with_resume(Error::io(error, "written", path))
}

/// The error of a table writer.
pub fn full_or_parquet(error: &ParquetError, path: &Path) -> Error {
    with_resume(Error::unwritten(error, path))
}

fn with_resume(error: Error) -> Error {
    match (error.kind(), error.path()) {
        (ErrorKind::DiskFull, Some(path)) => {
            let sentence = "does not fit on the disk; free some space and run the same command with --resume";
            Error::new(ErrorKind::DiskFull, sentence).at(path)
        }
        _ => error,
    }
}

/// Removes a folder or file, if it exists.
///
/// # Errors
/// [`Io`](ErrorKind::Io).
pub fn remove(path: &Path) -> Result<()> {
    let removed = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(&error, "removed", path)),
        _ => Ok(()),
    }
}

/// Length and hash of a written file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSeal {
    /// Length in bytes.
    pub bytes: u64,
    /// BLAKE3 hash of the contents, in hexadecimal.
    pub blake3: String,
}

impl FileSeal {
    /// Length and hash of a regular file.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io), also if it is not a regular file; [`Cancelled`](ErrorKind::Cancelled).
    pub(in crate::features) fn of(path: &Path, hasher: &mut FileHasher, progress: &Progress) -> Result<FileSeal> {
        let (hash, bytes) = hasher.hash(path, progress)?;
        Ok(FileSeal { bytes, blake3: hash.to_hex().to_string() })
    }
}

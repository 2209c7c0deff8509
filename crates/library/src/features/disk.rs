//! What is done with whole files: errors of a full disk, hashes, removal.

use crate::base::{Error, ErrorKind, Progress, Result, open_regular};
use parquet::errors::ParquetError;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;

/// Bytes read at once.
const BLOCK_BYTES: usize = 1 << 18;

/// The error of a write. A full disk is named as such, with what to do.
pub fn full_or_io(error: &std::io::Error, path: &Path) -> Error {
    with_resume(Error::io(error, "written", path))
}

/// The error of a writer of tables.
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

/// Removes a folder or file; none is fine.
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

/// Length and hash of a file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSeal {
    /// Length.
    pub bytes: u64,
    /// BLAKE3 of all of it, in hexadecimal.
    pub blake3: String,
}

/// Hashes files into one buffer after the other.
#[derive(Default)]
pub struct FileHasher {
    block: Vec<u8>,
}

impl FileHasher {
    /// Length and hash of a regular file.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io), also if it is no regular file; [`Cancelled`](ErrorKind::Cancelled).
    pub fn seal(&mut self, path: &Path, progress: &Progress) -> Result<FileSeal> {
        let io = |error: std::io::Error| Error::io(&error, "read", path);
        let (mut file, _) = open_regular(path)?;
        self.block.resize(BLOCK_BYTES, 0);
        let mut hasher = blake3::Hasher::new();
        let mut bytes = 0;
        loop {
            progress.check()?;
            match file.read(&mut self.block) {
                Ok(0) => break,
                Ok(n) => {
                    hasher.update(&self.block[..n]);
                    bytes += n as u64;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(io(error)),
            }
        }
        Ok(FileSeal { bytes, blake3: hasher.finalize().to_hex().to_string() })
    }
}

//! The bytes of a sound file: on disk, or in memory if all of them were read anyway.

use crate::base::read_at;
use std::fs::File;
use std::io::{Cursor, ErrorKind, Read, Result, Seek, SeekFrom};
use std::sync::Arc;

/// The bytes of a file, with the `Read` and `Seek` of a file.
#[derive(Debug)]
pub enum FileBytes {
    /// On disk.
    Disk(File),
    /// In memory.
    Held(Cursor<HeldBytes>),
}

/// All bytes of a file, in a buffer that is reused for the next file.
#[derive(Debug, Clone)]
pub struct HeldBytes {
    memory: Arc<Vec<u8>>,
    n_bytes: usize,
}

impl HeldBytes {
    /// The first `n_bytes` of a buffer, which must be at least that long.
    pub(crate) fn new(memory: Arc<Vec<u8>>, n_bytes: usize) -> HeldBytes {
        HeldBytes { memory, n_bytes }
    }

    fn behind(&self, at: u64) -> &[u8] {
        usize::try_from(at).ok().and_then(|at| self.as_ref().get(at..)).unwrap_or_default()
    }
}

impl AsRef<[u8]> for HeldBytes {
    fn as_ref(&self) -> &[u8] {
        &self.memory[..self.n_bytes]
    }
}

impl From<File> for FileBytes {
    fn from(file: File) -> FileBytes {
        FileBytes::Disk(file)
    }
}

impl FileBytes {
    /// Another handle to the same bytes. For a file on disk, both share a position.
    pub(crate) fn try_clone(&self) -> Result<FileBytes> {
        match self {
            FileBytes::Disk(file) => file.try_clone().map(FileBytes::Disk),
            FileBytes::Held(held) => Ok(FileBytes::Held(held.clone())),
        }
    }

    /// Number of bytes.
    pub(crate) fn n_bytes(&self) -> Result<u64> {
        match self {
            FileBytes::Disk(file) => file.metadata().map(|found| found.len()),
            FileBytes::Held(held) => Ok(held.get_ref().n_bytes as u64),
        }
    }

    /// The file, if the bytes are on disk.
    pub(crate) fn on_disk(&self) -> Option<&File> {
        match self {
            FileBytes::Disk(file) => Some(file),
            FileBytes::Held(_) => None,
        }
    }

    /// Reads bytes from a position. Returns the number of bytes read before the end of the file or an error. Moves the
    /// position of a file on disk.
    pub(crate) fn read_some_at(&self, at: u64, bytes: &mut [u8]) -> usize {
        match self {
            FileBytes::Disk(file) => {
                let mut file: &File = file;
                if file.seek(SeekFrom::Start(at)).is_ok() { fill(&mut file, bytes).0 } else { 0 }
            }
            FileBytes::Held(held) => fill(&mut held.get_ref().behind(at), bytes).0,
        }
    }

    /// Fills `bytes` from a position.
    ///
    /// # Errors
    /// Read errors, also if the file ends before `bytes` is full.
    pub(crate) fn read_all_at(&self, at: u64, bytes: &mut [u8]) -> Result<()> {
        match self {
            FileBytes::Disk(file) => read_at(file, bytes, at),
            FileBytes::Held(held) => held.get_ref().behind(at).read_exact(bytes),
        }
    }
}

impl Read for FileBytes {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
        match self {
            FileBytes::Disk(file) => file.read(bytes),
            FileBytes::Held(held) => held.read(bytes),
        }
    }
}

impl Seek for FileBytes {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        match self {
            FileBytes::Disk(file) => file.seek(to),
            FileBytes::Held(held) => held.seek(to),
        }
    }
}

/// Reads until the buffer is full or the file ends. Returns the number of bytes read.
///
/// # Errors
/// Read errors.
pub(crate) fn read_up_to(file: &mut impl Read, bytes: &mut [u8]) -> Result<usize> {
    let (n, ended) = fill(file, bytes);
    ended.map(|()| n)
}

/// Reads until the bytes are full, the file ends, or an error occurs. Returns the number of bytes read, and the error.
fn fill(file: &mut impl Read, bytes: &mut [u8]) -> (usize, Result<()>) {
    let mut n = 0;
    while n < bytes.len() {
        match file.read(&mut bytes[n..]) {
            Ok(0) => break,
            Ok(more) => n += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => (),
            Err(error) => return (n, Err(error)),
        }
    }
    (n, Ok(()))
}

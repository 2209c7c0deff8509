//! Fixed-size slots in an unlinked temporary file, which disappears with the process.

use crate::platform::{read_at, write_at};
use crate::{Error, Result, lock};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

/// An unlinked temporary file of fixed-size slots.
#[derive(Debug)]
pub struct ScratchFile {
    file: File,
    /// Path for error messages: that of the folder, since the file is unlinked.
    place: PathBuf,
    slot_bytes: usize,
    slots: Mutex<Slots>,
}

#[derive(Debug, Default)]
struct Slots {
    n: u64,
    free: Vec<u64>,
}

/// Index of a slot; release it with [`ScratchFile::free`].
#[derive(Debug, PartialEq, Eq)]
pub struct Slot(u64);

impl ScratchFile {
    /// Creates a file with slots of `slot_bytes` in a folder, which is created if needed.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    pub fn in_folder(folder: &Path, slot_bytes: usize) -> Result<ScratchFile> {
        let io = |error: std::io::Error| Error::io(&error, "used for temporary data", folder);
        std::fs::create_dir_all(folder).map_err(io)?;
        let file = tempfile::tempfile_in(folder).map_err(io)?;
        Ok(ScratchFile { file, place: folder.to_path_buf(), slot_bytes, slots: Mutex::default() })
    }

    #[cfg(feature = "hooks")]
    /// As [`in_folder`](ScratchFile::in_folder), in an existing file. For tests with `/dev/full`.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    pub fn at(path: &Path, slot_bytes: usize) -> Result<ScratchFile> {
        let io = |error: std::io::Error| Error::io(&error, "used for temporary data", path);
        let file = File::options().read(true).write(true).open(path).map_err(io)?;
        Ok(ScratchFile { file, place: path.to_path_buf(), slot_bytes, slots: Mutex::default() })
    }

    fn slots(&self) -> MutexGuard<'_, Slots> {
        lock(&self.slots)
    }

    /// Number of slots in use.
    pub fn n_kept(&self) -> u64 {
        let slots = self.slots();
        slots.n - slots.free.len() as u64
    }

    /// Stores `bytes`, at most the size of a slot, and returns the slot.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io), such as a full disk; nothing is stored then.
    pub fn write(&self, bytes: &[u8]) -> Result<Slot> {
        let slot = {
            let mut slots = self.slots();
            let next = slots.n;
            let reused = slots.free.pop();
            slots.n += u64::from(reused.is_none());
            Slot(reused.unwrap_or(next))
        };
        match write_at(&self.file, bytes, slot.0 * self.slot_bytes as u64) {
            Ok(()) => Ok(slot),
            Err(error) => {
                self.free(slot);
                Err(Error::io(&error, "used for temporary data", &self.place))
            }
        }
    }

    /// Fills `bytes` with the contents of a slot, starting at its byte `first_byte`.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    pub fn read(&self, slot: &Slot, first_byte: usize, bytes: &mut [u8]) -> Result<()> {
        let at = slot.0 * self.slot_bytes as u64 + first_byte as u64;
        read_at(&self.file, bytes, at).map_err(|error| Error::io(&error, "read back", &self.place))
    }

    /// Releases a slot for reuse.
    pub fn free(&self, slot: Slot) {
        self.slots().free.push(slot.0);
    }
}

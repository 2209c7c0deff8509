//! Files that are read into memory before they are decoded, for code that needs all their bytes anyway: each file is
//! then read only once.

use super::file_bytes::{FileBytes, HeldBytes, read_up_to};
use super::look::{self, ProbedFile};
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

/// Reads files as a whole, reusing the buffer of the previous file.
#[derive(Debug, Default)]
pub struct WholeFileReader {
    memory: Arc<Vec<u8>>,
}

/// A file that was read as a whole, and can be decoded without further disk access.
#[derive(Debug)]
pub struct WholeFile {
    bytes: HeldBytes,
    looked: ProbedFile,
}

impl WholeFileReader {
    /// Reads a regular file of at most `max_bytes`. `None` if it is larger, changes its length during reading or cannot
    /// be read; to get the error, the caller opens the file itself.
    pub fn read(&mut self, path: &Path, max_bytes: u64) -> Option<WholeFile> {
        let ProbedFile { mut file, n_bytes, identity } = look::open_regular(path).ok()?;
        let n = usize::try_from(n_bytes).ok().filter(|_| n_bytes <= max_bytes)?;
        if Arc::get_mut(&mut self.memory).is_none() {
            // The buffer of the previous file is still in use.
            self.memory = Arc::default();
        }
        let memory = Arc::get_mut(&mut self.memory)?;
        // An additional byte, to detect a file that has grown.
        if memory.len() <= n {
            memory.resize(n + 1, 0);
        }
        if read_up_to(&mut file, &mut memory[..=n]).ok()? != n {
            return None;
        }
        let bytes = HeldBytes::new(self.memory.clone(), n);
        let file = FileBytes::Held(Cursor::new(bytes.clone()));
        Some(WholeFile { bytes, looked: ProbedFile { file, n_bytes, identity } })
    }
}

impl WholeFile {
    /// All bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    pub(crate) fn into_probed(self) -> ProbedFile {
        self.looked
    }
}

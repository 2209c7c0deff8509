//! The input of a decoder: it can be cancelled at every read, and reports its position.

use super::repaired::Spliced;
use crate::base::Progress;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use symphonia::core::io::MediaSource;

/// A decoder's input, which can be cancelled at every read, and reports its position.
pub(crate) struct Watched {
    file: Spliced,
    pub(crate) position: Arc<AtomicU64>,
    progress: Progress,
}

impl Watched {
    pub(crate) fn new(file: Spliced, progress: &Progress) -> Watched {
        Watched { file, position: Arc::default(), progress: progress.clone() }
    }

    pub(crate) fn len(&self) -> u64 {
        self.file.n_bytes()
    }
}

impl Read for Watched {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        if self.progress.is_cancelled() {
            return Err(std::io::Error::other("cancelled"));
        }
        let n = self.file.read(bytes)?;
        self.position.fetch_add(n as u64, Relaxed);
        Ok(n)
    }
}

impl Seek for Watched {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        let position = self.file.seek(to)?;
        self.position.store(position, Relaxed);
        Ok(position)
    }
}

impl MediaSource for Watched {
    fn is_seekable(&self) -> bool {
        true
    }

    fn byte_len(&self) -> Option<u64> {
        Some(self.len())
    }
}

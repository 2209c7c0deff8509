//! Gives a decoder a corrected header in place of a file's own, which is wrong or exceeds what the decoder supports.

use crate::probe::file_bytes::FileBytes;
use crate::writers::wav_header::Chunk;
use std::io::{Read, Result, Seek, SeekFrom};
use std::ops::Range;

/// Repaired input for a decoder in place of a file, with further information from the file's header.
#[derive(Debug, Default)]
pub(crate) struct Repaired {
    /// The header to be read in place of the file's.
    pub(crate) head: Vec<u8>,
    /// The bytes that follow, as a range of the file.
    pub(crate) data: Range<u64>,
    /// Stated end of the file; anything after it does not belong to it.
    pub(crate) end: u64,
    /// Chunks to copy to exports.
    pub(crate) chunks: Vec<Chunk>,
    /// Notices, one sentence each.
    pub(crate) notices: Vec<String>,
}

/// Bytes, then parts of a file, then more bytes.
#[derive(Debug)]
pub struct Spliced {
    head: Vec<u8>,
    file: FileBytes,
    /// Start of each part in the joined data, and its position in the file.
    parts: Vec<(u64, Range<u64>)>,
    n_before_tail: u64,
    tail: Vec<u8>,
    position: u64,
    /// Position of the file itself; `None` before the first read from it.
    file_position: Option<u64>,
}

impl Spliced {
    /// Joins `head`, the bytes `data` of a file, and `tail`.
    pub fn new(head: Vec<u8>, file: impl Into<FileBytes>, data: Range<u64>, tail: Vec<u8>) -> Spliced {
        Spliced::of(head, file.into(), &[data], tail)
    }

    /// A single part of a file.
    pub(crate) fn part(file: FileBytes, data: Range<u64>) -> Spliced {
        Spliced::of(Vec::new(), file, &[data], Vec::new())
    }

    /// Several parts of a file, one after another.
    pub(crate) fn parts(file: FileBytes, parts: &[Range<u64>]) -> Spliced {
        Spliced::of(Vec::new(), file, parts, Vec::new())
    }

    fn of(head: Vec<u8>, file: FileBytes, parts: &[Range<u64>], tail: Vec<u8>) -> Spliced {
        let mut n_before_tail = head.len() as u64;
        let mut placed = |part: &Range<u64>| {
            let at = n_before_tail;
            n_before_tail += part.end - part.start;
            (at, part.clone())
        };
        let parts = parts.iter().map(&mut placed).collect();
        Spliced { head, file, parts, n_before_tail, tail, position: 0, file_position: None }
    }

    /// Total length of all parts, head and tail included.
    pub fn n_bytes(&self) -> u64 {
        self.n_before_tail + self.tail.len() as u64
    }
}

impl Read for Spliced {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
        let n = if self.position < self.head.len() as u64 {
            (&self.head[self.position as usize..]).read(bytes)?
        } else if self.position < self.n_before_tail {
            // The last part that begins at or before this position: an empty part begins at the same position as the
            // next one.
            let index = self.parts.partition_point(|(begins, _)| *begins <= self.position).saturating_sub(1);
            let (begins, part) = &self.parts[index];
            let at = part.start + (self.position - begins);
            let n = bytes.len().min(usize::try_from(part.end - at).unwrap_or(usize::MAX));
            if self.file_position != Some(at) {
                self.file.seek(SeekFrom::Start(at))?;
            }
            let n = self.file.read(&mut bytes[..n])?;
            self.file_position = Some(at + n as u64);
            n
        } else {
            let from = usize::try_from(self.position - self.n_before_tail).unwrap_or(usize::MAX).min(self.tail.len());
            (&self.tail[from..]).read(bytes)?
        };
        self.position += n as u64;
        Ok(n)
    }
}

impl Seek for Spliced {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        let position = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
            SeekFrom::End(offset) => self.n_bytes().checked_add_signed(offset),
        };
        self.position = position.ok_or(std::io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

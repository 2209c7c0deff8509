//! Storage of a source's samples: in memory, in the user's file, or in a temporary one.

use super::plain_file::PlainFile;
use super::planar::PlanarSamples;
use super::scratch::Scratch;
use super::values::Original;
use crate::base::Result;
use std::sync::Arc;

/// All samples of a source.
#[derive(Debug)]
pub(crate) enum Storage {
    /// Silence of any length.
    Silence,
    /// In memory.
    Memory(PlanarSamples),
    /// In the user's file.
    Plain(Box<PlainFile>),
    /// Decoded into a temporary file.
    Scratch(Arc<Scratch>),
}

impl Storage {
    /// Number of samples per channel; 0 for [`Silence`](Storage::Silence).
    pub(crate) fn len(&self) -> usize {
        match self {
            Storage::Silence => 0,
            Storage::Memory(samples) => samples.len(),
            Storage::Plain(file) => file.n_frames() as usize,
            Storage::Scratch(scratch) => scratch.len() as usize,
        }
    }

    /// The end of the known silence that contains frame `first`; otherwise `first`. Once the sound is complete,
    /// everything after the last frame counts as silence.
    pub(crate) fn silent_until(&self, first: u64) -> u64 {
        match self {
            Storage::Silence => u64::MAX,
            Storage::Scratch(scratch) => scratch.silent_until(first),
            held if first >= held.len() as u64 => u64::MAX,
            Storage::Memory(_) | Storage::Plain(_) => first,
        }
    }

    /// Fills `out` with samples of a channel from frame `first` on, all of which must exist.
    ///
    /// # Errors
    /// Read errors, also if another program changed the file.
    pub(crate) fn read(&self, channel: usize, first: usize, container_bits: u32, out: &mut [f32]) -> Result<()> {
        match self {
            Storage::Silence => out.fill(0.0),
            Storage::Memory(samples) => samples.read(channel, first, container_bits, out),
            Storage::Plain(file) => return file.read(channel, first as u64, out),
            Storage::Scratch(scratch) => return scratch.read(channel, first as u64, container_bits, out),
        }
        Ok(())
    }

    /// The stored values of `n` samples of a channel from `first` on, all of which must exist.
    ///
    /// # Errors
    /// As [`read`](Storage::read).
    pub(crate) fn original(&self, channel: usize, first: usize, n: usize) -> Result<Original> {
        match self {
            Storage::Silence => Ok(Original::Floats(vec![0.0; n])),
            Storage::Memory(samples) => Ok(samples.original(channel, first..first + n)),
            Storage::Plain(file) => file.original(channel, first as u64, n),
            Storage::Scratch(scratch) => scratch.original(channel, first as u64, n),
        }
    }
}

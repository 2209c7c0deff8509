//! The header of a file of plain samples, ADPCM, or frames of MPEG audio or AAC.

use crate::samples::stored_bytes::Plain;
use std::ops::Range;

/// Position of a kept chunk relative to the format and the samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChunkPlace {
    /// Before the format.
    BeforeFormat,
    /// Between format and samples.
    BeforeData,
    /// After the samples.
    AfterData,
}

/// A RIFF chunk that an export keeps, such as `bext`, `LIST` or `cue `.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Id of four characters.
    pub id: [u8; 4],
    /// Content, without the padding byte.
    pub data: Vec<u8>,
    /// Position relative to the format and the samples.
    pub place: ChunkPlace,
}

/// Encoding of the samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    /// Plain samples, for our own reader.
    Plain(Plain),
    /// Microsoft's or IMA's 4-bit ADPCM, for symphonia, with the number of bytes per block.
    Adpcm(u16),
    /// Frames of MPEG audio or ADTS, as in files without a container.
    Frames {
        /// Bytes per second as stated in the header.
        bytes_a_second: u32,
    },
}

/// Information in the header of a WAV file, or of another file with plain samples.
#[derive(Debug)]
pub(crate) struct WavHeader {
    /// The format tag of WAV, for an extensible format the tag inside it; 0 for other files.
    pub(crate) tag: u16,
    pub(crate) coding: Coding,
    pub(crate) sample_rate_hz: u32,
    pub(crate) n_channels: usize,
    /// Speaker mask of the channels, if the format is extensible.
    pub(crate) channel_mask: Option<u32>,
    /// Range of the samples in the file.
    pub(crate) data: Range<u64>,
    /// Stated end of the file; anything after it does not belong to it.
    pub(crate) end: u64,
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) notices: Vec<String>,
}

impl WavHeader {
    /// Number of frames in `n_bytes`, including a partial frame; approximate for ADPCM and MPEG audio.
    pub(crate) fn n_frames_in(&self, n_bytes: u64) -> u64 {
        let n_channels = self.n_channels as u64;
        match self.coding {
            Coding::Plain(plain) => n_bytes.div_ceil(plain.stored_bytes() as u64 * n_channels),
            Coding::Adpcm(_) => n_bytes.saturating_mul(2) / n_channels,
            Coding::Frames { bytes_a_second } => {
                n_bytes.saturating_mul(self.sample_rate_hz.into()) / u64::from(bytes_a_second.max(1))
            }
        }
    }
}

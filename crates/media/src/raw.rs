//! The result of every file reader.

use super::format::SampleFormat;
use super::storage::Storage;
use super::wav_header::Chunk;

/// The sound of a file as its reader found it.
#[derive(Debug)]
pub(super) struct Raw {
    pub(super) samples: Storage,
    pub(super) n_samples: u64,
    pub(super) sample_rate_hz: u32,
    pub(super) n_channels: usize,
    pub(super) format: SampleFormat,
    pub(super) container_bits: u32,
    pub(super) channel_mask: Option<u32>,
    pub(super) description: String,
    pub(super) chunks: Vec<Chunk>,
    pub(super) notices: Vec<String>,
    /// End of the file's sound, or of the chunks after it, in bytes; another file may follow, unless a notice already
    /// says so.
    pub(super) end: Option<u64>,
}

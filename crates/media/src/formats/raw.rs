//! The result of every file reader.

use crate::samples::format::SampleFormat;
use crate::samples::storage::Storage;
use crate::writers::wav_header::Chunk;

/// The sound of a file and its properties.
#[derive(Debug)]
pub(crate) struct Raw {
    pub(crate) samples: Storage,
    pub(crate) n_samples: u64,
    pub(crate) sample_rate_hz: u32,
    pub(crate) n_channels: usize,
    pub(crate) format: SampleFormat,
    pub(crate) container_bits: u32,
    pub(crate) channel_mask: Option<u32>,
    pub(crate) description: String,
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) notices: Vec<String>,
    /// End of the audio, or of the chunks after it, in bytes: where to look for another file. `None` if a notice about
    /// another recording was already added.
    pub(crate) end: Option<u64>,
}

//! The header of Sun's AU files, and the logarithmic codes that they often hold.
//!
//! Sources: the `.snd` format as NeXT and Sun documented it; ITU-T G.711.

use super::look;
use super::riff::{Coding, WavHeader};
use super::source::SampleFormat;
use crate::base::{Error, Result};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// How an AU file's bytes become little-endian samples as WAV has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bytes {
    /// The highest byte first; one byte alone is signed.
    Swapped,
    /// One byte a sample, which means 16 bits.
    MuLaw,
    /// The same by the other law.
    ALaw,
}

/// Reads the header of a file that starts with `.snd`.
pub(super) fn read_header(file: &mut (impl Read + Seek), n_bytes: u64, path: &Path) -> Result<(WavHeader, Bytes)> {
    let mut head = [0; 24];
    file.seek(SeekFrom::Start(0)).map_err(|error| Error::io(&error, "read", path))?;
    file.read_exact(&mut head).map_err(|error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => look::cut_short(path),
        _ => Error::io(&error, "read", path),
    })?;
    let word = |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let (start, stated, encoding, rate, n_channels) = (word(4), word(8), word(12), word(16), word(20));
    let n_channels = usize::try_from(n_channels).unwrap_or(usize::MAX);
    look::check_layout(rate, n_channels, path)?;
    let pcm = |bits| (SampleFormat::Pcm { bits }, bits, Bytes::Swapped);
    let (format, container_bits, bytes) = match encoding {
        1 => (SampleFormat::Pcm { bits: 16 }, 16, Bytes::MuLaw),
        27 => (SampleFormat::Pcm { bits: 16 }, 16, Bytes::ALaw),
        2 => pcm(8),
        3 => pcm(16),
        4 => pcm(24),
        5 => pcm(32),
        6 => (SampleFormat::Float32, 32, Bytes::Swapped),
        7 => (SampleFormat::Float64, 64, Bytes::Swapped),
        _ => return Err(look::unsupported(&format!("Sun AU of an unknown encoding ({encoding})"), path)),
    };
    let start = u64::from(start).max(24);
    if start >= n_bytes {
        return Err(look::no_samples(path));
    }
    // All ones: a stream, whose length nobody knew.
    let stated_end = if stated == u32::MAX { n_bytes } else { start + u64::from(stated) };
    let mut notices = Vec::new();
    if stated_end > n_bytes {
        let frame_bytes = bytes.stored_bytes(container_bits) as u64 * n_channels as u64;
        notices.push(look::ends_early((stated_end - n_bytes).div_ceil(frame_bytes), rate));
    }
    let header = WavHeader {
        tag: 0,
        coding: Coding::Plain { format, container_bits },
        sample_rate_hz: rate,
        n_channels,
        channel_mask: None,
        data: start..stated_end.min(n_bytes),
        chunks: Vec::new(),
        notices,
    };
    Ok((header, bytes))
}

impl Bytes {
    /// Bytes of one stored sample whose value takes so many bits.
    pub(super) fn stored_bytes(self, container_bits: u32) -> usize {
        match self {
            Bytes::Swapped => container_bits as usize / 8,
            Bytes::MuLaw | Bytes::ALaw => 1,
        }
    }

    /// Samples as WAV has them, from whole stored ones.
    pub(super) fn as_in_wav(self, stored: &[u8], container_bits: u32) -> Vec<u8> {
        match self {
            Bytes::Swapped if container_bits == 8 => stored.iter().map(|byte| byte ^ 0x80).collect(),
            Bytes::Swapped => stored
                .chunks_exact(container_bits as usize / 8)
                .flat_map(|sample| sample.iter().rev())
                .copied()
                .collect(),
            Bytes::MuLaw => stored.iter().flat_map(|code| from_mu_law(*code).to_le_bytes()).collect(),
            Bytes::ALaw => stored.iter().flat_map(|code| from_a_law(*code).to_le_bytes()).collect(),
        }
    }

    /// What people call the codec, where it is one.
    pub(super) fn codec(self) -> Option<&'static str> {
        match self {
            Bytes::Swapped => None,
            Bytes::MuLaw => Some("mu-law"),
            Bytes::ALaw => Some("A-law"),
        }
    }
}

/// G.711 mu-law: 14 bits in the upper ones of 16.
fn from_mu_law(code: u8) -> i16 {
    let code = !code;
    let magnitude = ((i16::from(code & 0x0f) << 3) + 0x84) << (code >> 4 & 7);
    if code & 0x80 == 0 { magnitude - 0x84 } else { 0x84 - magnitude }
}

/// G.711 A-law: 13 bits in the upper ones of 16.
fn from_a_law(code: u8) -> i16 {
    let code = code ^ 0x55;
    let step = (i16::from(code & 0x0f) << 4) + 8;
    let magnitude = match code >> 4 & 7 {
        0 => step,
        segment => (step + 0x100) << (segment - 1),
    };
    if code & 0x80 == 0 { -magnitude } else { magnitude }
}

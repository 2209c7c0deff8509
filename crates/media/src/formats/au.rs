//! The header of Sun's AU files.
//!
//! Source: the `.snd` format as NeXT and Sun documented it.

use crate::base::{Error, Result};
use crate::probe::look;
use crate::samples::format::SampleFormat;
use crate::samples::stored_bytes::{Plain, StoredBytes};
use crate::writers::wav_header::{Coding, WavHeader};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Reads the header of a file that starts with `.snd`.
pub(crate) fn read_header(file: &mut (impl Read + Seek), n_bytes: u64, path: &Path) -> Result<WavHeader> {
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
    let pcm = |bits| Plain { format: SampleFormat::Pcm { bits }, container_bits: bits, bytes: StoredBytes::Swapped };
    let plain = match encoding {
        1 => Plain::MU_LAW,
        27 => Plain::A_LAW,
        2 => pcm(8),
        3 => pcm(16),
        4 => pcm(24),
        5 => pcm(32),
        6 => Plain { format: SampleFormat::Float32, container_bits: 32, bytes: StoredBytes::Swapped },
        7 => Plain { format: SampleFormat::Float64, container_bits: 64, bytes: StoredBytes::Swapped },
        _ => return Err(look::unsupported(&format!("Sun AU of an unknown encoding ({encoding})"), path)),
    };
    let start = u64::from(start).max(24);
    if start >= n_bytes {
        return Err(look::no_samples(path));
    }
    // `u32::MAX` marks a stream of unknown length.
    let stated_end = if matches!(stated, 0 | u32::MAX) { n_bytes } else { start + u64::from(stated) };
    let mut notices = Vec::new();
    if stated == 0 {
        notices.push(look::NO_LENGTH.into());
    }
    if stated_end > n_bytes {
        let frame_bytes = plain.stored_bytes() as u64 * n_channels as u64;
        notices.push(look::ends_early((stated_end - n_bytes).div_ceil(frame_bytes), rate));
    }
    Ok(WavHeader {
        tag: 0,
        coding: Coding::Plain(plain),
        sample_rate_hz: rate,
        n_channels,
        channel_mask: None,
        data: start..stated_end.min(n_bytes),
        end: stated_end.min(n_bytes),
        chunks: Vec::new(),
        notices,
    })
}

//! Codecs of WAV files: their names, and headers with which symphonia decodes them.
//!
//! Source: Microsoft, "New Multimedia Data Types and Data Techniques" (1994).

use crate::writers::riff_head::{put_chunk, riff_head};
use crate::writers::wav_header::WavHeader;

/// The coefficients of Microsoft's ADPCM, which every file states although they are always the same.
const MS_COEFFICIENTS: [i16; 14] = [256, 0, 512, -256, 0, 0, 192, 64, 240, 0, 460, -208, 392, -232];

/// A RIFF header that directly precedes ADPCM blocks of `block_bytes`. The fields that depend on the block size are
/// computed, since files often omit them or state them wrongly.
pub(crate) fn adpcm_header(header: &WavHeader, block_bytes: u16) -> Vec<u8> {
    let is_ms = header.tag == 2;
    let n_channels = header.n_channels as u16;
    // Per channel, a block begins with a sample and a step index (IMA), or a predictor, a step and two samples
    // (Microsoft).
    let head_bytes = if is_ms { 7 } else { 4 } * u32::from(n_channels);
    let data_bytes = u32::from(block_bytes).saturating_sub(head_bytes);
    let per_block = data_bytes * 2 / u32::from(n_channels) + if is_ms { 2 } else { 1 };
    let mut extra = u16::try_from(per_block).unwrap_or(u16::MAX).to_le_bytes().to_vec();
    if is_ms {
        extra.extend((MS_COEFFICIENTS.len() as u16 / 2).to_le_bytes());
        extra.extend(MS_COEFFICIENTS.iter().flat_map(|value| value.to_le_bytes()));
    }
    let rate = header.sample_rate_hz;
    let bytes_a_second = u64::from(rate) * u64::from(block_bytes) / u64::from(per_block);
    let mut format = header.tag.to_le_bytes().to_vec();
    format.extend(n_channels.to_le_bytes());
    format.extend(rate.to_le_bytes());
    format.extend((bytes_a_second as u32).to_le_bytes());
    format.extend(block_bytes.to_le_bytes());
    format.extend(4u16.to_le_bytes());
    format.extend((extra.len() as u16).to_le_bytes());
    format.extend(extra);
    let n_bytes = header.data.end - header.data.start;
    // `u32::MAX` means to read to the end.
    let size = |more: u64| u32::try_from(n_bytes + more).unwrap_or(u32::MAX);
    let mut chunks = Vec::new();
    put_chunk(&mut chunks, b"fmt ", &format);
    riff_head(&chunks, [size(4 + chunks.len() as u64 + 8), size(0)])
}

/// The common name of the codec with a WAV format tag.
pub(crate) fn codec_name(tag: u16) -> String {
    match tag {
        0x0002 => "Microsoft ADPCM".into(),
        0x0006 => "A-law".into(),
        0x0007 => "mu-law".into(),
        0x0011 => "IMA ADPCM".into(),
        0x0014 | 0x0040 | 0x0045 | 0x0064 => format!("G.72x ADPCM ({tag:#06x})"),
        0x0031 => "GSM 6.10".into(),
        0x0050 => "MPEG audio".into(),
        0x0055 => "MP3".into(),
        0x00ff | 0x1600 | 0x1602 => "AAC".into(),
        0x0160..=0x0163 => "Windows Media Audio".into(),
        0x2000 => "AC-3".into(),
        0x2001 => "DTS".into(),
        0x674f..=0x6771 => "Ogg Vorbis".into(),
        0xf1ac => "FLAC".into(),
        _ => format!("an unknown codec ({tag:#06x})"),
    }
}

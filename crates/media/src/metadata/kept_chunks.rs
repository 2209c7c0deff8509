//! Selects the chunks of a source that remain valid in an export, and adjusts those that depend on its position or
//! rate.

use crate::writers::wav_header::Chunk;
use std::ops::Range;

/// Byte range in `bext` of the time reference: samples since midnight, little-endian.
const TIME_REFERENCE: Range<usize> = 338..346;
/// Byte range in `smpl` of the sample period in nanoseconds, little-endian.
const SAMPLE_PERIOD: Range<usize> = 8..12;

/// Start of a file in samples after midnight, from its `bext` chunk (EBU Tech 3285); `None` without this chunk, and for
/// 0, which means an unknown time.
pub fn samples_since_midnight(chunks: &[Chunk]) -> Option<u64> {
    let stated = chunks.iter().find(|chunk| &chunk.id == b"bext")?.data.get(TIME_REFERENCE)?;
    Some(from_low_byte_first(stated)).filter(|samples| *samples > 0)
}

fn from_low_byte_first(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// The chunks that remain valid for a part that begins `later_by` samples after the start of the source: those that
/// contain no sample positions, and `bext` with a shifted time reference.
pub fn chunks_of_part(chunks: &[Chunk], later_by: i64) -> Vec<Chunk> {
    let moved = |chunk: &Chunk| match (&chunk.id, chunk.data.get(TIME_REFERENCE)) {
        (b"bext", Some(stated)) => {
            let mut moved = chunk.clone();
            let since_midnight = from_low_byte_first(stated);
            moved.data[TIME_REFERENCE].copy_from_slice(&since_midnight.saturating_add_signed(later_by).to_le_bytes());
            Some(moved)
        }
        (b"LIST", _) if chunk.data.starts_with(b"INFO") => Some(chunk.clone()),
        (b"id3 " | b"ID3 ", _) => Some(chunk.clone()),
        _ => None,
    };
    chunks.iter().filter_map(moved).collect()
}

/// The chunks of a sound written at another sample rate: converts `bext`'s time reference and `smpl`'s sample period.
pub fn chunks_at_rate(chunks: Vec<Chunk>, [from_hz, to_hz]: [u32; 2]) -> Vec<Chunk> {
    let at_rate = |mut chunk: Chunk| {
        if &chunk.id == b"bext"
            && let Some(stated) = chunk.data.get_mut(TIME_REFERENCE)
        {
            let samples = u128::from(from_low_byte_first(stated)) * u128::from(to_hz);
            let samples = (samples + u128::from(from_hz) / 2) / u128::from(from_hz.max(1));
            stated.copy_from_slice(&u64::try_from(samples).unwrap_or(u64::MAX).to_le_bytes());
        }
        if &chunk.id == b"smpl"
            && let Some(stated) = chunk.data.get_mut(SAMPLE_PERIOD)
        {
            let nanoseconds = (1e9 / f64::from(to_hz.max(1))).round() as u32;
            stated.copy_from_slice(&nanoseconds.to_le_bytes());
        }
        chunk
    };
    chunks.into_iter().map(at_rate).collect()
}

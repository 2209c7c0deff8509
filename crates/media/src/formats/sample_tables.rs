//! The boxes that describe a track's samples in QuickTime and MP4 files: their format, and the positions of their
//! chunks.
//!
//! Sources: Apple, "QuickTime File Format Specification", sound sample descriptions; ISO/IEC 14496-12, section 8;
//! ISO/IEC 23003-5.

use super::boxes::find_box;
use crate::probe::file_bytes::FileBytes;
use crate::samples::format::SampleFormat;
use crate::samples::stored_bytes::{Plain, StoredBytes};
use std::ops::Range;

/// Maximum size in bytes of a sample description, more than any audio track has.
const MAX_DESCRIPTION_BYTES: u64 = 1 << 16;
/// Maximum size in bytes of a sample table, enough for movies that last days.
const MAX_TABLE_BYTES: u64 = 256 << 20;

/// Positions of the boxes that describe a track's samples, without their headers.
#[derive(Debug, Clone, Default)]
pub(crate) struct SampleTables {
    /// `stsd`.
    pub(crate) descriptions: Range<u64>,
    /// `stsc`.
    pub(crate) chunks: Range<u64>,
    /// `stsz`.
    pub(crate) sizes: Range<u64>,
    /// `stco` or `co64`.
    pub(crate) places: Range<u64>,
    /// Whether `places` is `co64`, with 64-bit positions.
    pub(crate) has_wide_places: bool,
}

/// Plain samples, as stated by a sample description.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Described {
    pub(crate) plain: Plain,
    pub(crate) sample_rate_hz: u32,
    pub(crate) n_channels: usize,
}

/// The sample description of a track that has exactly one.
struct Entry<'a> {
    kind: [u8; 4],
    version: u16,
    /// Whether the `stsd` box has version 1, so that `version` has ISO's meaning rather than QuickTime's.
    is_iso: bool,
    fields: &'a [u8],
    /// Boxes after the fields that `version` defines.
    boxes: &'a [u8],
}

impl Entry<'_> {
    fn of(bytes: &[u8]) -> Option<Entry<'_>> {
        let (n_entries, entry) = (be32(bytes, 4)?, bytes.get(8..)?);
        let fields = entry.get(..be32(entry, 0)? as usize)?;
        let (kind, version, is_iso) = (fields.get(4..8)?.try_into().ok()?, be16(fields, 16)?, bytes[0] == 1);
        let boxes = fields.get(
            match version {
                0 => 36,
                // ISO's version 1 differs from QuickTime's, and has no more fields than version 0.
                1 if is_iso => 36,
                1 => 52,
                2 => 72,
                _ => return None,
            }..,
        )?;
        (n_entries == 1).then_some(Entry { kind, version, is_iso, fields, boxes })
    }
}

/// ALAC's configuration inside the box `wave`, where QuickTime stores it, without the channel layout, which the channel
/// count implies.
pub(crate) fn alac_in_wave(file: &FileBytes, tables: &SampleTables) -> Option<Box<[u8]>> {
    let bytes = table(file, &tables.descriptions, MAX_DESCRIPTION_BYTES)?;
    let entry = Entry::of(&bytes).filter(|entry| &entry.kind == b"alac")?;
    // The configuration follows a version and flags.
    find_box(find_box(entry.boxes, b"wave")?, b"alac")?.get(4..28).map(Box::from)
}

/// The format of a track with plain samples; `None` for other codecs, and unless the track has exactly one description.
pub(crate) fn describe(file: &FileBytes, tables: &SampleTables) -> Option<Described> {
    let bytes = table(file, &tables.descriptions, MAX_DESCRIPTION_BYTES)?;
    let Entry { kind, version, is_iso, fields: entry, boxes } = Entry::of(&bytes)?;
    let size = u32::from(be16(entry, 26)?);
    let mut described = (u32::from(be16(entry, 24)?), be32(entry, 32)? >> 16);
    let mut lpcm_flags = 4;
    // In version 1 the field for the depth states at most 16 bits; a later field states the bytes per sample.
    let wide = if version == 1 && !is_iso && size > 8 { be32(entry, 40)?.saturating_mul(8) } else { 0 };
    let mut bits = if wide > 0 { wide } else { size };
    if version == 2 {
        let rate = f64::from_bits(u64::from(be32(entry, 40)?) << 32 | u64::from(be32(entry, 44)?));
        described = (be32(entry, 48)?, rate.round() as u32);
        (bits, lpcm_flags) = (be32(entry, 56)?, be32(entry, 60)?);
    }
    // QuickTime's and ISO's samples are big-endian unless a box states otherwise.
    let is_little = find_box(boxes, b"wave").and_then(|wave| find_box(wave, b"enda")).or(find_box(boxes, b"enda"));
    let is_little = is_little.and_then(|enda| be16(enda, 0)).is_some_and(|order| order == 1);
    let iso = find_box(boxes, b"pcmC").and_then(|config| config.get(4..6));
    let (iso_is_little, iso_bits) = iso.map_or((false, size), |iso| (iso[0] & 1 != 0, u32::from(iso[1])));
    let plain = match &kind {
        b"ulaw" => Plain::MU_LAW,
        b"alaw" => Plain::A_LAW,
        // 8-bit samples of these two types are offset binary.
        b"raw " | b"NONE" if bits <= 8 => integers(8, StoredBytes::AsInWav)?,
        b"raw " | b"NONE" | b"twos" => integers(bits, StoredBytes::Swapped)?,
        b"sowt" => integers(bits, little(bits))?,
        b"in24" => integers(24, order(is_little, 24))?,
        b"in32" => integers(32, order(is_little, 32))?,
        b"fl32" => floats(32, order(is_little, 32))?,
        b"fl64" => floats(64, order(is_little, 64))?,
        b"ipcm" => integers(iso_bits, order(iso_is_little, iso_bits))?,
        b"fpcm" => floats(iso_bits, order(iso_is_little, iso_bits))?,
        b"lpcm" if lpcm_flags & 1 != 0 => floats(bits, order(lpcm_flags & 2 == 0, bits))?,
        b"lpcm" if lpcm_flags & 4 != 0 => integers(bits, order(lpcm_flags & 2 == 0, bits))?,
        b"lpcm" if bits == 8 => integers(8, StoredBytes::AsInWav)?,
        _ => return None,
    };
    let (n_channels, sample_rate_hz) = described;
    Some(Described { plain, sample_rate_hz, n_channels: usize::try_from(n_channels).ok()? })
}

fn order(is_little: bool, bits: u32) -> StoredBytes {
    if is_little { little(bits) } else { StoredBytes::Swapped }
}

/// Storage of little-endian samples; 8-bit samples are signed.
fn little(bits: u32) -> StoredBytes {
    if bits > 8 { StoredBytes::AsInWav } else { StoredBytes::Swapped }
}

fn integers(bits: u32, bytes: StoredBytes) -> Option<Plain> {
    let is_whole = matches!(bits, 8 | 16 | 24 | 32);
    is_whole.then_some(Plain { format: SampleFormat::Pcm { bits }, container_bits: bits, bytes })
}

fn floats(bits: u32, bytes: StoredBytes) -> Option<Plain> {
    let format = match bits {
        32 => SampleFormat::Float32,
        64 => SampleFormat::Float64,
        _ => return None,
    };
    Some(Plain { format, container_bits: bits, bytes })
}

/// A range of contiguous samples in the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TableChunk {
    pub(crate) at: u64,
    pub(crate) n_bytes: u64,
}

/// All chunks listed in the tables; `None` if the tables are invalid.
pub(crate) fn chunks(file: &FileBytes, tables: &SampleTables, frame_bytes: u64) -> Option<Vec<TableChunk>> {
    let sizes = table(file, &tables.sizes, MAX_TABLE_BYTES)?;
    let (size, n_samples) = (u64::from(be32(&sizes, 4)?), be32(&sizes, 8)?);
    // QuickTime counts frames and states 1 as their size; other programs count units of one or more frames, with their
    // size in bytes.
    let bytes_of = |sample: u64| match size {
        0 => Some(u64::from(be32(&sizes, 12 + 4 * usize::try_from(sample).ok()?)?)),
        size if size.is_multiple_of(frame_bytes) => Some(size),
        _ => Some(frame_bytes),
    };
    let places = table(file, &tables.places, MAX_TABLE_BYTES)?;
    let per_chunk = table(file, &tables.chunks, MAX_TABLE_BYTES)?;
    let width = if tables.has_wide_places { 8 } else { 4 };
    let places = places.get(8..)?.chunks_exact(width).take(be32(&places, 4)? as usize);
    // Each entry: first chunk, samples per chunk.
    let mut entries = per_chunk.get(8..)?.chunks_exact(12).take(be32(&per_chunk, 4)? as usize).peekable();
    let (mut found, mut n_per_chunk, mut sample) = (Vec::new(), 0u64, 0u64);
    for (index, place) in (1u64..).zip(places) {
        while let Some(entry) = entries.next_if(|entry| be32(entry, 0).is_some_and(|first| u64::from(first) <= index)) {
            n_per_chunk = be32(entry, 4)?.into();
        }
        let at = place.iter().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
        let n = n_per_chunk.min(u64::from(n_samples) - sample);
        let n_bytes = match size {
            0 => (sample..sample + n).map(bytes_of).try_fold(0u64, |sum, size| sum.checked_add(size?))?,
            _ => n.checked_mul(bytes_of(sample)?)?,
        };
        if !n_bytes.is_multiple_of(frame_bytes) {
            return None;
        }
        found.push(TableChunk { at, n_bytes });
        sample += n;
    }
    Some(found)
}

fn table(file: &FileBytes, place: &Range<u64>, max: u64) -> Option<Vec<u8>> {
    let n_bytes = place.end.checked_sub(place.start).filter(|n| (8..=max).contains(n))?;
    let mut bytes = vec![0; usize::try_from(n_bytes).ok()?];
    file.read_all_at(place.start, &mut bytes).ok()?;
    Some(bytes)
}

fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

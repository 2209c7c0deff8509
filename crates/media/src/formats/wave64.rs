//! The header of Sony's Wave64: RIFF with 64-bit sizes and GUIDs.
//!
//! Source: Sony Pictures Digital, "Sony Wave64" (2003).

use super::riff::{ChunkHead, Walk, u64_at};
use crate::base::{Error, ErrorKind, Result};
use crate::probe::file_bytes::FileBytes;
use crate::probe::look;
use crate::writers::wav_header::WavHeader;
use std::io::BufReader;
use std::path::Path;

/// End of the GUIDs of chunks that also exist in RIFF; the first four bytes are the RIFF id.
const GUID_TAIL: &[u8; 12] = b"\xf3\xac\xd3\x11\x8c\xd1\x00\xc0\x4f\x8e\xdb\x8a";

/// Sizes from this one on mean an unknown length: streams state the largest signed or unsigned 64-bit value.
const STREAMED_BYTES: u64 = (1 << 63) - 1 - CHUNK_HEAD;
/// Length of the header of a chunk.
const CHUNK_HEAD: u64 = 24;

/// Reads the chunk headers of a file that starts with the GUID of `riff`.
pub(crate) fn read_header(file: &mut BufReader<FileBytes>, n_bytes: u64, path: &Path) -> Result<WavHeader> {
    let mut walk = Walk::new(file, n_bytes, path);
    let head: [u8; 40] = walk.read(0)?;
    if &head[24..28] != b"wave" {
        return Err(look::not_audio(path));
    }
    let mut at = 40u64;
    let mut format = None;
    while at.saturating_add(CHUNK_HEAD) <= n_bytes {
        let chunk: [u8; 24] = walk.read(at)?;
        // Sizes count the chunk's own header.
        let stated = u64_at(&chunk, 16).saturating_sub(CHUNK_HEAD);
        let (start, is_known) = (at + CHUNK_HEAD, &chunk[4..16] == GUID_TAIL);
        match &chunk[..4] {
            b"fmt " if is_known && format.is_none() => {
                if start.saturating_add(stated) > n_bytes {
                    return Err(look::cut_short(path));
                }
                format = Some(walk.format(&ChunkHead { id: *b"fmt ", stated, start })?);
            }
            b"data" if is_known => {
                let Some(format) = format else { break };
                if start == n_bytes {
                    return Err(look::no_samples(path));
                }
                // The size includes the chunk's header, so 0 means an unknown length.
                let is_unknown =
                    stated == 0 && !(u64_at(&chunk, 16) == CHUNK_HEAD && is_chunk_at(&mut walk, start, n_bytes)?);
                let is_streamed = stated >= STREAMED_BYTES;
                let stated = if is_unknown || is_streamed { n_bytes - start } else { stated };
                let data_end = start.saturating_add(stated).min(n_bytes);
                if data_end == start {
                    return Err(look::no_samples(path));
                }
                let missing = format.n_frames_in(start.saturating_add(stated).saturating_sub(n_bytes));
                let notices = match (is_unknown, missing) {
                    (true, _) => vec![look::NO_LENGTH.into()],
                    (false, 0) => Vec::new(),
                    _ => vec![look::ends_early(missing, format.sample_rate_hz)],
                };
                let end = Some(u64_at(&head, 16)).filter(|end| (data_end..=n_bytes).contains(end)).unwrap_or(data_end);
                return Ok(WavHeader { data: start..data_end, end, notices, ..format });
            }
            _ => (),
        }
        at = start.saturating_add(stated.checked_next_multiple_of(8).unwrap_or(u64::MAX));
    }
    let sentence = "is a Wave64 file without samples; its header is damaged or it was cut short";
    Err(Error::new(ErrorKind::Malformed, sentence).at(path))
}

/// Whether a chunk of a known kind begins at a position.
fn is_chunk_at(walk: &mut Walk<'_>, at: u64, n_bytes: u64) -> Result<bool> {
    Ok(at.saturating_add(CHUNK_HEAD) <= n_bytes && walk.read::<24>(at)?[4..16] == *GUID_TAIL)
}

//! The header of Sony's Wave64: RIFF with 64-bit sizes and GUIDs.
//!
//! Source: Sony Pictures Digital, "Sony Wave64" (2003).

use super::file_bytes::FileBytes;
use super::look;
use super::riff::{ChunkHead, Walk, u64_at};
use super::wav_header::WavHeader;
use crate::base::{Error, ErrorKind, Result};
use std::io::BufReader;
use std::path::Path;

/// What follows the four letters in the GUID of a chunk that RIFF has, too.
const GUID_TAIL: &[u8; 12] = b"\xf3\xac\xd3\x11\x8c\xd1\x00\xc0\x4f\x8e\xdb\x8a";

/// Reads the chunk headers of a file that starts with the GUID of `riff`.
pub(super) fn read_header(file: &mut BufReader<FileBytes>, n_bytes: u64, path: &Path) -> Result<WavHeader> {
    let mut walk = Walk::new(file, n_bytes, path);
    let head: [u8; 40] = walk.read(0)?;
    if &head[24..28] != b"wave" {
        return Err(look::not_audio(path));
    }
    let mut at = 40u64;
    let mut format = None;
    while at.saturating_add(24) <= n_bytes {
        let chunk: [u8; 24] = walk.read(at)?;
        // Sizes count the chunk's own header.
        let stated = u64_at(&chunk, 16).saturating_sub(24);
        let (start, is_known) = (at + 24, &chunk[4..16] == GUID_TAIL);
        match &chunk[..4] {
            b"fmt " if is_known && format.is_none() => {
                if start.saturating_add(stated) > n_bytes {
                    return Err(look::cut_short(path));
                }
                format = Some(walk.format(&ChunkHead { id: *b"fmt ", stated, start })?);
            }
            b"data" if is_known => {
                let Some(format) = format else { break };
                // Nobody wrote the length, which counts its own header and so is never 0.
                let is_unknown = u64_at(&chunk, 16) == 0;
                let stated = if is_unknown { n_bytes.saturating_sub(start) } else { stated };
                let end = start.saturating_add(stated).min(n_bytes);
                if end == start {
                    return Err(look::no_samples(path));
                }
                let missing = format.n_frames_in(start.saturating_add(stated).saturating_sub(n_bytes));
                let notices = match (is_unknown, missing) {
                    (true, _) => vec!["its recorder did not write its length; all of it is read".into()],
                    (false, 0) => Vec::new(),
                    _ => vec![look::ends_early(missing, format.sample_rate_hz)],
                };
                return Ok(WavHeader { data: start..end, notices, ..format });
            }
            _ => (),
        }
        at = start.saturating_add(stated.checked_next_multiple_of(8).unwrap_or(u64::MAX));
    }
    let sentence = "is a Wave64 file without samples; its header is damaged or it was cut short";
    Err(Error::new(ErrorKind::Malformed, sentence).at(path))
}

//! The chunks of a Core Audio file: plain samples for our own reader, packets for symphonia with a header that it
//! accepts. Symphonia's reader expects the file to end with the last chunk, and the packet table to contain only its
//! packets.
//!
//! Source: Apple, "Core Audio Format Specification 1.0".

use super::riff::{Walk, is_id};
use crate::base::{Error, ErrorKind, Result};
use crate::decoders::repaired::Repaired;
use crate::probe::file_bytes::FileBytes;
use crate::probe::look;
use crate::samples::format::SampleFormat;
use crate::samples::stored_bytes::{Plain, StoredBytes};
use crate::writers::wav_header::{Coding, WavHeader};
use std::io::BufReader;
use std::ops::Range;
use std::path::Path;

/// Maximum memory of a packet table or cookie, enough for packets of days.
const MAX_TABLE_BYTES: u64 = 256 << 20;
/// Maximum number of chunks, more than any program writes.
const MAX_CHUNKS: usize = 100_000;

/// Content of a file.
pub(crate) enum Caf {
    Plain(WavHeader),
    Packets(Repaired),
}

/// The audio description chunk.
struct Description {
    bytes: [u8; 32],
    sample_rate_hz: u32,
    n_channels: usize,
    /// Size of one packet; 0 if variable.
    packet_bytes: u32,
    packet_frames: u32,
}

/// Reads the chunk headers of a file that starts with `caff`.
pub(crate) fn read_header(file: &mut BufReader<FileBytes>, n_bytes: u64, path: &Path) -> Result<Caf> {
    let mut walk = Walk::new(file, n_bytes, path);
    let (mut description, mut data, mut cookie, mut table) = (None, None, Vec::new(), Vec::new());
    let (mut stated_data, mut is_unknown) = (0, false);
    let mut at = 8u64;
    for _ in 0..MAX_CHUNKS {
        if at.saturating_add(12) > n_bytes {
            break;
        }
        let head: [u8; 12] = walk.read(at)?;
        let (id, start) = ([head[0], head[1], head[2], head[3]], at + 12);
        let stated = i64::from_be_bytes([head[4], head[5], head[6], head[7], head[8], head[9], head[10], head[11]]);
        if !is_id(&id) || data.is_some() && look::name_of(&head).is_some() {
            break;
        }
        // Only the data chunk may lack a length: it then extends to the end of the file. A recorder that crashed leaves
        // the length unset, too.
        let end = match u64::try_from(stated) {
            Ok(stated) if &id != b"data" || stated >= 4 => start.saturating_add(stated),
            _ if &id == b"data" => n_bytes,
            _ => break,
        };
        let is_whole = end <= n_bytes;
        match &id {
            b"desc" if description.is_none() && stated >= 32 => {
                description = Some(Description::of(walk.read(start)?, path)?);
            }
            b"data" if data.is_none() => {
                // An edit count of 4 bytes precedes the samples.
                data = Some((start + 4).min(n_bytes)..end.min(n_bytes));
                stated_data = end.saturating_sub(start + 4);
                // -1 is a stream of unknown length; any other value below 4 is a header that was never completed.
                is_unknown = stated < 4 && stated != -1;
            }
            b"kuki" if is_whole && cookie.is_empty() => cookie = walk.bytes(start, end, MAX_TABLE_BYTES)?,
            b"pakt" if is_whole && table.is_empty() => table = walk.bytes(start, end, MAX_TABLE_BYTES)?,
            // Not a chunk, but a tag or the start of another file.
            _ if data.is_some() && !is_whole => break,
            _ => (),
        }
        at = end;
    }
    let damaged = |sentence: &str| Error::new(ErrorKind::Malformed, sentence).at(path);
    let Some(description) = description else {
        return Err(damaged("is a CAF that does not say how its samples are stored; its header is damaged"));
    };
    let Some(data) = data else {
        return Err(damaged("is a CAF without samples; its header is damaged or it was cut short"));
    };
    if data.is_empty() {
        return Err(look::no_samples(path));
    }
    let end = at.min(n_bytes);
    let no_length = is_unknown.then(|| look::NO_LENGTH.to_string());
    Ok(match description.plain(path)? {
        Some(plain) => {
            let mut header = description.header(plain, data, stated_data, &table);
            header.notices.extend(no_length);
            Caf::Plain(WavHeader { end, ..header })
        }
        None => {
            let mut repaired = description.packets(data, &cookie, &table);
            repaired.notices.extend(no_length);
            Caf::Packets(Repaired { end, ..repaired })
        }
    })
}

impl Description {
    fn of(bytes: [u8; 32], path: &Path) -> Result<Description> {
        let rate = f64::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]]);
        // NaN becomes 0, which is refused.
        let sample_rate_hz = rate.round() as u32;
        let n_channels = usize::try_from(be32(&bytes, 24)).unwrap_or(usize::MAX);
        look::check_layout(sample_rate_hz, n_channels, path)?;
        let (packet_bytes, packet_frames) = (be32(&bytes, 16), be32(&bytes, 20));
        Ok(Description { bytes, sample_rate_hz, n_channels, packet_bytes, packet_frames })
    }

    /// Layout of plain samples; `None` for a codec.
    fn plain(&self, path: &Path) -> Result<Option<Plain>> {
        let (is_float, is_little) = (self.bytes[15] & 1 != 0, self.bytes[15] & 2 != 0);
        match &self.bytes[8..12] {
            b"ulaw" => return Ok(Some(Plain::MU_LAW)),
            b"alaw" => return Ok(Some(Plain::A_LAW)),
            b"lpcm" => (),
            _ => return Ok(None),
        }
        let bits = be32(&self.bytes, 28);
        let n_channels = self.n_channels as u32;
        // Samples may be stored in the upper bits of a wider container.
        let by_packet = if self.packet_bytes.is_multiple_of(n_channels) { self.packet_bytes / n_channels } else { 0 };
        let container_bits = by_packet.max(bits.div_ceil(8)).saturating_mul(8);
        let format = match (is_float, container_bits, bits) {
            (true, 32, 32) => SampleFormat::Float32,
            (true, 64, 64) => SampleFormat::Float64,
            (false, 8..=32, 1..=32) => SampleFormat::Pcm { bits },
            _ => {
                let kind = if is_float { "floats" } else { "integers" };
                return Err(look::unsupported(&format!("a CAF with {kind} of {bits} bits"), path));
            }
        };
        // 8-bit samples are signed in either byte order.
        let bytes = if is_little && container_bits > 8 { StoredBytes::AsInWav } else { StoredBytes::Swapped };
        Ok(Some(Plain { format, container_bits, bytes }))
    }

    fn header(&self, plain: Plain, data: Range<u64>, stated: u64, table: &[u8]) -> WavHeader {
        let mut header = WavHeader {
            tag: 0,
            coding: Coding::Plain(plain),
            sample_rate_hz: self.sample_rate_hz,
            n_channels: self.n_channels,
            channel_mask: None,
            data,
            end: 0,
            chunks: Vec::new(),
            notices: Vec::new(),
        };
        let is_there = header.data.end - header.data.start;
        if stated > is_there {
            let missing = header.n_frames_in(stated - is_there);
            header.notices.push(look::ends_early(missing, self.sample_rate_hz));
        }
        // The packet table may trim priming frames from the start and remainder frames from the end.
        if let (Some(valid), Some(priming)) = (table.get(8..16), table.get(16..20)) {
            let frame_bytes = (plain.stored_bytes() * self.n_channels) as u64;
            let bytes_of = |frames: u64| frames.saturating_mul(frame_bytes);
            let (valid, priming) = (bytes_of(be64(valid, 0)), bytes_of(u64::from(be32(priming, 0))));
            if valid > 0 && priming.saturating_add(valid) <= is_there {
                let start = header.data.start + priming;
                header.data = start..start + valid;
            }
        }
        header
    }

    /// The file reduced to the chunks needed for decoding, its packets last.
    fn packets(&self, data: Range<u64>, cookie: &[u8], table: &[u8]) -> Repaired {
        let n_data = data.end - data.start;
        let mut notices = Vec::new();
        let mut head = b"caff\0\x01\0\0".to_vec();
        let mut chunk = |id: &[u8; 4], parts: &[&[u8]], more: u64| {
            let n_bytes = parts.iter().map(|part| part.len() as u64).sum::<u64>() + more;
            head.extend_from_slice(id);
            head.extend_from_slice(&n_bytes.to_be_bytes());
            parts.iter().for_each(|part| head.extend_from_slice(part));
        };
        chunk(b"desc", &[&self.bytes], 0);
        let cookie = if &self.bytes[8..12] == b"alac" { alac_configuration(cookie) } else { cookie };
        if !cookie.is_empty() {
            chunk(b"kuki", &[cookie], 0);
        }
        if let Some((lengths, entries)) = table.split_at_checked(24) {
            let (stated, valid) = (be64(lengths, 0), be64(lengths, 8));
            let (n_packets, entries) = self.whole_packets(stated, entries, n_data);
            // Number of frames in the missing packets, less the padding of the last one.
            let is_described = self.packet_bytes == 0 || self.packet_frames == 0;
            let stated = if is_described { stated } else { 0 };
            let lost = stated.saturating_sub(n_packets).saturating_mul(self.packet_frames.into());
            let lost = lost.saturating_sub(be32(lengths, 20).into()).min(valid);
            if lost > 0 && n_packets > 0 {
                notices.push(look::ends_early(lost, self.sample_rate_hz));
            }
            let valid = (valid - lost).to_be_bytes();
            chunk(b"pakt", &[&n_packets.to_be_bytes(), &valid, &lengths[16..], entries], 0);
        }
        chunk(b"data", &[&[0; 4]], n_data);
        Repaired { head, data, notices, ..Repaired::default() }
    }

    /// Number of packets in the table that lie entirely within the file, and the table entries for them.
    fn whole_packets<'a>(&self, stated: u64, entries: &'a [u8], n_data: u64) -> (u64, &'a [u8]) {
        if self.packet_bytes > 0 && self.packet_frames > 0 {
            // All packets have the same size and duration, so they need no table; its contents are ignored.
            return (0, &[]);
        }
        let (mut n_packets, mut used, mut at) = (0, 0, 0u64);
        let mut rest = entries;
        while n_packets < stated {
            let size = if self.packet_bytes > 0 { Some(u64::from(self.packet_bytes)) } else { integer(&mut rest) };
            let frames = if self.packet_frames > 0 { Some(self.packet_frames.into()) } else { integer(&mut rest) };
            let (Some(size), Some(_)) = (size, frames) else { break };
            at = at.saturating_add(size);
            if at > n_data {
                break;
            }
            n_packets += 1;
            used = entries.len() - rest.len();
        }
        (n_packets, &entries[..used])
    }
}

/// The ALAC configuration in a magic cookie, without the atoms that QuickTime wraps around it.
fn alac_configuration(cookie: &[u8]) -> &[u8] {
    let mut inner = cookie;
    for name in [b"frma", b"alac"] {
        if inner.get(4..8) == Some(name) {
            inner = inner.get(12..).unwrap_or_default();
        }
    }
    // A channel layout may follow, and after that an empty atom.
    let n = if inner.get(28..32) == Some(b"chan") { 48 } else { 24 };
    inner.get(..n).unwrap_or(inner)
}

/// Reads a number stored as seven bits per byte, the highest first; all bytes but the last have the eighth bit set.
/// `None` if it is truncated or longer than nine bytes.
fn integer(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for _ in 0..9 {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value = value << 7 | u64::from(first & 0x7f);
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn be32(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn be64(bytes: &[u8], at: usize) -> u64 {
    u64::from(be32(bytes, at)) << 32 | u64::from(be32(bytes, at + 4))
}

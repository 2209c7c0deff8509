//! The chunks of an AIFF or AIFF-C file: where its samples are and how they are stored. Only plain samples are
//! supported. The file's length takes precedence over any size stated in the file, since programs that write to a pipe,
//! or crash, never fill their sizes in.
//!
//! Sources: Apple, "Audio Interchange File Format" 1.3 and "AIFF-C" (draft of 1991).

use super::riff::{ChunkHead, Walk, is_id};
use crate::base::Result;
use crate::probe::file_bytes::FileBytes;
use crate::probe::look;
use crate::samples::format::SampleFormat;
use crate::samples::stored_bytes::{Plain, StoredBytes};
use crate::writers::wav_header::{Coding, WavHeader};
use std::io::BufReader;
use std::path::Path;

/// Maximum number of chunks, more than any program writes.
const MAX_CHUNKS: usize = 100_000;
/// Length of the fields before the samples in their chunk: offset and block size.
const SOUND_HEAD: u64 = 8;
/// Sizes that mean an unknown length.
const UNKNOWN_SIZES: [u64; 2] = [0x7fff_ffff, 0xffff_ffff];

/// Reads the chunk headers of a file whose FORM starts at `start`.
pub(crate) fn read_header(file: &mut BufReader<FileBytes>, start: u64, n_bytes: u64, path: &Path) -> Result<WavHeader> {
    let mut walk = Walk::new(file, n_bytes, path).highest_byte_first();
    let form: [u8; 12] = walk.read(start)?;
    let (mut common, mut sound) = (None, None);
    let mut at = start + 12;
    let mut is_other = false;
    for _ in 0..MAX_CHUNKS {
        if at.saturating_add(8) > n_bytes {
            break;
        }
        let chunk = walk.chunk(at)?;
        is_other = sound.is_some() && walk.is_other_file(at)?;
        if is_other || sound.is_some() && !is_id(&chunk.id) {
            break;
        }
        let after = walk.after(&chunk)?;
        match &chunk.id {
            b"COMM" if common.is_none() => common = Some(Common::read(&mut walk, &chunk, &form[8..], path)?),
            b"SSND" if sound.is_none() => {
                let found = Sound::read(&mut walk, chunk, n_bytes, path)?;
                let is_whole = found.is_whole;
                sound = Some(found);
                // The start of the next chunk is unknown.
                if !is_whole {
                    at = n_bytes;
                    break;
                }
            }
            _ => (),
        }
        at = after;
    }
    let common = common.ok_or_else(|| look::damaged("AIFF", path))?;
    let Some(sound) = sound else { return Err(look::no_samples(path)) };
    let form_end = start + 8 + u64::from(u32::from_be_bytes([form[4], form[5], form[6], form[7]]));
    let is_form_end = !is_other && (sound.end..=n_bytes).contains(&form_end);
    let end = if is_form_end { form_end } else { at };
    common.header(&mut walk, sound, end.min(n_bytes))
}

/// The common chunk.
struct Common {
    plain: Plain,
    n_channels: usize,
    n_frames: u32,
    sample_rate_hz: u32,
}

impl Common {
    fn read(walk: &mut Walk<'_>, chunk: &ChunkHead, form: &[u8], path: &Path) -> Result<Common> {
        let n_known = if form == b"AIFC" { 22 } else { 18 };
        if chunk.stated < n_known {
            return Err(look::damaged("AIFF", path));
        }
        let bytes: [u8; 18] = walk.read(chunk.start)?;
        let code = if form == b"AIFC" { walk.read(chunk.start + 18)? } else { *b"NONE" };
        let n_channels = usize::from(u16::from_be_bytes([bytes[0], bytes[1]]));
        let n_frames = u32::from_be_bytes([bytes[2], bytes[3], bytes[4], bytes[5]]);
        let bits = u32::from(u16::from_be_bytes([bytes[6], bytes[7]]));
        let sample_rate_hz = rate_of(&bytes[8..]);
        look::check_layout(sample_rate_hz, n_channels, path)?;
        Ok(Common { plain: plain(code, bits, path)?, n_channels, n_frames, sample_rate_hz })
    }

    /// The header and notices of a file whose samples were found and whose last chunk ends at `end`.
    fn header(self, walk: &mut Walk<'_>, sound: Sound, end: u64) -> Result<WavHeader> {
        let frame_bytes = (self.plain.stored_bytes() * self.n_channels) as u64;
        let mut notices = Vec::new();
        let mut data_end = sound.end;
        if sound.has_wrong_offset {
            notices.push("states an impossible place of its first sample; all audio present was read".into());
        }
        if !sound.is_whole {
            // Then only the number of frames states where the samples end. It is trusted if chunks follow at that
            // position.
            let n_frames = if self.n_frames == u32::MAX { 0 } else { u64::from(self.n_frames) };
            let counted = sound.start.saturating_add(n_frames.saturating_mul(frame_bytes));
            let before = sound.start - sound.chunk.start;
            let chunk = ChunkHead { stated: before + (counted - sound.start), ..sound.chunk };
            let behind = walk.after(&chunk)?;
            if n_frames > 0 && counted < data_end && walk.is_chunks(behind)? {
                data_end = counted;
            }
            let is_unknown = sound.stated == 0 || UNKNOWN_SIZES.contains(&sound.chunk.stated);
            let n_stated = if is_unknown { n_frames } else { sound.stated / frame_bytes };
            let missing = n_stated.saturating_sub((data_end - sound.start) / frame_bytes);
            if missing > 0 {
                notices.push(look::ends_early(missing, self.sample_rate_hz));
            } else if is_unknown {
                notices.push(look::NO_LENGTH.into());
            }
        }
        Ok(WavHeader {
            tag: 0,
            coding: Coding::Plain(self.plain),
            sample_rate_hz: self.sample_rate_hz,
            n_channels: self.n_channels,
            channel_mask: None,
            data: sound.start..data_end,
            end,
            chunks: Vec::new(),
            notices,
        })
    }
}

/// The chunk of the samples.
struct Sound {
    chunk: ChunkHead,
    /// Start of the samples.
    start: u64,
    /// End of the samples; end of the file if the chunk is not whole.
    end: u64,
    /// Size of the samples in bytes as stated by the chunk.
    stated: u64,
    /// Whether all stated samples are present.
    is_whole: bool,
    has_wrong_offset: bool,
}

impl Sound {
    fn read(walk: &mut Walk<'_>, chunk: ChunkHead, n_bytes: u64, path: &Path) -> Result<Sound> {
        let first: [u8; 4] = walk.read(chunk.start)?;
        let offset = u64::from(u32::from_be_bytes(first));
        let is_sized = chunk.stated > SOUND_HEAD && !UNKNOWN_SIZES.contains(&chunk.stated);
        let max = if is_sized { chunk.end().min(n_bytes) } else { n_bytes };
        // Padding before the samples may align them to blocks.
        let start = chunk.start + SOUND_HEAD + offset;
        let has_wrong_offset = offset > 0 && start >= max;
        let start = if has_wrong_offset { chunk.start + SOUND_HEAD } else { start };
        if start >= n_bytes {
            return Err(look::no_samples(path));
        }
        let stated = chunk.end().saturating_sub(start);
        if stated == 0 && walk.is_chunks(start)? {
            return Err(look::no_samples(path));
        }
        let is_whole = stated > 0 && chunk.end() <= n_bytes;
        let end = if is_whole { chunk.end() } else { n_bytes };
        Ok(Sound { chunk, start, end, stated, is_whole, has_wrong_offset })
    }
}

/// Storage of the samples of a compression type, `code`. Depths that are not whole bytes use the upper bits.
fn plain(code: [u8; 4], bits: u32, path: &Path) -> Result<Plain> {
    let pcm = |bits: u32, bytes| {
        let container_bits = bits.div_ceil(8) * 8;
        // 8-bit samples are signed in either byte order.
        let bytes = if container_bits == 8 { StoredBytes::Swapped } else { bytes };
        Some(Plain { format: SampleFormat::Pcm { bits }, container_bits, bytes }).filter(|_| (1..=32).contains(&bits))
    };
    let float = |format, container_bits| Some(Plain { format, container_bits, bytes: StoredBytes::Swapped });
    let unsigned = Plain { format: SampleFormat::Pcm { bits: 8 }, container_bits: 8, bytes: StoredBytes::AsInWav };
    match &code.map(|letter| letter.to_ascii_lowercase()) {
        b"none" | b"twos" => pcm(bits, StoredBytes::Swapped),
        b"sowt" => pcm(bits, StoredBytes::AsInWav),
        b"in24" => pcm(24, StoredBytes::Swapped),
        b"in32" => pcm(32, StoredBytes::Swapped),
        b"23ni" => pcm(32, StoredBytes::AsInWav),
        b"fl32" => float(SampleFormat::Float32, 32),
        b"fl64" => float(SampleFormat::Float64, 64),
        b"ulaw" => Some(Plain::MU_LAW),
        b"alaw" => Some(Plain::A_LAW),
        b"raw " if bits == 8 => Some(unsigned),
        _ => return Err(look::unsupported("a variant of AIFF", path)),
    }
    .ok_or_else(|| look::damaged("AIFF", path))
}

/// A sample rate in hertz stored as an 80-bit float, rounded down; 0 if it is out of range or not a number.
fn rate_of(bytes: &[u8]) -> u32 {
    let exponent = i32::from(bytes[0]) << 8 | i32::from(bytes[1]);
    let mantissa = bytes[2..10].iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    // The top bit of `exponent` is the sign, so negative numbers are out of range, as is infinity.
    match exponent - 16_383 {
        power @ -1..=31 => (mantissa as f64 * 2f64.powi(power - 63)) as u32,
        _ => 0,
    }
}

//! The chunks of a WAV, RF64 or BW64 file: where its samples are and how they are stored. The file's length takes
//! precedence over any size stated in the file, since recorders may crash before writing it.

use super::wav_codecs::codec_name;
use crate::base::{Error, ErrorKind, Result};
use crate::probe::file_bytes::FileBytes;
use crate::probe::look;
use crate::samples::format::SampleFormat;
use crate::samples::stored_bytes::{Plain, StoredBytes};
use crate::writers::riff_head::SIZES_BYTES;
use crate::writers::wav_header::{Chunk, ChunkPlace, Coding, WavHeader};
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// Maximum total size in bytes of the chunks kept for export.
const MAX_CHUNK_BYTES: u64 = 64 << 20;

/// Maximum number of chunks, more than any real file has; a file with more consists of zeros or is hostile.
const MAX_CHUNKS: usize = 300_000;
/// Number of consecutive valid chunk headers that rules out samples which merely resemble chunks.
const MIN_CHUNK_CHAIN: usize = 1000;

/// Reads the chunk headers of a file that starts with RIFF, RF64 or BW64 and WAVE.
pub(crate) fn read_header(file: &mut BufReader<FileBytes>, n_bytes: u64, path: &Path) -> Result<WavHeader> {
    Walk::new(file, n_bytes, path).header()
}

/// Reads chunks at arbitrary positions of a file; sequential reads are served from the buffer.
pub(crate) struct Walk<'a> {
    file: &'a mut BufReader<FileBytes>,
    n_bytes: u64,
    position: u64,
    path: &'a Path,
    is_big_endian: bool,
}

/// Information in a chunk's header.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkHead {
    pub(crate) id: [u8; 4],
    pub(crate) stated: u64,
    pub(crate) start: u64,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(file: &'a mut BufReader<FileBytes>, n_bytes: u64, path: &'a Path) -> Walk<'a> {
        Walk { file, n_bytes, position: 0, path, is_big_endian: false }
    }

    /// A reader with big-endian sizes.
    pub(crate) fn highest_byte_first(self) -> Walk<'a> {
        Walk { is_big_endian: true, ..self }
    }

    fn header(&mut self) -> Result<WavHeader> {
        let head: [u8; 12] = self.read(0)?;
        let mut found = ChunkFacts::new(&head, self.n_bytes);
        let mut at = 12u64;
        let mut n_chunks = 0;
        let mut is_other = false;
        while at.saturating_add(8) <= self.n_bytes && found.goes_on(at) {
            let chunk = self.chunk(at)?;
            n_chunks += 1;
            is_other = found.data.is_some() && self.is_other_file(at)?;
            if is_other || n_chunks > MAX_CHUNKS || found.data.is_some() && !is_id(&chunk.id) {
                break;
            }
            at = match &chunk.id {
                b"ds64" if found.ds64.is_none() => {
                    let sizes: [u8; 16] = self.read(chunk.start)?;
                    found.ds64 = Some(u64_at(&sizes, 8));
                    found.riff_end = u64_at(&sizes, 0).saturating_add(8);
                    self.after(&chunk)?
                }
                b"fmt " if found.format.is_none() => {
                    if chunk.end() > self.n_bytes {
                        return Err(look::cut_short(self.path));
                    }
                    found.format = Some(self.format(&chunk)?);
                    self.after(&chunk)?
                }
                b"data" if found.data.is_none() => {
                    let mut chunk = found.sized(chunk);
                    let is_empty = chunk.stated == 0 && found.riff_end > chunk.start && self.is_chunks(chunk.start)?;
                    found.correct(&mut chunk, is_empty, self.n_bytes);
                    let after = self.after(&chunk)?;
                    found.take_data(chunk, self.n_bytes);
                    after
                }
                b"fmt " | b"data" | b"ds64" => self.after(&chunk)?,
                _ if chunk.end() > self.n_bytes && found.data.is_none() => break,
                _ => {
                    let place = found.place();
                    found.kept.keep(self, &chunk, place)?;
                    self.after(&chunk)?
                }
            };
        }
        let end = if !is_other && at < found.riff_end && found.riff_end <= self.n_bytes { found.riff_end } else { at };
        found.header(end, self.n_bytes, self.path)
    }

    /// The chunk that starts at `at`.
    pub(crate) fn chunk(&mut self, at: u64) -> Result<ChunkHead> {
        let head: [u8; 8] = self.read(at)?;
        let stated = u32_at(&head, 4);
        let stated = u64::from(if self.is_big_endian { stated.swap_bytes() } else { stated });
        Ok(ChunkHead { id: [head[0], head[1], head[2], head[3]], stated, start: at + 8 })
    }

    /// Whether another file begins at `at`, rather than a chunk.
    pub(crate) fn is_other_file(&mut self, at: u64) -> Result<bool> {
        Ok(at.saturating_add(12) <= self.n_bytes && look::name_of(&self.read::<12>(at)?).is_some())
    }

    /// Whether the file consists of one or more chunks from `at` to its end; only the first [`MIN_CHUNK_CHAIN`] chunks
    /// are checked.
    pub(crate) fn is_chunks(&mut self, at: u64) -> Result<bool> {
        let (mut at, mut n_chunks) = (at, 0);
        while at.saturating_add(8) <= self.n_bytes && n_chunks < MIN_CHUNK_CHAIN {
            let chunk = self.chunk(at)?;
            if !is_id(&chunk.id) || chunk.end() > self.n_bytes {
                return Ok(false);
            }
            at = self.after(&chunk)?;
            n_chunks += 1;
        }
        Ok(n_chunks > 0)
    }

    /// Start of the next chunk: at an even offset, although some writers forget the padding byte.
    pub(crate) fn after(&mut self, chunk: &ChunkHead) -> Result<u64> {
        let end = chunk.end();
        if chunk.stated.is_multiple_of(2) || end.saturating_add(9) > self.n_bytes {
            return Ok(end.saturating_add(chunk.stated % 2));
        }
        let following: [u8; 5] = self.read(end)?;
        Ok(if is_id(&following[..4]) && !is_id(&following[1..]) { end } else { end + 1 })
    }

    /// Reads a format chunk; the data range, end, chunks and notices of the result are still empty.
    pub(crate) fn format(&mut self, chunk: &ChunkHead) -> Result<WavHeader> {
        let damaged = |sentence: String| Err(Error::new(ErrorKind::Malformed, sentence).at(self.path));
        if chunk.stated < 16 {
            return damaged("is a WAV file whose format chunk is too short; its header is damaged".into());
        }
        let base: [u8; 16] = self.read(chunk.start)?;
        let mut tag = u16_at(&base, 0);
        let n_channels = usize::from(u16_at(&base, 2));
        let sample_rate_hz = u32_at(&base, 4);
        let align = u32::from(u16_at(&base, 12));
        let bits = u32::from(u16_at(&base, 14));
        look::check_layout(sample_rate_hz, n_channels, self.path)?;
        let mut valid_bits = bits;
        let mut channel_mask = None;
        if tag == 0xfffe {
            if chunk.stated < 40 {
                return damaged("is a WAV file whose extensible format is cut short; its header is damaged".into());
            }
            let more: [u8; 24] = self.read(chunk.start + 16)?;
            valid_bits = u32::from(u16_at(&more, 2));
            channel_mask = Some(u32_at(&more, 4));
            // `KSDATAFORMAT_SUBTYPE_WAVEFORMATEX`: the old tag followed by a fixed tail.
            if more[10..] != *b"\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71" {
                return Err(look::unsupported("a WAV file of an unknown extensible format", self.path));
            }
            tag = u16_at(&more, 8);
        }
        let coding = match tag {
            1 => plain_integers(bits, valid_bits, align, n_channels),
            3 if bits == 32 => Some(as_in_wav(SampleFormat::Float32, 32)),
            3 if bits == 64 => Some(as_in_wav(SampleFormat::Float64, 64)),
            // One byte per sample; the stated number of bits is ignored.
            6 => Some(Coding::Plain(Plain::A_LAW)),
            7 => Some(Coding::Plain(Plain::MU_LAW)),
            2 | 0x11 if matches!(bits, 0 | 4) => Some(Coding::Adpcm(align as u16)),
            // MPEG audio of any layer, and AAC with headers.
            0x50 | 0x55 | 0x1600 => Some(Coding::Frames { bytes_a_second: u32_at(&base, 8) }),
            2 | 0x11 => {
                let name = format!("a WAV file with {} of {bits} bits", codec_name(tag));
                return Err(look::unsupported(&name, self.path));
            }
            3 => None,
            _ => {
                return Err(look::unsupported(&format!("a WAV file with {} inside", codec_name(tag)), self.path));
            }
        };
        let Some(coding) = coding else {
            let kind = if tag == 3 { "floats" } else { "integers" };
            let name = format!("a WAV file with {kind} of {bits} bits");
            return Err(look::unsupported(&name, self.path));
        };
        Ok(WavHeader {
            tag,
            coding,
            sample_rate_hz,
            n_channels,
            channel_mask,
            data: 0..0,
            end: 0,
            chunks: Vec::new(),
            notices: Vec::new(),
        })
    }

    pub(crate) fn read<const N: usize>(&mut self, at: u64) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.seek(at)?;
        self.file.read_exact(&mut bytes).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => look::cut_short(self.path),
            _ => Error::io(&error, "read", self.path),
        })?;
        self.position = at + N as u64;
        Ok(bytes)
    }

    /// The bytes of a range inside the file; empty if there are more than `max`.
    pub(crate) fn bytes(&mut self, start: u64, end: u64, max: u64) -> Result<Vec<u8>> {
        let n_bytes = end.min(self.n_bytes).saturating_sub(start);
        if n_bytes > max {
            return Ok(Vec::new());
        }
        let mut bytes = vec![0; n_bytes as usize];
        self.seek(start)?;
        self.file.read_exact(&mut bytes).map_err(|error| Error::io(&error, "read", self.path))?;
        self.position = start + n_bytes;
        Ok(bytes)
    }

    /// Seeks; short moves stay within the buffer, for files with a hundred thousand chunks.
    fn seek(&mut self, at: u64) -> Result<()> {
        let moved = i64::try_from(i128::from(at) - i128::from(self.position));
        match moved {
            Ok(offset) => self.file.seek_relative(offset),
            Err(_) => self.file.seek(SeekFrom::Start(at)).map(|_| ()),
        }
        .map_err(|error| Error::io(&error, "read", self.path))?;
        self.position = at;
        Ok(())
    }
}

/// Information in the chunks so far.
struct ChunkFacts {
    is_64: bool,
    /// Size of the samples according to a `ds64` chunk.
    ds64: Option<u64>,
    format: Option<WavHeader>,
    data: Option<ChunkHead>,
    /// End of the file as stated by the header; corrected once it proves wrong.
    riff_end: u64,
    /// Multiple of 4 GiB by which the file is longer than its 32-bit size field states; 0 if there is no such overflow.
    lost: u64,
    kept: KeptChunks,
}

impl ChunkFacts {
    fn new(head: &[u8; 12], n_bytes: u64) -> ChunkFacts {
        let is_64 = &head[..4] != b"RIFF";
        let riff_end = 8 + u64::from(u32_at(head, 4));
        // If the size overflowed its 32 bits, the file is longer than stated by a multiple of 4 GiB.
        let lost = n_bytes.saturating_sub(riff_end);
        let lost = if !is_64 && lost.is_multiple_of(1 << 32) { lost } else { 0 };
        ChunkFacts { is_64, ds64: None, format: None, data: None, riff_end, lost, kept: KeptChunks::default() }
    }

    /// Whether a chunk may start at `at`. The stated end of the file is ignored until the samples are found.
    fn goes_on(&self, at: u64) -> bool {
        self.data.as_ref().is_none_or(|data| at + 8 <= self.riff_end.max(data.end()))
    }

    /// The sample chunk; a size of `u32::MAX` is replaced with the size in `ds64`.
    fn sized(&self, chunk: ChunkHead) -> ChunkHead {
        if chunk.stated == u64::from(u32::MAX) {
            // Without a `ds64` chunk, the file is a stream of unknown length.
            return ChunkHead { stated: self.ds64.filter(|_| self.is_64).unwrap_or(u64::MAX), ..chunk };
        }
        chunk
    }

    /// Replaces the stated size of the sample chunk with its actual size.
    fn correct(&mut self, chunk: &mut ChunkHead, is_empty: bool, n_bytes: u64) {
        if chunk.stated == 0 && !is_empty && chunk.start < n_bytes {
            self.kept.notices.push(look::NO_LENGTH.into());
            chunk.stated = n_bytes - chunk.start;
        }
        if self.lost > 0 && chunk.stated != u64::MAX {
            self.kept.notices.push("is longer than its header can state; all of it is read".into());
            chunk.stated += self.lost;
            self.riff_end += self.lost;
        }
    }

    fn take_data(&mut self, chunk: ChunkHead, n_bytes: u64) {
        if chunk.end() > self.riff_end || self.is_64 && self.ds64.is_none() {
            // The samples extend beyond the stated end, so it is wrong.
            self.riff_end = n_bytes;
        }
        self.data = Some(chunk);
    }

    /// Place of the next kept chunk relative to the format and data chunks.
    fn place(&self) -> ChunkPlace {
        match (&self.format, &self.data) {
            (_, Some(_)) => ChunkPlace::AfterData,
            (Some(_), None) => ChunkPlace::BeforeData,
            (None, None) => ChunkPlace::BeforeFormat,
        }
    }

    fn header(self, end: u64, n_bytes: u64, path: &Path) -> Result<WavHeader> {
        let damaged = |sentence: &str| Error::new(ErrorKind::Malformed, sentence).at(path);
        let Some(data) = self.data else {
            return Err(damaged("is a WAV file without samples; its header is damaged or it was cut short"));
        };
        let format = self.format.ok_or_else(|| {
            damaged("is a WAV file that does not say how its samples are stored; its header is damaged")
        })?;
        let data_end = data.end().min(n_bytes);
        if data_end == data.start {
            return Err(look::no_samples(path));
        }
        let mut notices = self.kept.notices;
        let is_streamed = data.stated == u64::from(u32::MAX) || data.stated == u64::MAX;
        if data.end() > n_bytes && !is_streamed {
            let missing = format.n_frames_in(data.end() - n_bytes);
            notices.push(look::ends_early(missing, format.sample_rate_hz));
        }
        let (data, end) = (data.start..data_end, end.min(n_bytes));
        Ok(WavHeader { data, end, chunks: self.kept.chunks, notices, ..format })
    }
}

impl ChunkHead {
    pub(crate) fn end(&self) -> u64 {
        self.start.saturating_add(self.stated)
    }
}

/// Whether all bytes of an id are printable ASCII characters, as in every chunk.
pub(crate) fn is_id(id: &[u8]) -> bool {
    id.iter().all(|letter| matches!(letter, b' '..=b'~'))
}

/// Integers of 8 to 32 bits in a container of whole bytes; `None` for other depths.
fn plain_integers(bits: u32, valid_bits: u32, align: u32, n_channels: usize) -> Option<Coding> {
    if !(8..=32).contains(&bits) {
        return None;
    }
    let by_align = align / n_channels as u32;
    // The block alignment gives the width of a wider container, but is wrong in many headers.
    let container_bytes = if align.is_multiple_of(n_channels as u32) && (bits.div_ceil(8)..=4).contains(&by_align) {
        by_align
    } else {
        bits.div_ceil(8)
    };
    let container_bits = 8 * container_bytes;
    let valid = if (1..=bits).contains(&valid_bits) { valid_bits } else { bits };
    Some(as_in_wav(SampleFormat::Pcm { bits: valid }, container_bits))
}

fn as_in_wav(format: SampleFormat, container_bits: u32) -> Coding {
    Coding::Plain(Plain { format, container_bits, bytes: StoredBytes::AsInWav })
}

#[derive(Default)]
struct KeptChunks {
    chunks: Vec<Chunk>,
    n_bytes: u64,
    notices: Vec<String>,
}

impl KeptChunks {
    /// Keeps a chunk unless it describes the samples (and so would be wrong after an edit), is damaged or is huge.
    fn keep(&mut self, walk: &mut Walk<'_>, chunk: &ChunkHead, place: ChunkPlace) -> Result<()> {
        if matches!(&chunk.id, b"fact" | b"PEAK" | b"levl" | b"MD5 ") {
            return Ok(());
        }
        let name = chunk.id.escape_ascii();
        if chunk.end() > walk.n_bytes {
            self.notices.push(format!("its chunk '{name}' is truncated and will not be exported"));
            return Ok(());
        }
        self.n_bytes += chunk.stated;
        if self.n_bytes > MAX_CHUNK_BYTES {
            self.n_bytes -= chunk.stated;
            self.notices.push(format!("its chunk '{name}' is very large and will not be exported"));
            return Ok(());
        }
        // The chunk is inside the file, so its length can be trusted.
        let data = walk.bytes(chunk.start, chunk.end(), MAX_CHUNK_BYTES)?;
        if chunk.id == *b"JUNK" && data == [0; SIZES_BYTES] {
            return Ok(());
        }
        self.chunks.push(Chunk { id: chunk.id, data, place });
        Ok(())
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

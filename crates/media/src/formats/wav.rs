//! Plain samples of WAV, RF64, Wave64, AIFF and AU files, and of all other files with uncompressed samples.

use super::caf::{self, Caf};
use super::raw::Raw;
use super::{aiff, au, movie_samples, riff, wav_codecs, wave64};
use crate::base::{Error, Result};
use crate::decoders::repaired::Repaired;
use crate::probe::file_bytes::{FileBytes, read_up_to};
use crate::probe::look;
use crate::probe::options::Opening;
use crate::samples::budget::Budget;
use crate::samples::format::SampleFormat;
use crate::samples::plain_file::{FileRuns, PlainFile, PlainLayout};
use crate::samples::planar::PlanarSamples;
use crate::samples::storage::Storage;
use crate::samples::stored_bytes::Plain;
use crate::samples::values::{finite_f32, finite_f64, not_finite_notice};
use crate::writers::wav_header::{Coding, WavHeader};
use std::io::{BufReader, Seek, SeekFrom};

/// Bytes read at a time, rounded down to whole frames.
const READ_BYTES: usize = 1 << 18;

/// Content of a file whose header was read.
pub(crate) enum Content {
    /// Plain samples.
    Plain(Raw),
    /// To be decoded by symphonia, with a header of our own; `name` is the name of the format, or `None` for that of
    /// the codec.
    Coded { file: FileBytes, repaired: Repaired, name: Option<String> },
    /// To be decoded: frames without a header.
    Frames { file: FileBytes, repaired: Repaired, name: String },
}

/// Reads a file that starts with RIFF, RF64 or BW64 and WAVE.
pub(crate) fn read(file: FileBytes, opening: &Opening) -> Result<Content> {
    let mut file = BufReader::with_capacity(1 << 16, file);
    let header = riff::read_header(&mut file, opening.n_bytes, opening.path)?;
    read_samples(file, header, "WAV", opening)
}

/// Reads a file of Sony's Wave64, which starts with the GUID of `riff`.
pub(crate) fn read_wave64(file: FileBytes, opening: &Opening) -> Result<Content> {
    let mut file = BufReader::with_capacity(1 << 16, file);
    let header = wave64::read_header(&mut file, opening.n_bytes, opening.path)?;
    read_samples(file, header, "Wave64", opening)
}

/// Reads a file that starts with `.snd`.
pub(crate) fn read_au(file: FileBytes, opening: &Opening) -> Result<Content> {
    let mut file = BufReader::with_capacity(1 << 16, file);
    let header = au::read_header(&mut file, opening.n_bytes, opening.path)?;
    read_samples(file, header, "AU", opening)
}

/// Reads a file whose first chunk, at `start`, is FORM of AIFF or AIFC.
pub(crate) fn read_aiff(file: FileBytes, start: u64, opening: &Opening) -> Result<Content> {
    let mut file = BufReader::with_capacity(1 << 16, file);
    let header = aiff::read_header(&mut file, start, opening.n_bytes, opening.path)?;
    read_samples(file, header, "AIFF", opening)
}

/// Reads a file that starts with `caff`.
pub(crate) fn read_caf(file: FileBytes, opening: &Opening) -> Result<Content> {
    let mut file = BufReader::with_capacity(1 << 16, file);
    match caf::read_header(&mut file, opening.n_bytes, opening.path)? {
        Caf::Plain(header) => read_samples(file, header, "CAF", opening),
        Caf::Packets(repaired) => Ok(Content::Coded { file: file.into_inner(), repaired, name: None }),
    }
}

/// Reads an MP4 or QuickTime file with plain samples; `None` if they are coded or in fragments.
pub(crate) fn read_mp4(file: &FileBytes, opening: &Opening) -> Result<Option<Raw>> {
    let Some(found) = movie_samples::find(file, opening.n_bytes, opening.path)? else { return Ok(None) };
    let movie_samples::PlainTrack { header, plain: coding, runs, name } = found;
    let file = file.try_clone().map_err(|error| Error::io(&error, "read", opening.path))?;
    let mut file = BufReader::with_capacity(1 << 16, file);
    plain(&mut file, header, coding, runs, name, opening).map(Some)
}

fn read_samples(mut file: BufReader<FileBytes>, header: WavHeader, name: &str, opening: &Opening) -> Result<Content> {
    match header.coding {
        Coding::Plain(coding) => {
            let runs = FileRuns::one(header.data.clone());
            Ok(Content::Plain(plain(&mut file, header, coding, runs, name, opening)?))
        }
        Coding::Adpcm(block_bytes) => {
            let name = format!("{name}, {}", wav_codecs::codec_name(header.tag));
            let repaired = Repaired {
                head: wav_codecs::adpcm_header(&header, block_bytes),
                data: header.data,
                end: header.end,
                chunks: header.chunks,
                notices: header.notices,
            };
            Ok(Content::Coded { file: file.into_inner(), repaired, name: Some(name) })
        }
        Coding::Frames { .. } => {
            let name = format!("{name}, {}", wav_codecs::codec_name(header.tag));
            let WavHeader { data, end, chunks, notices, .. } = header;
            let repaired = Repaired { head: Vec::new(), data, end, chunks, notices };
            Ok(Content::Frames { file: file.into_inner(), repaired, name })
        }
    }
}

/// Reads the samples described by a header into memory; if they exceed the memory limit, leaves them in the file.
pub(crate) fn plain(
    file: &mut BufReader<FileBytes>,
    header: WavHeader,
    coding: Plain,
    runs: FileRuns,
    name: &str,
    opening: &Opening,
) -> Result<Raw> {
    let &Opening { path, options, progress, .. } = opening;
    let Plain { format, container_bits, .. } = coding;
    let io = |error: std::io::Error| Error::io(&error, "read", path);
    let n_channels = header.n_channels;
    // Frame size in the file, and as in WAV.
    let stored_bytes = coding.stored_bytes() * n_channels;
    let frame_bytes = container_bits as usize / 8 * n_channels;
    let n_frames = runs.n_bytes() / stored_bytes as u64;
    if n_frames == 0 {
        return Err(look::no_samples(path));
    }
    let mut raw = Raw {
        samples: Storage::Silence,
        n_samples: n_frames,
        sample_rate_hz: header.sample_rate_hz,
        n_channels,
        format,
        container_bits,
        channel_mask: header.channel_mask,
        description: format!("{name}, {}", coding.described()),
        chunks: header.chunks,
        notices: header.notices,
        end: Some(header.end),
    };
    let layout = PlainLayout { runs, n_frames, n_channels, coding };
    // Only a file on disk can be read later.
    if layout.decoded_bytes() > options.memory_bytes
        && let Some(on_disk) = file.get_ref().on_disk()
    {
        let file = on_disk.try_clone().map_err(io)?;
        raw.samples = Storage::Plain(Box::new(PlainFile::new(file, path, layout)?));
        return Ok(raw);
    }
    let mut samples = match format {
        SampleFormat::Float32 | SampleFormat::Lossy => PlanarSamples::Float32(vec![Vec::new(); n_channels]),
        SampleFormat::Float64 => PlanarSamples::Float64(vec![Vec::new(); n_channels]),
        SampleFormat::Pcm { .. } => PlanarSamples::integers(container_bits, n_channels),
    };
    // This length has been limited to that of the file.
    samples.reserve(n_frames, &Budget::new()).map_err(|error| error.at(path))?;

    let n_frames_at_once = usize::try_from(n_frames).unwrap_or(usize::MAX).min(READ_BYTES / stored_bytes);
    let mut bytes = vec![0; n_frames_at_once * stored_bytes];
    let mut left = n_frames;
    let mut not_finite = 0;
    'runs: for run in layout.runs.parts(0, n_frames * stored_bytes as u64) {
        if let Some(at) = run.at {
            file.seek(SeekFrom::Start(at)).map_err(io)?;
        }
        let mut left_here = run.n_bytes / stored_bytes as u64;
        while left_here > 0 {
            progress.step(n_frames - left, n_frames)?;
            let n = usize::try_from(left_here).unwrap_or(usize::MAX).min(bytes.len() / stored_bytes);
            let block = &mut bytes[..n * stored_bytes];
            let n_read = match run.at {
                Some(_) => read_up_to(file, block).map_err(io)? / stored_bytes,
                None => {
                    block.fill(coding.silence());
                    n
                }
            };
            let block = coding.as_in_wav(&block[..n_read * stored_bytes]);
            append(&mut samples, &block, frame_bytes, container_bits, &mut not_finite);
            left -= n_read as u64;
            left_here -= n_read as u64;
            if n_read < n {
                break 'runs;
            }
        }
    }
    if left > 0 {
        let lost = look::part_in_words(left as f64 / f64::from(raw.sample_rate_hz.max(1)));
        raw.notices.push(format!("became shorter while it was being read: {lost} are missing at its end"));
    }
    raw.notices.extend(not_finite_notice(not_finite));
    if samples.len() == 0 {
        return Err(look::no_samples(path));
    }
    let n_samples = samples.len();
    samples.finish(n_samples);
    Ok(Raw { samples: Storage::Memory(samples), n_samples: n_samples as u64, ..raw })
}

/// Appends whole frames of interleaved little-endian samples.
fn append(samples: &mut PlanarSamples, bytes: &[u8], frame_bytes: usize, container_bits: u32, not_finite: &mut u64) {
    let frames = Deinterleave { bytes, frame_bytes };
    match samples {
        PlanarSamples::Int16(channels) if container_bits == 8 => {
            frames.append_to(channels, |[value]: [u8; 1]| i16::from(value) - 128)
        }
        PlanarSamples::Int16(channels) => frames.append_to(channels, i16::from_le_bytes),
        PlanarSamples::Int32(channels) if container_bits == 24 => {
            frames.append_to(channels, |[low, middle, high]: [u8; 3]| i32::from_le_bytes([0, low, middle, high]) >> 8)
        }
        PlanarSamples::Int32(channels) => frames.append_to(channels, i32::from_le_bytes),
        PlanarSamples::Float32(channels) => {
            frames.append_to(channels, |bytes| finite_f32(f32::from_le_bytes(bytes), not_finite))
        }
        PlanarSamples::Float64(channels) => {
            frames.append_to(channels, |bytes| finite_f64(f64::from_le_bytes(bytes), not_finite))
        }
    }
}

struct Deinterleave<'a> {
    bytes: &'a [u8],
    frame_bytes: usize,
}

impl Deinterleave<'_> {
    fn append_to<T, const N: usize>(&self, channels: &mut [Vec<T>], mut value: impl FnMut([u8; N]) -> T) {
        // With one channel no bytes are skipped, so that the loop can be vectorised.
        if let [values] = channels {
            values.extend(self.bytes.as_chunks().0.iter().map(|sample| value(*sample)));
            return;
        }
        for (channel, values) in channels.iter_mut().enumerate() {
            values.extend(self.bytes.chunks_exact(self.frame_bytes).map(|frame| {
                let mut sample = [0; N];
                sample.copy_from_slice(&frame[channel * N..(channel + 1) * N]);
                value(sample)
            }));
        }
    }
}

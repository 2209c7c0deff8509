//! Writes WAV and RF64 files from start to end, since every size is known before the first sample. hound writes simple
//! files; our own code writes those with 8 bits, doubles, fewer valid bits, channel masks, kept chunks, odd lengths, or
//! more than 4 GiB.

use super::container::ExportFormat;
use super::riff_head::{SIZES_BYTES, long_head, put_chunk, riff_head};
use super::sample_writer::{Planes, SampleWriter, Storing, WavLayout};
use super::sound_to_write::SoundToWrite;
use super::wav_header::{Chunk, ChunkPlace};
use crate::base::{Error, ErrorKind, Result};
use crate::samples::format::SampleFormat;
use std::fs::File;
use std::io::{BufWriter, Write};

/// The largest size that RIFF can state, minus a margin for padding.
const RIFF_LIMIT: u64 = u32::MAX as u64 - 16;
/// The end of every `KSDATAFORMAT_SUBTYPE` GUID that begins with an old format tag.
const GUID_TAIL: [u8; 14] = *b"\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71";

/// Format of the file to write.
#[derive(Debug, Clone, Copy)]
pub struct WavShape<'a> {
    /// Layout of the samples.
    pub layout: WavLayout,
    /// Frames per second.
    pub sample_rate_hz: u32,
    /// Number of channels, which are interleaved in the file.
    pub n_channels: usize,
    /// Number of samples per channel.
    pub n_frames: u64,
    /// Speaker mask of the channels, if any.
    pub channel_mask: Option<u32>,
    /// Chunks besides format and samples.
    pub chunks: &'a [Chunk],
}

impl WavShape<'_> {
    fn frame_bytes(&self) -> u64 {
        u64::from(self.layout.container_bits() / 8) * self.n_channels as u64
    }

    fn data_bytes(&self) -> u64 {
        self.n_frames.saturating_mul(self.frame_bytes())
    }

    /// The length of the whole file in bytes.
    pub(crate) fn file_bytes(&self) -> u64 {
        let (front, back) = self.frame(RIFF_LIMIT);
        (front.len() + back.len()) as u64 + self.data_bytes()
    }

    fn is_plain(&self) -> bool {
        let layout = match self.layout {
            WavLayout::Integers { container_bits, valid_bits } => container_bits == valid_bits && container_bits > 8,
            WavLayout::Float32 => true,
            WavLayout::Float64 => false,
        };
        layout
            && self.chunks.is_empty()
            && self.channel_mask.is_none()
            && self.data_bytes().is_multiple_of(2)
            && self.data_bytes() < RIFF_LIMIT - 128
    }

    /// The bytes before and after the samples; those of RF64 if the size in the header would exceed `limit`.
    pub fn frame(&self, limit: u64) -> (Vec<u8>, Vec<u8>) {
        let mut front = Vec::new();
        let of = |place: ChunkPlace| self.chunks.iter().filter(move |chunk| chunk.place == place);
        of(ChunkPlace::BeforeFormat).for_each(|chunk| put_chunk(&mut front, &chunk.id, &chunk.data));
        put_chunk(&mut front, b"fmt ", &self.format());
        if !matches!(self.layout, WavLayout::Integers { .. }) {
            let stated = u32::try_from(self.n_frames).unwrap_or(u32::MAX);
            put_chunk(&mut front, b"fact", &stated.to_le_bytes());
        }
        of(ChunkPlace::BeforeData).for_each(|chunk| put_chunk(&mut front, &chunk.id, &chunk.data));
        let mut back = vec![0; (self.data_bytes() % 2) as usize];
        of(ChunkPlace::AfterData).for_each(|chunk| put_chunk(&mut back, &chunk.id, &chunk.data));

        let data = self.data_bytes();
        let riff = 4 + front.len() as u64 + 8 + data + back.len() as u64;
        let head = if riff > limit {
            // The size includes the `ds64` chunk itself.
            long_head([riff + 8 + SIZES_BYTES as u64, data, self.n_frames], &front)
        } else {
            riff_head(&front, [riff, data].map(|size| size as u32))
        };
        (head, back)
    }

    /// The content of the `fmt ` chunk.
    pub(crate) fn format(&self) -> Vec<u8> {
        let container_bits = self.layout.container_bits();
        let (tag, valid_bits) = match self.layout {
            WavLayout::Integers { valid_bits, .. } => (1u16, valid_bits),
            WavLayout::Float32 | WavLayout::Float64 => (3, container_bits),
        };
        let is_extensible = self.n_channels > 2 || valid_bits != container_bits || self.channel_mask.is_some();
        let mut format = Vec::new();
        let byte_rate = u64::from(self.sample_rate_hz) * self.frame_bytes();
        format.extend_from_slice(&(if is_extensible { 0xfffe } else { tag }).to_le_bytes());
        format.extend_from_slice(&(self.n_channels as u16).to_le_bytes());
        format.extend_from_slice(&self.sample_rate_hz.to_le_bytes());
        format.extend_from_slice(&u32::try_from(byte_rate).unwrap_or(u32::MAX).to_le_bytes());
        format.extend_from_slice(&(self.frame_bytes() as u16).to_le_bytes());
        format.extend_from_slice(&(container_bits as u16).to_le_bytes());
        if is_extensible {
            format.extend_from_slice(&22u16.to_le_bytes());
            format.extend_from_slice(&(valid_bits as u16).to_le_bytes());
            format.extend_from_slice(&self.channel_mask.unwrap_or(0).to_le_bytes());
            format.extend_from_slice(&tag.to_le_bytes());
            format.extend_from_slice(&GUID_TAIL);
        } else if tag != 1 {
            format.extend_from_slice(&0u16.to_le_bytes());
        }
        format
    }
}

/// The layout of the samples for an export format; [`ExportFormat::Source`] keeps the source's depth and container
/// size.
pub(crate) fn storing(sound: &SoundToWrite<'_>, format: ExportFormat) -> Storing {
    let whole = |bits| WavLayout::Integers { container_bits: bits, valid_bits: bits };
    let info = sound.source.info();
    let layout = match format {
        ExportFormat::Pcm16 => whole(16),
        ExportFormat::Pcm24 => whole(24),
        ExportFormat::Pcm32 => whole(32),
        ExportFormat::Float32 => WavLayout::Float32,
        ExportFormat::Source => match info.format {
            SampleFormat::Pcm { bits } => WavLayout::Integers { container_bits: info.container_bits, valid_bits: bits },
            SampleFormat::Float32 | SampleFormat::Lossy => WavLayout::Float32,
            SampleFormat::Float64 => WavLayout::Float64,
        },
    };
    Storing::of_samples("WAV", layout, sound.sample_rate_hz)
}

/// A file being written.
pub(crate) enum WavWriter<'a> {
    Plain(hound::WavWriter<&'a mut BufWriter<File>>),
    Ours { out: &'a mut BufWriter<File>, layout: WavLayout, back: Vec<u8>, bytes: Vec<u8> },
}

impl<'a> WavWriter<'a> {
    /// Writes the header, up to the samples.
    pub(crate) fn new(out: &'a mut BufWriter<File>, shape: &WavShape<'_>) -> Result<WavWriter<'a>> {
        if shape.is_plain() {
            let is_float = shape.layout == WavLayout::Float32;
            let spec = hound::WavSpec {
                channels: shape.n_channels as u16,
                sample_rate: shape.sample_rate_hz,
                bits_per_sample: shape.layout.container_bits() as u16,
                sample_format: if is_float { hound::SampleFormat::Float } else { hound::SampleFormat::Int },
            };
            return Ok(WavWriter::Plain(hound::WavWriter::new(out, spec).map_err(hound_error)?));
        }
        let (head, back) = shape.frame(RIFF_LIMIT);
        out.write_all(&head).map_err(io_error)?;
        Ok(WavWriter::Ours { out, layout: shape.layout, back, bytes: Vec::new() })
    }
}

impl SampleWriter for WavWriter<'_> {
    fn write(&mut self, planes: &Planes, n: usize) -> Result<()> {
        match self {
            WavWriter::Plain(writer) => {
                for frame in 0..n {
                    match planes {
                        Planes::Integers(channels) => {
                            channels.iter().try_for_each(|channel| writer.write_sample(channel[frame]))
                        }
                        Planes::Float32(channels) => {
                            channels.iter().try_for_each(|channel| writer.write_sample(channel[frame]))
                        }
                        // Doubles are written by our own code.
                        Planes::Float64(_) => Err(hound::Error::Unsupported),
                    }
                    .map_err(hound_error)?;
                }
                Ok(())
            }
            WavWriter::Ours { out, layout, bytes, .. } => {
                bytes.clear();
                for frame in 0..n {
                    put_frame(bytes, planes, frame, *layout);
                }
                out.write_all(bytes).map_err(io_error)
            }
        }
    }

    fn finish(self: Box<Self>) -> Result<()> {
        match *self {
            WavWriter::Plain(writer) => writer.finalize().map_err(hound_error),
            WavWriter::Ours { out, back, .. } => out.write_all(&back).map_err(io_error),
        }
    }
}

fn put_frame(bytes: &mut Vec<u8>, planes: &Planes, frame: usize, layout: WavLayout) {
    match planes {
        Planes::Integers(channels) => {
            for channel in channels {
                let value = channel[frame];
                match layout.container_bits() {
                    // 8-bit WAV is unsigned.
                    8 => bytes.push((value + 128) as u8),
                    bits => bytes.extend_from_slice(&value.to_le_bytes()[..bits as usize / 8]),
                }
            }
        }
        Planes::Float32(channels) => {
            channels.iter().for_each(|channel| bytes.extend_from_slice(&channel[frame].to_le_bytes()));
        }
        Planes::Float64(channels) => {
            channels.iter().for_each(|channel| bytes.extend_from_slice(&channel[frame].to_le_bytes()));
        }
    }
}

fn io_error(error: std::io::Error) -> Error {
    Error::io(&error, "written", std::path::Path::new(""))
}

fn hound_error(error: hound::Error) -> Error {
    match error {
        hound::Error::IoError(error) => io_error(error),
        error => Error::new(ErrorKind::Internal, format!("could not be written as WAV: {error}")),
    }
}

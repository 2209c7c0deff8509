//! Writes FLAC files with `flac-codec`.
//!
//! Source: RFC 9639.

use super::container::ExportFormat;
use super::sample_writer::{Planes, SampleWriter, Storing, WavLayout};
use super::sound_to_write::SoundToWrite;
use crate::base::{Error, ErrorKind, Result};
use crate::metadata::flac_speakers::MASK_FIELD;
use crate::metadata::sound_tags::SoundTags;
use crate::samples::format::SampleFormat;
use flac_codec::encode::{FlacSampleWriter, Options};
use flac_codec::metadata::VorbisComment;
use std::fs::File;
use std::io::BufWriter;

/// Maximum number of channels of a FLAC file.
const MAX_CHANNELS: usize = 8;
/// Maximum sample rate of a FLAC file in hertz: a 20-bit field.
const MAX_RATE_HZ: u32 = (1 << 20) - 1;
/// Minimum bit depth of a FLAC file.
const MIN_BITS: u32 = 4;

/// Format of the file to write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlacShape {
    /// Bits per sample.
    pub(crate) bits: u32,
    /// Frames per second.
    pub(crate) sample_rate_hz: u32,
    /// Number of channels.
    pub(crate) n_channels: usize,
    /// Samples of each channel.
    pub(crate) n_frames: u64,
    /// Speaker mask of the channels, if any.
    pub(crate) channel_mask: Option<u32>,
}

/// A file being written.
pub(crate) struct FlacWriter<'a> {
    writer: FlacSampleWriter<&'a mut BufWriter<File>>,
    interleaved: Vec<i32>,
}

impl<'a> FlacWriter<'a> {
    /// Writes the metadata blocks before the samples.
    pub(crate) fn new(out: &'a mut BufWriter<File>, shape: &FlacShape, tags: SoundTags) -> Result<FlacWriter<'a>> {
        if shape.n_frames == 0 {
            return Err(Error::new(ErrorKind::Unsupported, "FLAC cannot hold a sound without samples; export WAV"));
        }
        let mut options = Options::default();
        let SoundTags { fields, pictures } = tags;
        let mut comment = VorbisComment { fields, ..VorbisComment::default() };
        if let Some(mask) = shape.channel_mask.filter(|_| shape.n_channels > 2) {
            comment.set(MASK_FIELD, format!("0x{mask:04x}"));
        }
        if !comment.fields.is_empty() {
            options.add_block(comment);
        }
        options.add_blocks(pictures);
        let n_samples = shape.n_frames * shape.n_channels as u64;
        let channels = shape.n_channels as u8;
        let writer = FlacSampleWriter::new(out, options, shape.sample_rate_hz, shape.bits, channels, Some(n_samples));
        Ok(FlacWriter { writer: writer.map_err(flac_error)?, interleaved: Vec::new() })
    }
}

impl SampleWriter for FlacWriter<'_> {
    fn write(&mut self, planes: &Planes, n: usize) -> Result<()> {
        let Planes::Integers(channels) = planes else {
            return Err(Error::new(ErrorKind::Internal, "floats were made for a FLAC file"));
        };
        self.interleaved.clear();
        for frame in 0..n {
            self.interleaved.extend(channels.iter().map(|channel| channel[frame]));
        }
        self.writer.write(&self.interleaved).map_err(flac_error)
    }

    /// Writes the lengths and the checksum of the samples into the header.
    fn finish(self: Box<Self>) -> Result<()> {
        self.writer.finalize().map_err(flac_error)
    }
}

/// The layout of the samples in FLAC: integers, by default of the source's depth, or 24 bits for floats and lossy
/// sources.
///
/// # Errors
/// [`Unsupported`](ErrorKind::Unsupported) for floats, and for more channels or higher rates than it supports.
pub(crate) fn storing(sound: &SoundToWrite<'_>, format: ExportFormat) -> Result<Storing> {
    let (n_channels, rate_hz) = (sound.channels.len(), sound.sample_rate_hz);
    let refused = |sentence: String| Err(Error::new(ErrorKind::Unsupported, sentence));
    if n_channels > MAX_CHANNELS {
        return refused(format!(
            "FLAC holds at most {MAX_CHANNELS} channels, and this sound has {n_channels}; export WAV"
        ));
    }
    if rate_hz > MAX_RATE_HZ {
        return refused(format!("FLAC holds at most {MAX_RATE_HZ} Hz, and this sound has {rate_hz}; export WAV"));
    }
    let bits = match format {
        ExportFormat::Pcm16 => 16,
        ExportFormat::Pcm24 => 24,
        ExportFormat::Pcm32 => 32,
        ExportFormat::Float32 => return refused("FLAC holds no floats; choose 16, 24 or 32 bit, or export WAV".into()),
        ExportFormat::Source => match sound.source.info().format {
            SampleFormat::Pcm { bits } => bits.max(MIN_BITS),
            SampleFormat::Float32 | SampleFormat::Float64 | SampleFormat::Lossy => 24,
        },
    };
    let layout = WavLayout::Integers { container_bits: bits, valid_bits: bits };
    Ok(Storing::of_samples("FLAC", layout, rate_hz))
}

fn flac_error(error: flac_codec::Error) -> Error {
    match error {
        flac_codec::Error::Io(error) => Error::io(&error, "written", std::path::Path::new("")),
        error => Error::new(ErrorKind::Internal, format!("could not be written as FLAC: {error}")),
    }
}

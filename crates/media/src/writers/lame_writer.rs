//! MP3 encoding with LAME. The first frame contains LAME's tag instead of sound: seek points, and the delay and padding
//! that players trim to play exactly the samples written. The other frames are identical to those of the `lame`
//! program, version 3.100.

use super::container::BitRate;
use super::id3_writer::id3_tag;
use super::mp3_writer::{Coded, coded};
use super::sample_writer::{Planes, SampleWriter};
use crate::base::{Error, ErrorKind, Result};
use crate::metadata::sound_tags::SoundTags;
use mp3lame_encoder::{
    Bitrate, Builder, DualPcm, Encoder, FlushGap, MonoPcm, Quality, VbrMode, max_required_buffer_size,
};
use std::fmt::Display;
use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::num::NonZeroU32;
use std::path::Path;

/// Buffer size for the last frames in bytes: twice their maximum size.
const LAST_BYTES: usize = 16_384;
/// Factor applied to floats: LAME multiplies them by 32,767, but integers by the equivalent of 32,768.
const LAME_SCALE: f32 = 32_768.0 / 32_767.0;

/// Format of the file to write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mp3Shape {
    /// Frames per second: one of the rates of MP3.
    pub(crate) sample_rate_hz: u32,
    /// Number of channels, 1 or 2.
    pub(crate) n_channels: usize,
    /// Samples of each channel.
    pub(crate) n_frames: u64,
    /// The chosen bit rate.
    pub(crate) bit_rate: BitRate,
}

/// A file being written.
pub(crate) struct Mp3Writer<'a> {
    out: &'a mut BufWriter<File>,
    encoder: Encoder,
    /// Offset of LAME's tag in the file.
    tag_at: u64,
    /// Encoded bytes not written yet.
    bytes: Vec<u8>,
}

impl<'a> Mp3Writer<'a> {
    /// Writes the ID3 tag before the samples.
    pub(crate) fn new(out: &'a mut BufWriter<File>, shape: &Mp3Shape, tags: SoundTags) -> Result<Mp3Writer<'a>> {
        let encoder = encoder_of(shape)?;
        let sound_secs = shape.n_frames as f64 / f64::from(shape.sample_rate_hz);
        let tag = id3_tag(&tags.without_speakers(), sound_secs);
        out.write_all(&tag).map_err(io_error)?;
        Ok(Mp3Writer { out, encoder, tag_at: tag.len() as u64, bytes: Vec::new() })
    }

    fn write_bytes(&mut self) -> Result<()> {
        self.out.write_all(&self.bytes).map_err(io_error)?;
        self.bytes.clear();
        Ok(())
    }
}

impl SampleWriter for Mp3Writer<'_> {
    fn write(&mut self, planes: &Planes, n: usize) -> Result<()> {
        self.bytes.reserve(max_required_buffer_size(n));
        let Mp3Writer { encoder, bytes, .. } = self;
        let coded = match planes {
            Planes::Integers(channels) => match channels.as_slice() {
                [mono] => encoder.encode_to_vec(MonoPcm(mono), bytes),
                [left, right, ..] => encoder.encode_to_vec(DualPcm { left, right }, bytes),
                [] => Ok(0),
            },
            Planes::Float32(channels) => {
                let scaled = |samples: &Vec<f32>| -> Vec<f32> { samples.iter().map(|x| x * LAME_SCALE).collect() };
                match channels.as_slice() {
                    [mono] => encoder.encode_to_vec(MonoPcm(&scaled(mono)[..]), bytes),
                    [left, right, ..] => {
                        encoder.encode_to_vec(DualPcm { left: &scaled(left)[..], right: &scaled(right) }, bytes)
                    }
                    [] => Ok(0),
                }
            }
            Planes::Float64(_) => return Err(Error::new(ErrorKind::Internal, "doubles were made for an MP3 file")),
        };
        coded.map_err(lame_error)?;
        self.write_bytes()
    }

    /// Writes LAME's tag into the first frame.
    fn finish(mut self: Box<Self>) -> Result<()> {
        self.bytes.reserve(LAST_BYTES);
        self.encoder.flush_to_vec::<FlushGap>(&mut self.bytes).map_err(lame_error)?;
        self.write_bytes()?;
        self.bytes.reserve(self.encoder.lame_tag_size());
        if self.encoder.lame_tag_encode_to_vec(&mut self.bytes).is_none() {
            return Err(Error::new(ErrorKind::Internal, "LAME gave no tag"));
        }
        self.out.seek(SeekFrom::Start(self.tag_at)).map_err(io_error)?;
        self.write_bytes()?;
        self.out.seek(SeekFrom::End(0)).map_err(io_error)?;
        Ok(())
    }
}

fn encoder_of(shape: &Mp3Shape) -> Result<Encoder> {
    let mut builder = Builder::new().ok_or_else(|| lame_error("no memory"))?;
    builder.set_num_channels(shape.n_channels as u8).map_err(lame_error)?;
    builder.set_sample_rate(shape.sample_rate_hz).map_err(lame_error)?;
    // Otherwise LAME resamples at low bit rates, and the number of samples changes.
    builder.set_output_sample_rate(NonZeroU32::new(shape.sample_rate_hz)).map_err(lame_error)?;
    match coded(shape.bit_rate, shape.sample_rate_hz, shape.n_channels)? {
        Coded::Constant(kbps) => builder.set_brate(bit_rate_of(kbps)),
        Coded::Quality(quality) => {
            builder.set_vbr_mode(VbrMode::Mtrh).and_then(|()| builder.set_vbr_quality(QUALITIES[usize::from(quality)]))
        }
    }
    .map_err(lame_error)?;
    builder.build().map_err(lame_error)
}

const QUALITIES: [Quality; 10] = [
    Quality::Best,
    Quality::SecondBest,
    Quality::NearBest,
    Quality::VeryNice,
    Quality::Nice,
    Quality::Good,
    Quality::Decent,
    Quality::Ok,
    Quality::SecondWorst,
    Quality::Worst,
];

fn bit_rate_of(kbps: u32) -> Bitrate {
    match kbps {
        8 => Bitrate::Kbps8,
        16 => Bitrate::Kbps16,
        24 => Bitrate::Kbps24,
        32 => Bitrate::Kbps32,
        40 => Bitrate::Kbps40,
        48 => Bitrate::Kbps48,
        64 => Bitrate::Kbps64,
        80 => Bitrate::Kbps80,
        96 => Bitrate::Kbps96,
        112 => Bitrate::Kbps112,
        128 => Bitrate::Kbps128,
        160 => Bitrate::Kbps160,
        192 => Bitrate::Kbps192,
        224 => Bitrate::Kbps224,
        256 => Bitrate::Kbps256,
        // 320; `coded` allows no other bit rates.
        _ => Bitrate::Kbps320,
    }
}

fn io_error(error: std::io::Error) -> Error {
    Error::io(&error, "written", Path::new(""))
}

fn lame_error(error: impl Display) -> Error {
    Error::new(ErrorKind::Internal, format!("could not be written as MP3: {error}"))
}

//! Opus encoding with libopus, in Ogg. Players skip the encoder's delay at the start, and stop at the position stated
//! by the last page.
//!
//! Sources: RFC 7845 (Opus in Ogg), RFC 6716; field names of the Vorbis comment specification.

use super::container::BitRate;
use super::sample_writer::{Planes, SampleWriter, Storing, WavLayout};
use super::sound_to_write::SoundToWrite;
use crate::base::{Error, ErrorKind, Result};
use crate::decoders::opus_streams::IN_WAV;
use crate::metadata::sound_tags::SoundTags;
use crate::samples::format::SampleFormat;
use crate::samples::values::f32_from_integer;
use flac_codec::metadata::Picture;
use ogg::writing::{PacketWriteEndInfo, PacketWriter};
use opus::{Application, Bitrate, MSEncoder};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::BufWriter;
use std::path::Path;

/// Sample rate of all Opus files in hertz.
const RATE_HZ: u32 = 48_000;
/// Number of samples per channel in a packet: 20 ms.
const PACKET_FRAMES: usize = 960;
/// Number of packets per page: one second.
const PAGE_PACKETS: u64 = 50;
/// Maximum size of a packet in bytes, per channel.
const CHANNEL_BYTES: usize = 4_000;
/// Default bit rate per channel in kbit/s, then its minimum and maximum.
const DEFAULT_KBPS: u32 = 64;
const CHANNEL_KBPS: [u32; 2] = [6, 255];
/// For 1 to 8 channels: the number of coupled (two-channel) streams, and for each channel in Vorbis order, the index of
/// the decoded channel. Coupled streams come first; all others have one channel.
const STREAMS: [(u8, &[u8]); 8] = [
    (0, &[0]),
    (1, &[0, 1]),
    (1, &[0, 2, 1]),
    (2, &[0, 1, 2, 3]),
    (2, &[0, 4, 1, 2, 3]),
    (2, &[0, 4, 1, 2, 3, 5]),
    (3, &[0, 4, 1, 2, 3, 5, 6]),
    (3, &[0, 6, 1, 2, 3, 4, 5, 7]),
];
/// Speaker masks that Opus implies, by number of channels, as in extensible WAV headers. Surround speakers may be at
/// the sides or at the back.
const SPEAKERS: [&[u32]; 8] =
    [&[0x4], &[0x3], &[0x7], &[0x33, 0x603], &[0x37, 0x607], &[0x3f, 0x60f], &[0x70f, 0x13f], &[0x63f]];

/// Format of the file to write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpusShape {
    /// Number of channels, 1 to 8.
    pub(crate) n_channels: usize,
    /// Samples of each channel at 48,000 Hz.
    pub(crate) n_frames: u64,
    /// Sample rate of the sound before it was resampled, stored for information.
    pub(crate) source_rate_hz: u32,
    /// Number of significant bits of the source's samples.
    pub(crate) depth_bits: u32,
    /// Bit rate of all channels together, in kbit/s.
    pub(crate) kbps: u32,
}

impl OpusShape {
    /// The properties of the file for a sound.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for a bit rate that Opus lacks.
    pub(crate) fn of(sound: &SoundToWrite<'_>, n_frames: u64, bit_rate: BitRate) -> Result<OpusShape> {
        let (n_channels, source_rate_hz) = (sound.channels.len(), sound.sample_rate_hz);
        let depth_bits = match sound.source.info().format {
            SampleFormat::Pcm { bits } => bits.clamp(8, 24),
            _ => 24,
        };
        let kbps = kbps_of(bit_rate, n_channels)?;
        Ok(OpusShape { n_channels, n_frames, source_rate_hz, depth_bits, kbps })
    }
}

/// The bit rate and description of a sound in Opus, with a notice if its speakers cannot be stated.
///
/// # Errors
/// [`Unsupported`](ErrorKind::Unsupported) for too many channels, and for a bit rate that Opus lacks.
pub(crate) fn storing(sound: &SoundToWrite<'_>, bit_rate: BitRate) -> Result<Storing> {
    let (n_channels, max) = (sound.channels.len(), STREAMS.len());
    if n_channels > max {
        let what = format!("Opus holds at most {max} channels, and this sound has {n_channels}; export WAV");
        return Err(Error::new(ErrorKind::Unsupported, what));
    }
    let kbps = kbps_of(bit_rate, n_channels)?;
    let usual = SPEAKERS[n_channels - 1];
    let notices = match sound.channel_mask.filter(|mask| n_channels > 2 && !usual.contains(mask)) {
        Some(_) => {
            vec![format!("Opus cannot state its speakers; players take the usual ones of {n_channels} channels")]
        }
        None => Vec::new(),
    };
    let layout = WavLayout::Integers { container_bits: 32, valid_bits: 32 };
    Ok(Storing { layout, rate_hz: RATE_HZ, kbps: Some(kbps), described: format!("Opus, {kbps} kbit/s"), notices })
}

/// The bit rate of all channels together, in kbit/s.
///
/// # Errors
/// [`Unsupported`](ErrorKind::Unsupported) for a bit rate that Opus lacks.
fn kbps_of(bit_rate: BitRate, n_channels: usize) -> Result<u32> {
    let [usual, min, max] = [DEFAULT_KBPS, CHANNEL_KBPS[0], CHANNEL_KBPS[1]].map(|kbps| kbps * n_channels as u32);
    let what = match bit_rate {
        BitRate::Usual => return Ok(usual),
        BitRate::Kbps(kbps) if (min..=max).contains(&kbps) => return Ok(kbps),
        BitRate::Kbps(kbps) => {
            let channels = if n_channels == 1 { "1 channel".into() } else { format!("{n_channels} channels") };
            format!("Opus of {channels} has no {kbps} kbit/s; choose {min} to {max}")
        }
        BitRate::Quality(_) => "Opus has no V0 to V9, which are qualities of MP3; choose a bit rate".into(),
    };
    Err(Error::new(ErrorKind::Unsupported, what))
}

/// A file being written.
pub(crate) struct OpusWriter<'a> {
    pages: PacketWriter<'static, &'a mut BufWriter<File>>,
    encoder: MSEncoder,
    shape: OpusShape,
    serial: u32,
    /// Encoder delay: number of samples per channel that players skip at the start.
    pre_skip: u64,
    /// Number of packets written.
    n_packets: u64,
    /// Interleaved samples not encoded yet.
    waiting: Vec<f32>,
    packet: Vec<u8>,
}

impl<'a> OpusWriter<'a> {
    /// Writes the identification and comment headers before the samples.
    pub(crate) fn new(out: &'a mut BufWriter<File>, shape: OpusShape, tags: SoundTags) -> Result<OpusWriter<'a>> {
        let mut encoder = encoder_of(&shape).map_err(|error| opus_error(&error))?;
        let pre_skip = encoder.get_lookahead().map_err(|error| opus_error(&error))?.max(0) as u16;
        let head = head(&shape, pre_skip);
        let comments = comments(&tags.without_speakers());
        // The serial number depends on the contents: it differs between files, but exports are reproducible.
        let mut hasher = DefaultHasher::new();
        (&head, &comments, shape.n_frames).hash(&mut hasher);
        let serial = hasher.finish() as u32;
        let mut pages = PacketWriter::new(out);
        for packet in [head, comments] {
            pages.write_packet(packet, serial, PacketWriteEndInfo::EndPage, 0).map_err(io_error)?;
        }
        let packet = vec![0; CHANNEL_BYTES * shape.n_channels];
        let pre_skip = u64::from(pre_skip);
        Ok(OpusWriter { pages, encoder, shape, serial, pre_skip, n_packets: 0, waiting: Vec::new(), packet })
    }

    /// The position stated by the last page, in samples; anything after it is not part of the sound.
    fn n_places(&self) -> u64 {
        self.pre_skip + self.shape.n_frames
    }

    /// Encodes the pending samples in whole packets.
    fn code(&mut self) -> Result<()> {
        let n_packet = PACKET_FRAMES * self.shape.n_channels;
        let n_last = self.n_places().div_ceil(PACKET_FRAMES as u64).max(1);
        let mut coded = 0;
        while self.waiting.len() - coded >= n_packet {
            let frames = &self.waiting[coded..coded + n_packet];
            let n = self.encoder.encode_float(frames, &mut self.packet).map_err(|error| opus_error(&error))?;
            coded += n_packet;
            self.n_packets += 1;
            let place = (self.n_packets * PACKET_FRAMES as u64).min(self.n_places());
            let end = match self.n_packets {
                n if n == n_last => PacketWriteEndInfo::EndStream,
                n if n % PAGE_PACKETS == 0 => PacketWriteEndInfo::EndPage,
                _ => PacketWriteEndInfo::NormalPacket,
            };
            self.pages.write_packet(self.packet[..n].to_vec(), self.serial, end, place).map_err(io_error)?;
        }
        self.waiting.drain(..coded);
        Ok(())
    }
}

impl SampleWriter for OpusWriter<'_> {
    fn write(&mut self, planes: &Planes, n: usize) -> Result<()> {
        let in_wav = IN_WAV[self.shape.n_channels - 1];
        self.waiting.reserve(n * in_wav.len());
        match planes {
            Planes::Integers(channels) => (0..n).for_each(|frame| {
                self.waiting.extend(in_wav.iter().map(|&channel| f32_from_integer(channels[channel][frame], 32)));
            }),
            Planes::Float32(channels) => (0..n).for_each(|frame| {
                self.waiting.extend(in_wav.iter().map(|&channel| channels[channel][frame]));
            }),
            Planes::Float64(_) => return Err(Error::new(ErrorKind::Internal, "doubles were made for an Opus file")),
        }
        self.code()
    }

    /// Appends silence to fill the last packet and flush the encoder's delay.
    fn finish(mut self: Box<Self>) -> Result<()> {
        let n_all = self.n_places().div_ceil(PACKET_FRAMES as u64).max(1) * PACKET_FRAMES as u64;
        let n_left = (n_all - self.n_packets * PACKET_FRAMES as u64) as usize;
        self.waiting.resize(n_left * self.shape.n_channels, 0.0);
        self.code()
    }
}

fn encoder_of(shape: &OpusShape) -> opus::Result<MSEncoder> {
    let (n_coupled, mapping) = STREAMS[shape.n_channels - 1];
    let n_streams = shape.n_channels as u8 - n_coupled;
    let mut encoder = MSEncoder::new(RATE_HZ, n_streams, n_coupled, mapping, Application::Audio)?;
    encoder.set_bitrate(Bitrate::Bits(shape.kbps as i32 * 1_000))?;
    encoder.set_vbr(true)?;
    encoder.set_vbr_constraint(false)?;
    encoder.set_complexity(10)?;
    encoder.set_lsb_depth(shape.depth_bits as i32)?;
    Ok(encoder)
}

/// The identification header.
fn head(shape: &OpusShape, pre_skip: u16) -> Vec<u8> {
    let n_channels = shape.n_channels as u8;
    let family = u8::from(n_channels > 2);
    let mut head = [&b"OpusHead\x01"[..], &[n_channels]].concat();
    head.extend_from_slice(&pre_skip.to_le_bytes());
    head.extend_from_slice(&shape.source_rate_hz.to_le_bytes());
    // Output gain 0, then the mapping family.
    head.extend_from_slice(&[0, 0, family]);
    if family > 0 {
        let (n_coupled, mapping) = STREAMS[shape.n_channels - 1];
        head.extend_from_slice(&[n_channels - n_coupled, n_coupled]);
        head.extend_from_slice(mapping);
    }
    head
}

/// The comment header.
fn comments(tags: &SoundTags) -> Vec<u8> {
    let pictures =
        tags.pictures.iter().map(|picture| format!("METADATA_BLOCK_PICTURE={}", in_letters(&stated(picture))));
    // The encoder's name applies only to the source's file.
    let is_kept = |field: &&String| !field.to_uppercase().starts_with("ENCODER=");
    let fields: Vec<String> = tags.fields.iter().filter(is_kept).cloned().chain(pictures).collect();
    let text = |text: &str| [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat();
    let mut bytes = [&b"OpusTags"[..], &text(opus::version()), &(fields.len() as u32).to_le_bytes()].concat();
    fields.iter().for_each(|field| bytes.extend(text(field)));
    bytes
}

/// A picture as the content of a FLAC metadata block.
fn stated(picture: &Picture) -> Vec<u8> {
    let mut bytes = (picture.picture_type as u32).to_be_bytes().to_vec();
    for text in [picture.media_type.as_bytes(), picture.description.as_bytes()] {
        bytes.extend_from_slice(&(text.len() as u32).to_be_bytes());
        bytes.extend_from_slice(text);
    }
    let n_colours = picture.colors_used.map_or(0, |n| n.get());
    for number in [picture.width, picture.height, picture.color_depth, n_colours, picture.data.len() as u32] {
        bytes.extend_from_slice(&number.to_be_bytes());
    }
    bytes.extend_from_slice(&picture.data);
    bytes
}

/// Encodes bytes in base64 (RFC 4648), since comments are texts.
fn in_letters(bytes: &[u8]) -> String {
    const BASE64_ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = three.iter().chain(&[0, 0]).take(3).fold(0, |bits, byte| bits << 8 | usize::from(*byte));
        for place in 0..4 {
            let is_of_bytes = place <= three.len();
            text.push(if is_of_bytes { char::from(BASE64_ALPHABET[bits >> (18 - 6 * place) & 63]) } else { '=' });
        }
    }
    text
}

fn io_error(error: std::io::Error) -> Error {
    Error::io(&error, "written", Path::new(""))
}

fn opus_error(error: &opus::Error) -> Error {
    Error::new(ErrorKind::Internal, format!("could not be written as Opus: {error}"))
}

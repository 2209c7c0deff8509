//! Opus with more than two channels: every packet combines packets of several streams with one or two channels each,
//! which ordinary decoders decode. Channels are in WAV order, as in FFmpeg.
//!
//! Sources: RFC 7845, section 5.1.1; RFC 6716, section 3.2 and appendix B.

use symphonia::core::audio::{
    AsGenericAudioBufferRef, Audio, AudioBuffer, AudioMut, AudioSpec, Channels, GenericAudioBufferRef, Position,
};
use symphonia::core::codecs::CodecInfo;
use symphonia::core::codecs::audio::{AudioCodecParameters, AudioDecoder, AudioDecoderOptions, FinalizeResult};
use symphonia::core::codecs::registry::RegisterableAudioDecoder;
use symphonia::core::errors::{Result, decode_error, unsupported_error};
use symphonia::core::packet::PacketRef;

/// The rate at which Opus is decoded, in hertz.
const RATE_HZ: u32 = 48_000;
/// Marks a channel that is in no stream.
const SILENT: u8 = 255;

/// WAV positions of the Vorbis (and so Opus) channels 0, 1, 2 ..., by number of channels.
pub(crate) const IN_WAV: [&[usize]; 8] = [
    &[0],
    &[0, 1],
    &[0, 2, 1],
    &[0, 1, 2, 3],
    &[0, 2, 1, 3, 4],
    &[0, 2, 1, 4, 5, 3],
    &[0, 2, 1, 5, 6, 4, 3],
    &[0, 2, 1, 6, 7, 4, 5, 3],
];

/// Streams and the assignment of channels to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpusLayout {
    n_streams: usize,
    /// Number of streams with two channels, which come first.
    n_coupled: usize,
    /// Index of the decoded channel for every channel; the channels of coupled streams come first.
    mapping: Vec<u8>,
}

impl OpusLayout {
    /// The layout in an identification header; `None` for a single plain stream or an incomplete header.
    pub fn of(header: &[u8]) -> Option<OpusLayout> {
        let fields = header.strip_prefix(b"OpusHead")?;
        let n_channels = usize::from(*fields.get(1)?);
        let (family, n_streams, n_coupled) = (*fields.get(10)?, *fields.get(11)?, *fields.get(12)?);
        let mapping = fields.get(13..13 + n_channels)?.to_vec();
        let is_one = n_streams == 1 && mapping.iter().enumerate().all(|(index, from)| index == usize::from(*from));
        let layout = OpusLayout { n_streams: n_streams.into(), n_coupled: n_coupled.into(), mapping };
        (family != 0 && !is_one).then_some(layout)
    }

    /// Whether every channel is in an existing stream.
    pub fn is_possible(&self) -> bool {
        let n_decoded = self.n_streams + self.n_coupled;
        let is_there = |from: &u8| *from == SILENT || usize::from(*from) < n_decoded;
        self.n_streams > 0
            && self.n_coupled <= self.n_streams
            && (1..=IN_WAV.len()).contains(&self.mapping.len())
            && self.mapping.iter().all(is_there)
    }

    /// The stream of a decoded channel, and the channel within it.
    pub fn place(&self, from: u8) -> (usize, usize) {
        let from = usize::from(from);
        if from < 2 * self.n_coupled { (from / 2, from % 2) } else { (from - self.n_coupled, 0) }
    }
}

/// Decodes all streams.
pub(crate) struct StreamsDecoder {
    parameters: AudioCodecParameters,
    layout: OpusLayout,
    decoders: Vec<Box<dyn AudioDecoder>>,
    buffer: AudioBuffer<f32>,
}

impl StreamsDecoder {
    /// Creates a decoder per stream.
    ///
    /// # Errors
    /// If the layout is invalid.
    pub(crate) fn new(
        parameters: &AudioCodecParameters,
        layout: OpusLayout,
        options: &AudioDecoderOptions,
    ) -> Result<StreamsDecoder> {
        if !layout.is_possible() {
            return decode_error("opus: impossible channel mapping");
        }
        let decoders = (0..layout.n_streams).map(|stream| {
            let front = Position::FRONT_LEFT;
            let positions = if stream < layout.n_coupled { front | Position::FRONT_RIGHT } else { front };
            let mut parameters = AudioCodecParameters::new();
            parameters.for_codec(symphonia::core::codecs::audio::well_known::CODEC_ID_OPUS);
            parameters.with_sample_rate(RATE_HZ).with_channels(Channels::Positioned(positions));
            symphonia_adapter_libopus::OpusDecoder::try_registry_new(&parameters, options)
        });
        let decoders = decoders.collect::<Result<Vec<_>>>()?;
        let buffer = made(&layout, 0);
        Ok(StreamsDecoder { parameters: parameters.clone(), layout, decoders, buffer })
    }

    fn decode_all(&mut self, packet: &PacketRef<'_>) -> Result<()> {
        let mut rest = packet.data;
        let n_streams = self.decoders.len();
        for (stream, decoder) in self.decoders.iter_mut().enumerate() {
            let is_last = stream + 1 == n_streams;
            let own = if is_last { rest.to_vec() } else { take_delimited(&mut rest)? };
            let own = PacketRef::new(packet.track_id, packet.pts, packet.dur, &own);
            let GenericAudioBufferRef::F32(decoded) = decoder.decode_ref(&own)? else {
                return unsupported_error("opus: not decoded to floats");
            };
            if stream == 0 {
                if self.buffer.capacity() != decoded.frames() {
                    self.buffer = made(&self.layout, decoded.frames());
                }
                self.buffer.clear();
                self.buffer.render_silence(None);
            } else if decoded.frames() != self.buffer.frames() {
                return decode_error("opus: streams of different lengths");
            }
            let in_wav = IN_WAV[self.layout.mapping.len() - 1];
            for (from, to) in self.layout.mapping.iter().zip(in_wav).filter(|(from, _)| **from != SILENT) {
                let (of_stream, channel) = self.layout.place(*from);
                let (into, values) = (self.buffer.plane_mut(*to), decoded.plane(channel));
                if let (true, Some(into), Some(values)) = (of_stream == stream, into, values) {
                    into.copy_from_slice(values);
                }
            }
        }
        self.buffer.trim(packet.trim_start.get() as usize, packet.trim_end.get() as usize);
        Ok(())
    }
}

fn made(layout: &OpusLayout, n_frames: usize) -> AudioBuffer<f32> {
    AudioBuffer::new(AudioSpec::new(RATE_HZ, Channels::Discrete(layout.mapping.len() as u16)), n_frames)
}

impl AudioDecoder for StreamsDecoder {
    fn reset(&mut self) {
        self.decoders.iter_mut().for_each(|decoder| decoder.reset());
    }

    fn codec_info(&self) -> &CodecInfo {
        self.decoders[0].codec_info()
    }

    fn codec_params(&self) -> &AudioCodecParameters {
        &self.parameters
    }

    fn decode_ref(&mut self, packet: &PacketRef<'_>) -> Result<GenericAudioBufferRef<'_>> {
        if let Err(error) = self.decode_all(packet) {
            self.buffer.clear();
            return Err(error);
        }
        Ok(self.buffer.as_generic_audio_buffer_ref())
    }

    fn finalize(&mut self) -> FinalizeResult {
        FinalizeResult::default()
    }

    fn last_decoded(&self) -> GenericAudioBufferRef<'_> {
        self.buffer.as_generic_audio_buffer_ref()
    }
}

/// Removes a self-delimiting packet from the front, and returns it as an ordinary packet.
///
/// # Errors
/// If the packet is truncated.
pub fn take_delimited(bytes: &mut &[u8]) -> Result<Vec<u8>> {
    let mut rest = *bytes;
    match delimited(&mut rest) {
        Some(packet) => {
            *bytes = rest;
            Ok(packet)
        }
        None => decode_error("opus: a stream's packet is cut short"),
    }
}

fn delimited(rest: &mut &[u8]) -> Option<Vec<u8>> {
    let first = take(rest, 1)?[0];
    let mut packet = vec![first];
    let n_body = match first & 3 {
        0 => length(rest)?,
        1 => 2 * length(rest)?,
        2 => {
            let one = kept_length(rest, &mut packet)?;
            one + length(rest)?
        }
        _ => {
            let flags = take(rest, 1)?[0];
            packet.push(flags);
            let (is_varied, is_padded, n_frames) = (flags & 0x80 != 0, flags & 0x40 != 0, usize::from(flags & 0x3f));
            let mut n_padding = 0;
            // 255 means 254 bytes of padding, and that another length byte follows.
            let mut is_more = is_padded;
            while is_more {
                let more = take(rest, 1)?[0];
                packet.push(more);
                n_padding += usize::from(more.min(254));
                is_more = more == 255;
            }
            let mut n_body = n_padding;
            if is_varied {
                for _ in 1..n_frames {
                    n_body += kept_length(rest, &mut packet)?;
                }
                n_body + length(rest)?
            } else {
                n_body + n_frames * length(rest)?
            }
        }
    };
    packet.extend_from_slice(take(rest, n_body)?);
    Some(packet)
}

fn take<'a>(rest: &mut &'a [u8], n: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(n)?;
    *rest = left;
    Some(taken)
}

/// Reads a frame length, which takes one or two bytes.
fn length(rest: &mut &[u8]) -> Option<usize> {
    let first = usize::from(take(rest, 1)?[0]);
    if first < 252 {
        return Some(first);
    }
    Some(4 * usize::from(take(rest, 1)?[0]) + first)
}

/// Reads a frame length and copies it to `packet`, since ordinary packets contain it, too.
fn kept_length(rest: &mut &[u8], packet: &mut Vec<u8>) -> Option<usize> {
    let before = *rest;
    let value = length(rest)?;
    packet.extend_from_slice(&before[..before.len() - rest.len()]);
    Some(value)
}

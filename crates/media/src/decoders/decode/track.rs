//! Properties of a track: its codec and the codec's name, its gain, and where its sound begins and ends.

use crate::media::decoders::timing::TrackTiming;
use crate::media::formats::mp4::EditedRange;
use symphonia::core::codecs::audio::well_known as codecs;
use symphonia::core::codecs::audio::{AudioCodecId, AudioCodecParameters, AudioDecoder};
use symphonia::core::formats::Track;

/// Output gain of an Opus header (RFC 7845, section 5.1: dB in 256ths) as a factor; 1 for other codecs.
pub(super) fn opus_gain(track: &Track) -> f32 {
    let parameters = track.codec_params.as_ref().and_then(|parameters| parameters.audio());
    let header = parameters.filter(|parameters| parameters.codec == codecs::CODEC_ID_OPUS);
    let header = header.and_then(|parameters| parameters.extra_data.as_deref());
    match header.and_then(|header| header.strip_prefix(b"OpusHead")).and_then(|rest| rest.get(8..10)) {
        Some(&[first, second]) => {
            // In MP4 the same fields are big-endian, and versions are counted from 0.
            let is_mp4 = header.is_some_and(|header| header.get(8) == Some(&0));
            let db = if is_mp4 { i16::from_be_bytes([first, second]) } else { i16::from_le_bytes([first, second]) };
            10f32.powf(f32::from(db) / 256.0 / 20.0)
        }
        _ => 1.0,
    }
}

/// Start and end of the sound of a track.
pub(super) fn timing_of(
    track: &Track,
    parameters: &AudioCodecParameters,
    container: &str,
    heard: Option<&EditedRange>,
) -> TrackTiming {
    match (heard, track.delay) {
        (Some(heard), _) => TrackTiming::of_mp4(heard, parameters.sample_rate.unwrap_or(heard.timescale)),
        // Opus counts from the first decoded sample (RFC 7845, section 4.3), as does CAF's packet table.
        (_, Some(delay)) if parameters.codec == codecs::CODEC_ID_OPUS && container == "ogg" => {
            TrackTiming::from_sample(delay.into(), track.num_frames.map(|n| n.saturating_sub(delay.into())))
        }
        (_, Some(delay)) if container == "caf" && track.start_ts.get() == 0 => {
            TrackTiming::from_sample(delay.into(), track.num_frames)
        }
        _ if parameters.codec == codecs::CODEC_ID_VORBIS => TrackTiming::from_sample(first_heard(track).max(0), None),
        _ => TrackTiming::from_sample(track.start_ts.get().max(0), None),
    }
}

/// The time stamp of a Vorbis decoder's first sample, since the first packet yields none.
pub(super) fn first_heard(track: &Track) -> i64 {
    track.start_ts.get().saturating_add(track.delay.unwrap_or(0).into())
}

/// The big-endian variant of a codec, which symphonia's reader of MP4 does not detect.
pub(super) fn highest_byte_first(codec: AudioCodecId) -> AudioCodecId {
    match codec {
        codecs::CODEC_ID_PCM_S24LE => codecs::CODEC_ID_PCM_S24BE,
        codecs::CODEC_ID_PCM_S32LE => codecs::CODEC_ID_PCM_S32BE,
        codecs::CODEC_ID_PCM_F32LE => codecs::CODEC_ID_PCM_F32BE,
        codecs::CODEC_ID_PCM_F64LE => codecs::CODEC_ID_PCM_F64BE,
        _ => codec,
    }
}

/// Name of the codec for display.
pub(super) fn describe(codec: AudioCodecId, container: &'static str) -> &'static str {
    match codec {
        codecs::CODEC_ID_FLAC if container == "ogg" => "Ogg FLAC",
        codecs::CODEC_ID_FLAC => "FLAC",
        codecs::CODEC_ID_MP1 => "MP1",
        codecs::CODEC_ID_MP2 => "MP2",
        codecs::CODEC_ID_MP3 => "MP3",
        codecs::CODEC_ID_VORBIS => "Ogg Vorbis",
        codecs::CODEC_ID_OPUS => "Opus",
        codecs::CODEC_ID_AAC => "AAC",
        codecs::CODEC_ID_ALAC => "ALAC",
        _ if container == "caf" => "CAF",
        _ if container == "isomp4" => "MP4",
        _ => "WAV",
    }
}

pub(super) fn is_mpeg(codec: AudioCodecId) -> bool {
    matches!(codec, codecs::CODEC_ID_MP1 | codecs::CODEC_ID_MP2 | codecs::CODEC_ID_MP3)
}

pub(super) fn is_lossy(codec: AudioCodecId) -> bool {
    is_mpeg(codec) || [codecs::CODEC_ID_VORBIS, codecs::CODEC_ID_AAC, codecs::CODEC_ID_OPUS].contains(&codec)
}

/// Valid bits of a lossless codec's integers; 16 for A-law, mu-law, ADPCM and unknown depths.
pub(super) fn valid_bits(decoder: &dyn AudioDecoder, codec: AudioCodecId) -> u32 {
    let parameters = decoder.codec_params();
    let is_pcm = [
        codecs::CODEC_ID_FLAC,
        codecs::CODEC_ID_ALAC,
        codecs::CODEC_ID_PCM_S8,
        codecs::CODEC_ID_PCM_U8,
        codecs::CODEC_ID_PCM_S16LE,
        codecs::CODEC_ID_PCM_S16BE,
        codecs::CODEC_ID_PCM_S24LE,
        codecs::CODEC_ID_PCM_S24BE,
        codecs::CODEC_ID_PCM_S32LE,
        codecs::CODEC_ID_PCM_S32BE,
    ]
    .contains(&codec);
    // ALAC's own configuration states the depth; its container does not.
    let configuration = parameters.extra_data.as_deref().filter(|_| codec == codecs::CODEC_ID_ALAC);
    let bits = configuration.and_then(|bytes| bytes.get(5)).map(|bits| u32::from(*bits)).or(parameters.bits_per_sample);
    bits.filter(|bits| is_pcm && (1..=32).contains(bits)).unwrap_or(16)
}

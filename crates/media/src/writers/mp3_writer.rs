//! Limits of MP3: channels, sample rates and bit rates. [`lame_writer`](super::lame_writer) writes the files.
//!
//! Sources: ISO/IEC 11172-3 and 13818-3; the manual of LAME 3.100.

use super::container::BitRate;
use super::sample_writer::{Storing, WavLayout};
use super::sound_to_write::SoundToWrite;
use crate::base::{Error, ErrorKind, Result};

/// Maximum number of channels of an MP3 file.
const MAX_CHANNELS: usize = 2;
/// Sample rates of MP3 in hertz: those of MPEG-2.5, MPEG-2 and MPEG-1.
const RATES_HZ: [u32; 9] = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];
/// Constant bit rates of frames in kbit/s. MPEG also has 56 and 144, which the LAME binding lacks.
const BIT_RATES: [u32; 16] = [8, 16, 24, 32, 40, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
/// Length in bytes of a frame's header, and of LAME's tag after the side information.
const HEADER_BYTES: u32 = 4;
const TAG_BYTES: u32 = 156;
/// Default `-V` quality for two channels.
const DEFAULT_QUALITY: u8 = 2;
/// Default bit rate for one channel in kbit/s.
const DEFAULT_KBPS: u32 = 96;
/// Typical bit rate in kbit/s of each `-V` quality for two channels at 44,100 Hz, from LAME's manual.
const QUALITY_KBPS: [u32; 10] = [245, 225, 190, 175, 165, 130, 115, 100, 85, 65];

/// The sample rate, bit rate and description of a sound in MP3.
///
/// # Errors
/// [`Unsupported`](ErrorKind::Unsupported) for too many channels, for a bit rate that MP3 lacks, and in a build without
/// LAME.
pub(crate) fn storing(sound: &SoundToWrite<'_>, bit_rate: BitRate) -> Result<Storing> {
    let refused = |sentence: String| Err(Error::new(ErrorKind::Unsupported, sentence));
    if cfg!(not(feature = "mp3")) {
        return Err(not_in_build());
    }
    let (n_channels, from_hz) = (sound.channels.len(), sound.sample_rate_hz);
    if n_channels > MAX_CHANNELS {
        return refused(format!(
            "MP3 holds at most {MAX_CHANNELS} channels, and this sound has {n_channels}; export Opus, FLAC or WAV"
        ));
    }
    let rate_hz = RATES_HZ.into_iter().find(|rate_hz| *rate_hz >= from_hz).unwrap_or(RATES_HZ[RATES_HZ.len() - 1]);
    let notices = match rate_hz == from_hz {
        true => Vec::new(),
        false => vec![format!("resampled from {from_hz} Hz to {rate_hz} Hz, as MP3 has no such sample rate")],
    };
    let (kbps, described) = match coded(bit_rate, rate_hz, n_channels)? {
        Coded::Constant(kbps) => (kbps, format!("MP3, {kbps} kbit/s")),
        Coded::Quality(quality) => {
            (QUALITY_KBPS[usize::from(quality)] * n_channels as u32 / 2, format!("MP3, VBR V{quality}"))
        }
    };
    let layout = WavLayout::Integers { container_bits: 32, valid_bits: 32 };
    Ok(Storing { layout, rate_hz, kbps: Some(kbps), described, notices })
}

/// Error of a build without LAME.
pub(crate) fn not_in_build() -> Error {
    Error::new(ErrorKind::Unsupported, "MP3 is not in this build; export WAV, FLAC or Opus")
}

/// Bit rate settings for LAME.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Coded {
    /// Constant bit rate in kbit/s.
    Constant(u32),
    /// Variable bit rate, by `-V` quality.
    Quality(u8),
}

/// Bit rate settings for a sound with this sample rate and number of channels.
///
/// # Errors
/// [`Unsupported`](ErrorKind::Unsupported) for a bit rate that MP3 lacks at this sample rate, and an invalid quality.
pub(crate) fn coded(bit_rate: BitRate, rate_hz: u32, n_channels: usize) -> Result<Coded> {
    let has = bit_rates_at(rate_hz, n_channels);
    let max = has.last().copied().unwrap_or_default();
    match bit_rate {
        BitRate::Usual if n_channels == 1 => Ok(Coded::Constant(DEFAULT_KBPS.min(max))),
        BitRate::Usual => Ok(Coded::Quality(DEFAULT_QUALITY)),
        BitRate::Kbps(kbps) if has.contains(&kbps) => Ok(Coded::Constant(kbps)),
        BitRate::Kbps(kbps) => {
            let has: Vec<String> = has.iter().map(u32::to_string).collect();
            let what = format!("MP3 of {rate_hz} Hz has no {kbps} kbit/s; choose one of {}", has.join(", "));
            Err(Error::new(ErrorKind::Unsupported, what))
        }
        BitRate::Quality(quality) if usize::from(quality) < QUALITY_KBPS.len() => Ok(Coded::Quality(quality)),
        BitRate::Quality(quality) => {
            let what = format!("MP3 has no quality V{quality}; choose 0 (best) to 9 (smallest)");
            Err(Error::new(ErrorKind::Unsupported, what))
        }
    }
}

/// Supported bit rates in kbit/s at a sample rate. Rates whose frames are too short for the tag with the sound's length
/// are excluded, since LAME would omit the tag.
fn bit_rates_at(rate_hz: u32, n_channels: usize) -> Vec<u32> {
    let range = match rate_hz {
        ..16_000 => 8..=64,
        16_000..32_000 => 8..=160,
        _ => 32..=320,
    };
    let is_mpeg_1 = rate_hz >= 32_000;
    let side_bytes = match (is_mpeg_1, n_channels) {
        (true, 1) | (false, 2) => 17,
        (true, _) => 32,
        (false, _) => 9,
    };
    let frame_bytes = |kbps: u32| (if is_mpeg_1 { 144_000 } else { 72_000 }) * kbps / rate_hz;
    let has_room = |kbps: u32| frame_bytes(kbps) >= HEADER_BYTES + side_bytes + TAG_BYTES;
    BIT_RATES.into_iter().filter(|kbps| range.contains(kbps) && has_room(*kbps)).collect()
}

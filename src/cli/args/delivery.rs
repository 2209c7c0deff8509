//! Arguments for the format of written sound.

use super::BitRateChoice;
use crate::base::{Folders, Result};
use crate::document::{DeliveredChannels, Delivery, LevelTarget, chosen_preset, preset_folder};
use crate::media::{Dither, ExportFormat};
use clap::{Args, ValueEnum};

/// Options for the format of written sound.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct DeliveryOptions {
    /// Sample format of the output [default: that of the source].
    #[arg(long, value_enum)]
    pub format: Option<FormatName>,
    /// Dither before rounding [default: tpdf up to 16 bits, otherwise none].
    #[arg(long, value_enum)]
    pub dither: Option<DitherName>,
    #[command(flatten)]
    pub bit_rate: BitRateChoice,
    /// Sample rate of the output in hertz [default: that of the sound].
    #[arg(long, value_name = "HZ", value_parser = parse_rate)]
    pub rate: Option<u32>,
    /// Channels of the output: all, one of them (counted from 0), or a mix: mid is (L+R)/2; mix is (L+R)/sqrt 2, or the
    /// mean of more than two channels.
    #[arg(long, value_name = "all|left|right|mid|mix|N", value_parser = parse_channels)]
    pub channels: Option<DeliveredChannels>,
    /// Normalise the output to this peak level, -60 to 0 dBFS.
    #[arg(long, value_name = "DB", value_parser = parse_peak, allow_hyphen_values = true)]
    pub peak: Option<f64>,
    /// Normalise the output to this integrated loudness, -60 to 0 LUFS.
    #[arg(long, value_name = "LUFS", value_parser = parse_loudness, allow_hyphen_values = true, conflicts_with = "peak")]
    pub loudness: Option<f64>,
    /// Play this many times as fast, 1/20 to 8: the same samples at another rate.
    #[arg(long, value_name = "TIMES", value_parser = parse_speed)]
    pub speed: Option<f64>,
    /// Use a preset: podcast, archive, as source, one saved in the studio, or a file. Other options override it.
    #[arg(long, value_name = "NAME|P.json")]
    pub preset: Option<String>,
}

impl DeliveryOptions {
    /// The delivery: the preset, overridden by the other options.
    ///
    /// # Errors
    /// If the preset is invalid or unknown.
    pub fn delivery(&self, folders: &Folders) -> Result<Delivery> {
        let preset = self.preset.as_deref().map(|name| chosen_preset(&preset_folder(folders), name)).transpose()?;
        let preset = preset.unwrap_or_default();
        let level = match (self.peak, self.loudness) {
            (Some(db), _) => LevelTarget::Peak(db),
            (None, Some(lufs)) => LevelTarget::Loudness(lufs),
            (None, None) => preset.level,
        };
        Ok(Delivery {
            format: self.format.map_or(preset.format, FormatName::format),
            dither: self.dither.map(DitherName::dither).or(preset.dither),
            bit_rate: self.bit_rate.typed().unwrap_or(preset.bit_rate),
            rate_hz: self.rate.or(preset.rate_hz),
            channels: self.channels.unwrap_or(preset.channels),
            level,
            speed: self.speed.unwrap_or(preset.speed),
            ..preset
        })
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum FormatName {
    Source,
    Pcm16,
    Pcm24,
    Pcm32,
    Float32,
}

impl FormatName {
    pub fn format(self) -> ExportFormat {
        match self {
            FormatName::Source => ExportFormat::Source,
            FormatName::Pcm16 => ExportFormat::Pcm16,
            FormatName::Pcm24 => ExportFormat::Pcm24,
            FormatName::Pcm32 => ExportFormat::Pcm32,
            FormatName::Float32 => ExportFormat::Float32,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum DitherName {
    None,
    Tpdf,
}

impl DitherName {
    pub fn dither(self) -> Dither {
        match self {
            DitherName::None => Dither::None,
            DitherName::Tpdf => Dither::Tpdf,
        }
    }
}

/// The delivery, or the message of an invalid value in it.
fn checked(delivery: Delivery) -> std::result::Result<Delivery, String> {
    delivery.checked().map_err(|error| error.message().to_owned())
}

fn parse_rate(text: &str) -> std::result::Result<u32, String> {
    let rate_hz = text.parse().map_err(|_| "expected hertz, such as 48000")?;
    checked(Delivery { rate_hz: Some(rate_hz), ..Delivery::default() })?;
    Ok(rate_hz)
}

fn parse_channels(text: &str) -> std::result::Result<DeliveredChannels, String> {
    DeliveredChannels::named(text)
        .ok_or_else(|| "expected all, left, right, mid, mix, or a channel number counted from 0".into())
}

fn parse_peak(text: &str) -> std::result::Result<f64, String> {
    let db = text.parse().map_err(|_| "expected decibels, such as -1")?;
    checked(Delivery { level: LevelTarget::Peak(db), ..Delivery::default() })?;
    Ok(db)
}

fn parse_loudness(text: &str) -> std::result::Result<f64, String> {
    let lufs = text.parse().map_err(|_| "expected LUFS, such as -16")?;
    checked(Delivery { level: LevelTarget::Loudness(lufs), ..Delivery::default() })?;
    Ok(lufs)
}

fn parse_speed(text: &str) -> std::result::Result<f64, String> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let speed = match text.split_once('/') {
        Some((part, of)) => number(part).zip(number(of)).map(|(part, of)| part / of),
        None => number(text),
    };
    let speed = speed.ok_or("expected a number of times, such as 0.1 or 1/10")?;
    checked(Delivery { speed, ..Delivery::default() })?;
    Ok(speed)
}

//! Arguments of `sonobrush voices`.

use super::BitRateChoice;
use crate::cli::common::named::parse_named;
use crate::media::ExportFormat;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct VoicesCommand {
    /// Score to render: JSON, or a MIDI file.
    #[arg(value_name = "SCORE")]
    pub input: PathBuf,
    /// File to write; the extension .wav, .flac, .mp3 or .opus selects the format.
    #[arg(long, short, value_name = "OUT.wav")]
    pub output: PathBuf,
    /// Overwrite OUT.wav and R.json if they exist.
    #[arg(long)]
    pub overwrite: bool,
    /// Timbre of notes that specify none, and of all MIDI notes except drums: pad, pluck, organ, bell, breath, or a
    /// JSON file.
    #[arg(long, value_name = "NAME|FILE.json")]
    pub timbre: Option<PathBuf>,
    /// Sample rate in hertz.
    #[arg(long, value_name = "HZ", default_value_t = 48_000, value_parser = clap::value_parser!(u32).range(4_000..=768_000))]
    pub rate: u32,
    /// Number of channels.
    #[arg(long, value_name = "1|2", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=2))]
    pub channels: u8,
    /// Level of a note at full velocity in decibels, instead of the score's.
    #[arg(long, value_name = "DB", allow_negative_numbers = true, value_parser = parse_level)]
    pub level: Option<f64>,
    /// Frequency of A4 in hertz, instead of the score's.
    #[arg(long, value_name = "HZ", value_parser = parse_tuning)]
    pub tuning: Option<f64>,
    /// Seed of random phases and noise, instead of the score's.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Sample format [default: float32, or pcm24 for FLAC].
    #[arg(long, value_name = "float32|pcm24|pcm16", value_parser = parse_format)]
    pub format: Option<ExportFormat>,
    #[command(flatten)]
    pub bit_rate: BitRateChoice,
    /// Write a report of the rendering as JSON.
    #[arg(long, value_name = "R.json")]
    pub report: Option<PathBuf>,
}

fn parse_level(text: &str) -> Result<f64, String> {
    let level = text.parse().ok().filter(|level: &f64| (-120.0..=24.0).contains(level));
    level.ok_or_else(|| "expected decibels from -120 to 24".into())
}

fn parse_tuning(text: &str) -> Result<f64, String> {
    let hz = text.parse().ok().filter(|hz: &f64| (20.0..=20_000.0).contains(hz));
    hz.ok_or_else(|| "expected hertz from 20 to 20000".into())
}

fn parse_format(text: &str) -> Result<ExportFormat, String> {
    parse_named(text, &[ExportFormat::Float32, ExportFormat::Pcm24, ExportFormat::Pcm16], |format| match format {
        ExportFormat::Pcm16 => "pcm16",
        ExportFormat::Pcm24 => "pcm24",
        _ => "float32",
    })
}

//! Arguments of `sonobrush record`.

use crate::media::{MAX_CHANNELS, MAX_RATE_HZ, MIN_RATE_HZ};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct RecordCommand {
    /// WAV file to write, 32-bit float. It must not exist.
    #[arg(long, short, value_name = "OUT.wav")]
    pub output: PathBuf,
    /// Input, by its name or a part of it as listed by `devices` [default: the system's].
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
    /// Number of channels to record, counted from the input's first [default: all].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_CHANNELS as i64))]
    pub channels: Option<u16>,
    /// Sample rate in hertz [default: the input's own].
    #[arg(long, value_name = "HZ",
        value_parser = clap::value_parser!(u32).range(i64::from(MIN_RATE_HZ)..=i64::from(MAX_RATE_HZ)))]
    pub rate: Option<u32>,
    /// Stop after S seconds [default: on Ctrl+C].
    #[arg(long, value_name = "S", value_parser = parse_secs)]
    pub secs: Option<f64>,
}

fn parse_secs(text: &str) -> Result<f64, String> {
    let secs = text.parse().ok().filter(|secs: &f64| *secs > 0.0 && *secs <= 1e7);
    secs.ok_or_else(|| "expected seconds above 0".into())
}

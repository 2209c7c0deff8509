//! Arguments for exporting one file per label.

use super::LabelReadingOptions;
use crate::document::PartsOrder;
use crate::document::labels::PartChoice;
use crate::media::Container;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Options for exporting one file per label.
#[derive(Debug, Args)]
pub(crate) struct ByLabel {
    /// Write one file per labelled range into the folder OUT.
    #[arg(long = "by-label", id = "by_label")]
    pub is_requested: bool,
    /// Add the labels of this file.
    #[arg(long, value_name = "F", requires = "by_label")]
    pub labels: Option<PathBuf>,
    // The help shows `{n:03}`, since clap replaces `{n}` by a line break.
    /// File name template with the fields {name}, {label}, {n:03}, {start}, {end}, {low}, {high}, {channel} and {id}
    /// [default: {name}_{n:03}_{label}].
    #[arg(long, value_name = "T", requires = "by_label")]
    pub name: Option<String>,
    /// Export only labels with this text; * matches any characters, ? matches one.
    #[arg(long, value_name = "GLOB", requires = "by_label")]
    pub label: Option<String>,
    /// Add this many seconds of sound before and after each range.
    #[arg(long, value_name = "S,S", value_parser = parse_pad, requires = "by_label", conflicts_with = "split")]
    pub pad: Option<PadSecs>,
    /// Fade each file in and out over this many milliseconds.
    #[arg(long, value_name = "MS", value_parser = parse_fade, requires = "by_label")]
    pub fade: Option<f64>,
    /// Keep only the frequency band of each label.
    #[arg(long, requires = "by_label", conflicts_with = "split")]
    pub band: bool,
    /// Cut the whole sound at its markers instead.
    #[arg(long, requires = "by_label")]
    pub split: bool,
    /// Format of the files [default: flac if the sound is FLAC, otherwise wav].
    #[arg(long = "as", value_enum, value_name = "wav|flac|mp3|opus", requires = "by_label")]
    pub kind: Option<SoundKind>,
    /// Write a table of the files.
    #[arg(long, value_name = "M.csv", requires = "by_label")]
    pub manifest: Option<PathBuf>,
    /// Write the table as metadata.csv for Hugging Face datasets.
    #[arg(long, requires = "by_label", conflicts_with = "manifest")]
    pub hf: bool,
    /// Overwrite existing files.
    #[arg(long, requires = "by_label")]
    pub overwrite: bool,
    #[command(flatten)]
    pub reading: LabelReadingOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SoundKind {
    Wav,
    Flac,
    Mp3,
    Opus,
}

impl SoundKind {
    pub fn container(self) -> Container {
        match self {
            SoundKind::Wav => Container::Wav,
            SoundKind::Flac => Container::Flac,
            SoundKind::Mp3 => Container::Mp3,
            SoundKind::Opus => Container::Opus,
        }
    }
}

/// Seconds of sound before and after.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PadSecs(pub [f64; 2]);

fn parse_pad(text: &str) -> Result<PadSecs, String> {
    let secs: Vec<f64> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
    match secs.as_slice() {
        &[before, behind]
            if secs.iter().all(|secs| (0.0..=PartChoice::MAX_PAD_SECS).contains(secs))
                && text.matches(',').count() == 1 =>
        {
            Ok(PadSecs([before, behind]))
        }
        _ => Err("expected seconds from 0 to 3600, such as 0.1,0.1".into()),
    }
}

fn parse_fade(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(ms) if (0.0..=PartsOrder::MAX_FADE_MS).contains(&ms) => Ok(ms),
        _ => Err("expected milliseconds from 0 to 60000, such as 5".into()),
    }
}

//! What can be typed after `sonobrush paint`.

use super::by_label::SoundKind;
use super::{DeliveryOptions, ProjectOptions};
use crate::base::{Error, ErrorKind, Result};
use crate::document::labels::NamePattern;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Paint {
    /// The file or project to edit; several of them, and folders, with a folder as the output.
    #[arg(value_name = "IN", required_unless_present = "new", conflicts_with = "new")]
    pub inputs: Vec<PathBuf>,
    /// Start from silence instead of a file.
    #[arg(long, value_name = "SECS,RATE,CHANNELS", value_parser = parse_new)]
    pub new: Option<NewSound>,
    /// The edits, as JSON.
    #[arg(long, value_name = "S.json")]
    pub script: PathBuf,
    /// Add the labels of this file, of several inputs those whose rows name them.
    #[arg(long, value_name = "F")]
    pub labels: Option<PathBuf>,
    /// The file to write: WAV, or FLAC, MP3 or Opus if its name ends in .flac, .mp3 or .opus; of several inputs a
    /// folder.
    #[arg(long, short, value_name = "OUT.wav|FOLDER")]
    pub output: PathBuf,
    #[command(flatten)]
    pub delivery: DeliveryOptions,
    /// Write a report of the edits as JSON; of several inputs a line of JSON for each.
    #[arg(long, value_name = "R.json")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub files: PaintFilesOptions,
    #[command(flatten)]
    pub project: ProjectOptions,
}

/// What only a folder, or several inputs, can have.
#[derive(Debug, Clone, Args)]
pub(crate) struct PaintFilesOptions {
    // The number without zeros is a line break to clap.
    /// Of several inputs: how outputs are called, of {relative}, {name} and {n:03}; {relative} by default.
    #[arg(long, value_name = "T")]
    pub name: Option<String>,
    /// Of several inputs: WAV, FLAC, MP3 or Opus; by default what each input is.
    #[arg(long = "as", value_enum, value_name = "wav|flac|mp3|opus")]
    pub kind: Option<SoundKind>,
    /// Of several inputs: write a page with pictures before and after, those to look at first.
    #[arg(long, value_name = "R.html")]
    pub review: Option<PathBuf>,
    /// Of several inputs: go on where the run stopped whose report this is.
    #[arg(long, requires = "report")]
    pub resume: bool,
    /// Of several inputs: replace outputs that are there.
    #[arg(long)]
    pub overwrite: bool,
    /// Of several inputs: how many at a time; one for each core by default.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Of several inputs: memory that they may take, in megabytes; by default, and at most, half of what is available.
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(16..=1_048_576))]
    pub memory: Option<u32>,
}

impl PaintFilesOptions {
    /// Refuses what is typed here for a single file.
    ///
    /// # Errors
    /// [`Usage`](ErrorKind::Usage) with the first of them.
    pub fn refuse(&self) -> Result<()> {
        let typed = [
            ("--name", self.name.is_some()),
            ("--as", self.kind.is_some()),
            ("--review", self.review.is_some()),
            ("--resume", self.resume),
            ("--overwrite", self.overwrite),
            ("--jobs", self.jobs.is_some()),
            ("--memory", self.memory.is_some()),
        ];
        match typed.iter().find(|(_, is_typed)| *is_typed) {
            Some((option, _)) => {
                let what = format!("{option} is for a folder or several files; leave it out for a single one");
                Err(Error::new(ErrorKind::Usage, what))
            }
            None => Ok(()),
        }
    }

    /// How outputs are called.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(NamePattern::RELATIVE)
    }
}

/// Silence to start from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NewSound {
    pub secs: f64,
    pub rate_hz: u32,
    pub n_channels: usize,
}

fn parse_new(text: &str) -> std::result::Result<NewSound, String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let parsed = match parts.as_slice() {
        [secs, rate, channels] => (|| {
            let secs: f64 = secs.parse().ok().filter(|secs: &f64| secs.is_finite() && *secs > 0.0)?;
            Some(NewSound { secs, rate_hz: rate.parse().ok()?, n_channels: channels.parse().ok()? })
        })(),
        _ => None,
    };
    parsed.ok_or_else(|| "expected seconds, rate and channels, such as 2.5,48000,2".into())
}

//! Arguments of `sonobrush paint`.

use super::by_label::SoundKind;
use super::{DeliveryOptions, ProjectOptions};
use crate::base::{Error, ErrorKind, Result};
use crate::document::labels::NamePattern;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Paint {
    /// File or project to edit; several files or folders need a folder as the output.
    #[arg(value_name = "IN", required_unless_present = "new", conflicts_with = "new")]
    pub inputs: Vec<PathBuf>,
    /// Start from silence instead of a file.
    #[arg(long, value_name = "SECS,RATE,CHANNELS", value_parser = parse_new)]
    pub new: Option<NewSound>,
    /// Script of edits, as JSON.
    #[arg(long, value_name = "S.json")]
    pub script: PathBuf,
    /// Add the labels of this file; with several inputs, its rows name the file of each label.
    #[arg(long, value_name = "F")]
    pub labels: Option<PathBuf>,
    /// File to write; the extension .wav, .flac, .mp3 or .opus selects the format. With several inputs, a folder.
    #[arg(long, short, value_name = "OUT.wav|FOLDER")]
    pub output: PathBuf,
    #[command(flatten)]
    pub delivery: DeliveryOptions,
    /// Write a report of the edits as JSON; with several inputs, one line of JSON each.
    #[arg(long, value_name = "R.json")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub files: PaintFilesOptions,
    #[command(flatten)]
    pub project: ProjectOptions,
}

/// Options for folders and several inputs.
#[derive(Debug, Clone, Args)]
pub(crate) struct PaintFilesOptions {
    // The help shows `{n:03}`, since clap replaces `{n}` by a line break.
    /// With several inputs: path template of the outputs with the fields {relative}, {name} and {n:03} [default:
    /// {relative}].
    #[arg(long, value_name = "T")]
    pub name: Option<String>,
    /// With several inputs: format of the outputs [default: that of each input].
    #[arg(long = "as", value_enum, value_name = "wav|flac|mp3|opus")]
    pub kind: Option<SoundKind>,
    /// With several inputs: write a page with pictures before and after, those most in need of review first.
    #[arg(long, value_name = "R.html")]
    pub review: Option<PathBuf>,
    /// With several inputs: resume the run that wrote this report.
    #[arg(long, requires = "report")]
    pub resume: bool,
    /// With several inputs: overwrite existing outputs.
    #[arg(long)]
    pub overwrite: bool,
    /// With several inputs: number of files processed at a time [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// With several inputs: maximum memory in megabytes [default: half of the available memory, which is also the
    /// maximum].
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(16..=1_048_576))]
    pub memory: Option<u32>,
}

impl PaintFilesOptions {
    /// Refuses these options for a single file.
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

    /// The template of output paths.
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

//! What can be typed of labels.

use super::ProjectOptions;
use crate::document::labels::formats::{LabelFormat, format_named};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct LabelsCommand {
    /// The file of labels, or the sound or project that holds them.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The file to write: of labels, by the ending of its name, a WAV file with them as cues, or a project; - prints
    /// labels in the format of --format.
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// The format to write, instead of the one that the name asks for.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<LabelFormatName>,
    /// Add the labels of these files.
    #[arg(long, value_name = "F", num_args = 1..)]
    pub import: Vec<PathBuf>,
    /// For CSV: which columns it gets.
    #[arg(long, value_enum, value_name = "COLUMNS", default_value_t = CsvColumns::Own)]
    pub columns: CsvColumns,
    /// For Audacity: which labels get a line with their band.
    #[arg(long, value_enum, value_name = "STYLE", default_value_t = BandLines::Mixed)]
    pub style: BandLines,
    /// For TextGrid: put band, confidence and channel behind the text.
    #[arg(long)]
    pub keep_in_text: bool,
    /// A text for labels that have none.
    #[arg(long, value_name = "TEXT")]
    pub empty_text: Option<String>,
    #[command(flatten)]
    pub reading: LabelReadingOptions,
    #[command(flatten)]
    pub rate: LabelRate,
    /// Write nothing if anything would not be kept.
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub project: ProjectOptions,
}

/// How files of labels are read.
#[derive(Debug, Clone, Args)]
pub(crate) struct LabelReadingOptions {
    /// The format of the files of labels that are read, instead of the one that they are recognised as.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub from: Option<LabelFormatName>,
    /// The column of a table that holds the text.
    #[arg(long, value_name = "NAME")]
    pub text_column: Option<String>,
    /// Leave out what cannot be read, and say how much it was.
    #[arg(long)]
    pub skip_bad: bool,
}

impl LabelReadingOptions {
    /// The format that files of labels are read as; none: as each is recognised.
    pub fn format(&self) -> Option<&'static LabelFormat> {
        format_named(self.from?.name())
    }
}

/// The rate by which files of labels that count samples are read.
#[derive(Debug, Clone, Args)]
pub(crate) struct LabelRate {
    /// Samples a second of the sound, for files of labels without a sound.
    #[arg(long = "rate", value_name = "HZ", value_parser = parse_rate)]
    pub rate_hz: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LabelFormatName {
    Csv,
    Audacity,
    Raven,
    Textgrid,
    Srt,
    Vtt,
    Chapters,
}

impl LabelFormatName {
    /// As the table of formats has it.
    pub fn name(self) -> &'static str {
        match self {
            LabelFormatName::Csv => "csv",
            LabelFormatName::Audacity => "audacity",
            LabelFormatName::Raven => "raven",
            LabelFormatName::Textgrid => "textgrid",
            LabelFormatName::Srt => "srt",
            LabelFormatName::Vtt => "vtt",
            LabelFormatName::Chapters => "chapters",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CsvColumns {
    /// All that a label holds.
    Own,
    /// Those of crowsetta.
    GenericSeq,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BandLines {
    /// Those with a band.
    Mixed,
    /// None.
    Plain,
    /// All.
    All,
}

fn parse_rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate >= 1.0 => Ok(rate),
        _ => Err("expected samples a second, such as 48000".into()),
    }
}

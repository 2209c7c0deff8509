//! Arguments of `sonobrush labels`.

use super::ProjectOptions;
use crate::document::labels::formats::{LabelFormat, format_named};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct LabelsCommand {
    /// Label file, or a sound or project that contains labels.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// Output: a label file (by its extension), a WAV file with the labels as cues, or a project; - prints labels in
    /// the format given by --format.
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// Format to write, instead of that of the extension.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<LabelFormatName>,
    /// Add the labels of these files.
    #[arg(long, value_name = "F", num_args = 1..)]
    pub import: Vec<PathBuf>,
    /// Columns of a CSV file.
    #[arg(long, value_enum, value_name = "COLUMNS", default_value_t = CsvColumns::Own)]
    pub columns: CsvColumns,
    /// Labels that get a second line for their band in an Audacity file.
    #[arg(long, value_enum, value_name = "STYLE", default_value_t = BandLines::Mixed)]
    pub style: BandLines,
    /// Append band, confidence and channel to the text in a TextGrid.
    #[arg(long)]
    pub keep_in_text: bool,
    /// Text for labels that have none.
    #[arg(long, value_name = "TEXT")]
    pub empty_text: Option<String>,
    #[command(flatten)]
    pub reading: LabelReadingOptions,
    #[command(flatten)]
    pub rate: LabelRate,
    /// Write nothing if the format would lose any information.
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub project: ProjectOptions,
}

/// Options for reading label files.
#[derive(Debug, Clone, Args)]
pub(crate) struct LabelReadingOptions {
    /// Format of the label files that are read, instead of the detected one.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub from: Option<LabelFormatName>,
    /// Column of a table that contains the text.
    #[arg(long, value_name = "NAME")]
    pub text_column: Option<String>,
    /// Skip unreadable lines and report their number.
    #[arg(long)]
    pub skip_bad: bool,
}

impl LabelReadingOptions {
    /// The format of label files; `None` detects it for each file.
    pub fn format(&self) -> Option<&'static LabelFormat> {
        format_named(self.from?.name())
    }
}

/// Sample rate for label files that count in samples.
#[derive(Debug, Clone, Args)]
pub(crate) struct LabelRate {
    /// Sample rate in hertz, for label files without a sound.
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
    /// The name in the table of formats.
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
    /// All fields of a label.
    Own,
    /// The columns of crowsetta's generic-seq format.
    GenericSeq,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BandLines {
    /// Labels with a band.
    Mixed,
    /// No labels.
    Plain,
    /// All labels.
    All,
}

fn parse_rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate >= 1.0 => Ok(rate),
        _ => Err("expected samples a second, such as 48000".into()),
    }
}

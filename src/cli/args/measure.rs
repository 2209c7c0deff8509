//! Arguments of `sonobrush measure`.

use super::{LabelRate, LabelReadingOptions, ProjectOptions};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct MeasureCommand {
    /// Sound or project to measure.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// Measure at the labels of this file [default: those of the sound or project].
    #[arg(long, value_name = "F")]
    pub labels: Option<PathBuf>,
    /// Table to write, one row per label: CSV, or Parquet if the extension is .parquet.
    #[arg(long, short, value_name = "T.csv|.parquet")]
    pub output: PathBuf,
    /// Frame size in samples, a power of two from 64 to 32768.
    #[arg(long, value_name = "N", default_value_t = 2_048)]
    pub n_fft: usize,
    /// Hop in samples: a half, quarter, eighth or 16th of the frame size [default: a quarter].
    #[arg(long, value_name = "H")]
    pub hop: Option<usize>,
    /// Name the measurements as Raven does.
    #[arg(long)]
    pub raven_names: bool,
    #[command(flatten)]
    pub reading: LabelReadingOptions,
    #[command(flatten)]
    pub rate: LabelRate,
    #[command(flatten)]
    pub project: ProjectOptions,
}

//! What can be typed of measurements.

use super::{LabelRate, LabelReadingOptions, ProjectOptions};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct MeasureCommand {
    /// The sound or project.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// Measure at the labels of this file; without it, at those that the sound or project holds.
    #[arg(long, value_name = "F")]
    pub labels: Option<PathBuf>,
    /// The table to write, a row for each label: CSV, or Parquet if its name ends in .parquet.
    #[arg(long, short, value_name = "T.csv|.parquet")]
    pub output: PathBuf,
    /// Samples per frame, a power of two from 64 to 32768.
    #[arg(long, value_name = "N", default_value_t = 2_048)]
    pub n_fft: usize,
    /// Samples between frames: N / 2, / 4, / 8 or / 16; by default N / 4.
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

//! Arguments of `sonobrush pitch`.

use super::ProjectOptions;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct PitchCommand {
    /// Sound or project to analyse.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// Table to write: seconds, hertz and confidence every 16 ms. A confidence below 0.5 means no pitch.
    #[arg(long, short, value_name = "OUT.csv")]
    pub output: PathBuf,
    #[command(flatten)]
    pub project: ProjectOptions,
}

//! What can be typed of the pitch line.

use super::ProjectOptions;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct PitchCommand {
    /// The sound or project.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The table to write: seconds, hertz and confidence every 16 ms. A pitch of a confidence under 0.5 is none.
    #[arg(long, short, value_name = "OUT.csv")]
    pub output: PathBuf,
    #[command(flatten)]
    pub project: ProjectOptions,
}

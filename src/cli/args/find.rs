//! What can be typed of finding damage.

use super::ProjectOptions;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct FindDamage {
    /// The sound or project.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// Print JSON, with a script that repairs each finding.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub project: ProjectOptions,
}

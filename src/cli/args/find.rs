//! Arguments of `sonobrush find`.

use super::ProjectOptions;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct FindDamage {
    /// Sound or project to examine.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// Print JSON, with a script that repairs each finding.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub project: ProjectOptions,
}

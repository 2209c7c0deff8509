//! Arguments for projects as inputs.

use clap::Args;
use std::path::PathBuf;

/// Options for projects that are damaged, or whose source file has moved or changed.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ProjectOptions {
    /// For a project: current location of its source file.
    #[arg(long, value_name = "PATH")]
    pub source: Option<PathBuf>,
    /// For a project: accept a changed source file of the same length.
    #[arg(long)]
    pub changed_source: bool,
    /// For a damaged project: use the edits before the damage.
    #[arg(long)]
    pub partly: bool,
}

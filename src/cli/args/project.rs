//! What can be typed about a project, where a sound is read.

use clap::Args;
use std::path::PathBuf;

/// What to do about a project whose sound is not as it was, or that is damaged.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ProjectOptions {
    /// For a project: where its source file is now.
    #[arg(long, value_name = "PATH")]
    pub source: Option<PathBuf>,
    /// For a project: accept a changed source file if its length is the same.
    #[arg(long)]
    pub changed_source: bool,
    /// For a damaged project: use the edits before the damage.
    #[arg(long)]
    pub partly: bool,
}

//! Progress of a run over files.

use crate::library::file_work::WorkState;
use serde::Serialize;
use std::fmt;

/// Progress of a run; `Display` writes it on one line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaintProgress {
    /// Progress common to all work on many files.
    #[serde(flatten)]
    pub state: WorkState,
    /// Files that have failed.
    pub failed: usize,
}

impl fmt::Display for PaintProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WorkState { elapsed_secs, files: [done, files], .. } = self.state;
        let failed = self.failed;
        write!(f, "[{elapsed_secs:>6.1}s] files {done}/{files} | failed {failed} | {}", self.state)
    }
}

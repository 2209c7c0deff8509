//! How far a run over files is.

use crate::library::file_work::WorkState;
use serde::Serialize;
use std::fmt;

/// How far a run is. As text one line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaintProgress {
    /// As of any work on many files.
    #[serde(flatten)]
    pub state: WorkState,
    /// Files that failed so far.
    pub failed: usize,
}

impl fmt::Display for PaintProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WorkState { elapsed_secs, files: [done, files], .. } = self.state;
        let failed = self.failed;
        write!(f, "[{elapsed_secs:>6.1}s] files {done}/{files} | failed {failed} | {}", self.state)
    }
}

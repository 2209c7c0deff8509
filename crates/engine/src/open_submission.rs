//! Commands that an engine records for one submission.

use crate::base::lock;
use crate::gpu::Commands;
use std::sync::Mutex;

/// Commands recorded for one submission.
#[derive(Debug, Default)]
pub(super) struct OpenSubmission {
    pub state: Mutex<SubmissionState>,
}

#[derive(Debug, Default)]
pub(super) enum SubmissionState {
    #[default]
    Empty,
    Recorded(Box<Commands>),
    /// Submitted or discarded. Later calls submit their own commands.
    Closed,
}

impl OpenSubmission {
    pub fn is_open(&self) -> bool {
        !matches!(*lock(&self.state), SubmissionState::Closed)
    }
}

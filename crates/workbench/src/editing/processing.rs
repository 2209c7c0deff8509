//! Edits that a card asks about first, and that take a while.

use super::normalising::Normalising;
use super::stretching::Stretching;
use crate::file_runs::FilesRunner;

/// All processing, each a concern of its own.
#[derive(Default)]
pub struct Processing {
    /// Stretches selections.
    pub stretching: Stretching,
    /// Measures what is to be normalised.
    pub normalising: Normalising,
    /// Runs scripts over files.
    pub file_runs: FilesRunner,
}

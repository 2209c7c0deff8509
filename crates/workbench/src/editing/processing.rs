//! Edits that a card asks about first, and that take a while.

use super::normalising::LevelAnalyser;
use super::stretching::SelectionLifter;
use crate::file_runs::FilesRunner;

/// All processing, each a concern of its own.
#[derive(Default)]
pub struct Processors {
    /// Stretches selections.
    pub stretching: SelectionLifter,
    /// Measures what is to be normalised.
    pub normalising: LevelAnalyser,
    /// Runs scripts over files.
    pub file_runs: FilesRunner,
}

//! Edits that a card asks about first, and that take a while.

use super::lift::SelectionLifter;
use super::normalise::LevelAnalyser;
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

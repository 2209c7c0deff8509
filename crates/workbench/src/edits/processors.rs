//! The concerns for long-running processing that first asks the user for settings.

use super::lift::SelectionLifter;
use super::normalise::LevelAnalyser;
use crate::file_runs::FilesRunner;

/// The concerns that process selections and files.
#[derive(Default)]
pub struct Processors {
    /// Lifts selections, to stretch or move them.
    pub stretching: SelectionLifter,
    /// Measures the level of the sound to normalise.
    pub normalising: LevelAnalyser,
    /// Runs scripts over files.
    pub file_runs: FilesRunner,
}

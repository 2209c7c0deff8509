//! The result of reading a score, and values that override those of the file.

use crate::dsp::voices::{Score, Timbre};

/// A score that was read, and notices about data that was left out or repaired.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadScore {
    /// A valid score: it has no [problem](Score::problem) and at least one note.
    pub score: Score,
    /// Notices, one sentence each.
    pub notices: Vec<String>,
}

/// Values that take precedence over those stated in a score file; `None` keeps the file's value, or the default.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScoreOverrides {
    /// Timbre of notes without their own; for a MIDI file, that of every note except drums.
    pub timbre: Option<Timbre>,
    /// Level in decibels.
    pub level_db: Option<f64>,
    /// Frequency of A4 in hertz.
    pub tuning_hz: Option<f64>,
    /// Seed of all random numbers.
    pub seed: Option<u64>,
}

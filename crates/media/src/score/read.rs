//! The result of reading a score, and values that override those of the file.

use crate::dsp::voices::{Score, Timbre};

/// A score, with notices on anything left out.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadScore {
    /// A valid score: it has no [problem](Score::problem) and at least one note.
    pub score: Score,
    /// Notices, one sentence each.
    pub notices: Vec<String>,
}

/// Values that replace those that a score states or omits.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScoreOverrides {
    /// Timbre of notes that state none; for a MIDI file that of every note.
    pub timbre: Option<Timbre>,
    /// Level in decibels.
    pub level_db: Option<f64>,
    /// Frequency of A4 in hertz.
    pub tuning_hz: Option<f64>,
    /// Seed.
    pub seed: Option<u64>,
}

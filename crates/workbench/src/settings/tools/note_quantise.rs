//! Quantisation of recorded notes.

use crate::document::BeatGrid;
use serde::{Deserialize, Serialize};

/// The lines of the beat grid to which starts of notes are quantised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteQuantise {
    /// Notes keep their timing.
    Off,
    /// Beats.
    Beats,
    /// Halves of a beat.
    Halves,
    /// Quarters of a beat.
    #[default]
    Quarters,
    /// Eighths of a beat.
    Eighths,
}

impl NoteQuantise {
    /// All settings, in the order of the menu.
    pub const ALL: [NoteQuantise; 5] =
        [NoteQuantise::Off, NoteQuantise::Beats, NoteQuantise::Halves, NoteQuantise::Quarters, NoteQuantise::Eighths];

    /// Name for display.
    pub fn label(self) -> &'static str {
        match self {
            NoteQuantise::Off => "Off",
            NoteQuantise::Beats => "Beats",
            NoteQuantise::Halves => "1/2 beat",
            NoteQuantise::Quarters => "1/4 beat",
            NoteQuantise::Eighths => "1/8 beat",
        }
    }

    /// Beats between lines; `None` if off.
    fn step_beats(self) -> Option<f64> {
        match self {
            NoteQuantise::Off => None,
            NoteQuantise::Beats => Some(1.0),
            NoteQuantise::Halves => Some(0.5),
            NoteQuantise::Quarters => Some(0.25),
            NoteQuantise::Eighths => Some(0.125),
        }
    }

    /// A time moved to the nearest line at or after 0 s; unchanged if off or without a beat.
    pub fn moved_secs(self, secs: f64, beat: Option<&BeatGrid>) -> f64 {
        let Some((step_beats, grid)) = self.step_beats().zip(beat) else { return secs };
        let nearest = grid.nearest_secs(secs, step_beats);
        if nearest >= 0.0 { nearest } else { grid.secs_at(grid.beats_at(nearest) + step_beats) }
    }
}

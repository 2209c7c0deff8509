//! The card of the beat grid, and its answers.

use super::found::FoundBeat;
use super::taps::BeatTaps;
use crate::base::Result;
use crate::document::BeatGrid;

/// The beat grid on the card.
#[derive(Debug, Clone, PartialEq)]
pub struct BeatOptions {
    /// Id of the document.
    pub document: u64,
    /// Beats per minute.
    pub tempo_bpm: f64,
    /// Beats per bar.
    pub beats_a_bar: u32,
    /// Start of the first bar, in seconds.
    pub first_bar_secs: f64,
    /// Whether to draw lines at bars and beats.
    pub is_shown: bool,
    /// Position of the cursor, in seconds.
    pub cursor_secs: f64,
    /// Whether the document has a grid to remove.
    pub has_grid: bool,
    /// The taps so far.
    pub taps: BeatTaps,
    /// Result of the detection when the card was last drawn.
    pub found: FoundBeat,
}

impl BeatOptions {
    /// The grid of a document, or the default: 4/4 at 120 beats per minute.
    pub(super) fn of(document: u64, grid: Option<&BeatGrid>, cursor_secs: f64) -> BeatOptions {
        BeatOptions {
            document,
            tempo_bpm: grid.map_or(120.0, BeatGrid::tempo_bpm),
            beats_a_bar: grid.map_or(4, BeatGrid::beats_a_bar),
            first_bar_secs: grid.map_or(0.0, BeatGrid::first_bar_secs),
            is_shown: true,
            cursor_secs,
            has_grid: grid.is_some(),
            taps: BeatTaps::default(),
            found: FoundBeat::default(),
        }
    }

    /// The grid with these values.
    ///
    /// # Errors
    /// As [`BeatGrid::new`].
    pub fn grid(&self) -> Result<BeatGrid> {
        BeatGrid::new(self.tempo_bpm, self.beats_a_bar, self.first_bar_secs)
    }
}

/// The user's answer to a [`BeatOptions`].
#[derive(Debug, Clone, PartialEq)]
pub enum BeatAnswer {
    /// Set this grid.
    Set(BeatOptions),
    /// Remove the grid of the document with this id.
    Remove(u64),
    /// Detect tempo and first bar in the sound of the document with this id; the card stays open.
    Find(u64),
}

//! What the card of the beat grid shows, and what it answers.

use super::found::FoundBeat;
use super::taps::BeatTaps;
use crate::base::Result;
use crate::document::BeatGrid;

/// A beat grid as it stands on its card.
#[derive(Debug, Clone, PartialEq)]
pub struct BeatWish {
    /// Id of the document.
    pub document: u64,
    /// Beats per minute.
    pub tempo_bpm: f64,
    /// Beats of a bar.
    pub beats_a_bar: u32,
    /// Where the first bar begins, in seconds.
    pub first_bar_secs: f64,
    /// Whether its lines are shown.
    pub is_shown: bool,
    /// Where the cursor is, in seconds.
    pub cursor_secs: f64,
    /// Whether the document has a grid, which can be removed.
    pub has_grid: bool,
    /// What was tapped so far.
    pub taps: BeatTaps,
    /// What was found in the sound when the card was drawn last.
    pub found: FoundBeat,
}

impl BeatWish {
    /// The grid of a document, or the usual one where it has none: four beats a bar at 120 beats per minute.
    pub(super) fn of(document: u64, grid: Option<&BeatGrid>, cursor_secs: f64) -> BeatWish {
        BeatWish {
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

    /// As a grid.
    ///
    /// # Errors
    /// As [`BeatGrid::new`].
    pub fn grid(&self) -> Result<BeatGrid> {
        BeatGrid::new(self.tempo_bpm, self.beats_a_bar, self.first_bar_secs)
    }
}

/// The user's answer to a [`BeatWish`].
#[derive(Debug, Clone, PartialEq)]
pub enum BeatAnswer {
    /// Bars and beats lie like this.
    Set(BeatWish),
    /// The document of this id has none.
    Remove(u64),
    /// Tempo and first bar are to be found in the sound of the document of this id; the card stays open.
    Find(u64),
}

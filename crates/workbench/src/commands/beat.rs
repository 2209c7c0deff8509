//! Commands of the beat grid.

use super::Menu;
use super::Need::{BeatGrid, Document};
use super::table::key::ctrl_shift;
use super::table::row::rows;

/// A command about the beat grid of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum BeatCommand {
    Grid,
    FirstBar,
    Lines,
    Remove,
}

rows! { BeatCommand:
    ALL in (Menu::View, "Beat") {
        Grid => row("beat_grid", "Beat grid\u{2026}",
            "Sets tempo, beats a bar and the first bar: typed, tapped, or found in the sound.", &[Document])
            .keys(&[ctrl_shift('B')]),
        FirstBar => row("beat_first_bar", "First bar at cursor",
            "Begins the first bar at the cursor; the tempo stays.", &[Document, BeatGrid]),
        Lines => row("beat_lines", "Bars and beats",
            "Shows lines at bars and beats, and their numbers on the ruler; edges snap to lines that are shown.",
            &[Document, BeatGrid]),
        Remove => row("beat_remove", "Remove beat grid",
            "Takes the bars and beats away; the sound stays as it is.", &[Document, BeatGrid]),
    }
}

//! Commands that show and hide panels.

use super::Code::F;
use super::table::icons;
use super::table::key::plain;
use super::table::row::rows;
use super::{Menu, Panel};

/// A command that shows or hides panels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum LayoutCommand {
    Panels,
    Panel(Panel),
    Library,
}

rows! { LayoutCommand:
    ALL in (Menu::View, "Panels") {
        Panels => row("panels", "All panels", "Shows or hides all panels at the right.", &[])
            .keys(&[plain(F(9))]).icon(icons::PANEL_RIGHT),
        Panel(Panel::View) => row("panel_view", "View panel", "Shows or hides the view settings.", &[]),
        Panel(Panel::Selection) => row("panel_selection", "Selection panel",
            "Shows or hides the selection's range and measurements.", &[]),
        Panel(Panel::Spectrum) => row("panel_spectrum", "Spectrum panel",
            "Shows or hides the spectrum at the pointer.", &[]),
        Panel(Panel::Labels) => row("panel_labels", "Labels panel",
            "Shows or hides the list of labels.", &[]),
        Panel(Panel::History) => row("panel_history", "History panel",
            "Shows or hides the list of edits.", &[]),
    }
    LIBRARY in (Menu::View, "Library") {
        Library => row("library", "Library", "Shows or hides the library of sounds at the left.", &[])
            .keys(&[plain(F(10))]).icon(icons::MUSIC),
    }
}

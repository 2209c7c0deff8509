//! The window around the document: cards, panels, theme and size.

use super::Code::{Escape, F, Tab};
use super::Need::{Document, Figures, OtherDocuments, RoomToGrow, RoomToShrink, Spectrum};
use super::key::{ctrl, ctrl_shift, plain};
use super::row::rows;
use super::{Menu, Panel, icons};

/// A command that the window performs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum WindowCommand {
    Cancel,
    CopyFigures,
    CopySpectrum,
    NextTab,
    PreviousTab,
    Theme,
    LargerInterface,
    SmallerInterface,
    Panels,
    Panel(Panel),
    Profiler,
    Palette,
    Keys,
}

rows! { WindowCommand:
    CANCEL in (Menu::Edit) {
        Cancel => row("cancel", "Cancel", "Cancels the stroke, closes the dialog or stops the work in progress.", &[])
            .keys(&[plain(Escape)]).icon(icons::X),
    }
    COPY in (Menu::Select) {
        CopyFigures => row("copy_figures", "Copy measurements",
            "Copies range, peak, level and centroid of the selection as comma-separated values.", &[Document, Figures])
            .keys(&[ctrl_shift('C')]).icon(icons::COPY),
        CopySpectrum => row("copy_spectrum", "Copy spectrum",
            "Copies the curves of the spectrum panel, bin by bin, as comma-separated values.", &[Document, Spectrum])
            .icon(icons::COPY),
    }
    TABS in (Menu::View) {
        NextTab => row("next_tab", "Next document", "Shows the document to the right of this one.", &[OtherDocuments])
            .keys(&[plain(Tab).with_ctrl()]),
        PreviousTab => row("previous_tab", "Previous document", "Shows the document to the left of this one.",
            &[OtherDocuments]).keys(&[plain(Tab).with_ctrl().with_shift()]),
    }
    THEME in (Menu::View) {
        Theme => row("theme", "Switch theme", "Switches between the dark and the light theme.", &[])
            .keys(&[ctrl_shift('T')]).icon(icons::MOON),
    }
    SIZE in (Menu::View, "Interface scale") {
        LargerInterface => row("larger_interface", "Larger interface",
            "Enlarges text and buttons by 25 %, up to 200 %.", &[RoomToGrow]).keys(&[ctrl('.')]),
        SmallerInterface => row("smaller_interface", "Smaller interface",
            "Reduces text and buttons by 25 %, down to 100 %.", &[RoomToShrink]).keys(&[ctrl(',')]),
    }
    PANELS in (Menu::View, "Panels") {
        Panels => row("panels", "All panels", "Shows or hides all panels at the right.", &[])
            .keys(&[plain(F(9))]).icon(icons::PANEL_RIGHT),
        Panel(Panel::View) => row("panel_view", "View panel", "Shows or hides the view settings.", &[]),
        Panel(Panel::Selection) => row("panel_selection", "Selection panel",
            "Shows or hides the selection's range and measurements.", &[]),
        Panel(Panel::Spectrum) => row("panel_spectrum", "Spectrum panel",
            "Shows or hides the spectrum at the pointer.", &[]),
        Panel(Panel::History) => row("panel_history", "History panel",
            "Shows or hides the list of edits.", &[]),
    }
    PROFILER in (Menu::View) {
        Profiler => row("profiler", "Profiler",
            "Shows timings on the CPU and GPU.", &[]).keys(&[plain(F(12))]),
    }
    HELP in (Menu::Help) {
        Palette => row("palette", "Find a command\u{2026}", "Searches all commands.", &[])
            .keys(&[ctrl_shift('P')]).icon(icons::SEARCH),
        Keys => row("keys", "Keyboard shortcuts", "Lists all keyboard shortcuts.", &[]).keys(&[plain(F(1))]).icon(icons::KEYBOARD),
    }
}

//! The window around the document: cards, panels, theme and size.

use super::Code::{Escape, F};
use super::Need::{Document, Figures, RoomToGrow, RoomToShrink, Spectrum};
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
        Cancel => row("cancel", "Cancel", "Drops the stroke in hand, closes a card or stops the work in progress.", &[])
            .keys(&[plain(Escape)]).icon(icons::X),
    }
    COPY in (Menu::Select) {
        CopyFigures => row("copy_figures", "Copy the figures",
            "Copies range, peak, level and centroid of the selection as comma-separated values.", &[Document, Figures])
            .keys(&[ctrl_shift('C')]).icon(icons::COPY),
        CopySpectrum => row("copy_spectrum", "Copy the spectrum",
            "Copies the curves of the spectrum panel, bin by bin, as comma-separated values.", &[Document, Spectrum])
            .icon(icons::COPY),
    }
    THEME in (Menu::View) {
        Theme => row("theme", "Dark or light", "Changes the theme of the window.", &[])
            .keys(&[ctrl_shift('T')]).icon(icons::MOON),
    }
    SIZE in (Menu::View, "Size of the interface") {
        LargerInterface => row("larger_interface", "Larger interface",
            "Words and buttons a quarter larger, up to twice as large.", &[RoomToGrow]).keys(&[ctrl('.')]),
        SmallerInterface => row("smaller_interface", "Smaller interface",
            "Words and buttons a quarter smaller again.", &[RoomToShrink]).keys(&[ctrl(',')]),
    }
    PANELS in (Menu::View, "Panels") {
        Panels => row("panels", "All panels", "Shows or hides the panels at the right.", &[])
            .keys(&[plain(F(9))]).icon(icons::PANEL_RIGHT),
        Panel(Panel::View) => row("panel_view", "Panel of the view", "Shows or hides how the file is looked at.", &[]),
        Panel(Panel::Selection) => row("panel_selection", "Panel of the selection",
            "Shows or hides range and figures.", &[]),
        Panel(Panel::Spectrum) => row("panel_spectrum", "Panel of the spectrum",
            "Shows or hides what sounds at the pointer.", &[]),
        Panel(Panel::History) => row("panel_history", "Panel of the history",
            "Shows or hides the list of all steps.", &[]),
    }
    PROFILER in (Menu::View) {
        Profiler => row("profiler", "Profiler",
            "Shows what takes how long, on the processor and the graphics card.", &[]).keys(&[plain(F(12))]),
    }
    HELP in (Menu::Help) {
        Palette => row("palette", "Find a command", "Type a few letters of what you want to do.", &[])
            .keys(&[ctrl_shift('P')]).icon(icons::SEARCH),
        Keys => row("keys", "All keys", "Shows every key.", &[]).keys(&[plain(F(1))]).icon(icons::KEYBOARD),
    }
}

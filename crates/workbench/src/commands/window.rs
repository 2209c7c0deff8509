//! Commands of the window around the document: cards, theme and size.

use super::Code::{Escape, F};
use super::Menu;
use super::Need::{Document, RoomToGrow, RoomToShrink};
use super::table::icons;
use super::table::key::{ctrl, ctrl_shift, plain};
use super::table::row::rows;

/// A command that the window performs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum WindowCommand {
    Cancel,
    PastePicture,
    Theme,
    LargerInterface,
    SmallerInterface,
    Profiler,
    TypingKeyboard,
    CloseNotices,
    Graphics,
    Palette,
    FirstSteps,
    Keys,
    About,
}

rows! { WindowCommand:
    CANCEL in (Menu::Edit) {
        Cancel => row("cancel", "Cancel", "Cancels the stroke, closes the dialog or stops the work in progress.", &[])
            .keys(&[plain(Escape)]).icon(icons::X),
    }
    PASTE in (Menu::Edit, "Picture") {
        PastePicture => row("paste_picture", "Paste picture as sound",
            "Takes the picture on the system's clipboard, as Ctrl+V does, and lets it float over the sound.", &[])
            .icon(icons::MAXIMIZE),
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
    PROFILER in (Menu::View) {
        Profiler => row("profiler", "Profiler",
            "Shows timings on the CPU and GPU.", &[]).keys(&[plain(F(12))]),
        TypingKeyboard => row("typing_keyboard", "Typing keyboard",
            "Plays the voice with the letter keys, as on a piano; Esc ends it.", &[Document]).icon(icons::KEYBOARD),
        CloseNotices => row("close_notices", "Close all notices",
            "Closes the messages over the canvas.", &[]).icon(icons::X),
        Graphics => row("graphics", "Graphics\u{2026}", "Selects the graphics adapter and the engine.", &[]),
    }
    HELP in (Menu::Help) {
        Palette => row("palette", "Find a command\u{2026}", "Searches all commands.", &[])
            .keys(&[ctrl_shift('P')]).icon(icons::SEARCH),
        FirstSteps => row("first_steps", "First steps", "Shows in three pictures how sound is painted.", &[])
            .icon(icons::GRADUATION_CAP),
        Keys => row("keys", "Keyboard shortcuts", "Lists and searches all keyboard shortcuts.", &[])
            .keys(&[plain(F(1))]).icon(icons::KEYBOARD),
        About => row("about", "About Sonobrush", "Shows version, engine and licences.", &[]).icon(icons::INFO),
    }
}

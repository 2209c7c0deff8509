//! What the keyboard does on the canvas: a cursor of time and frequency that selects and paints.

use super::Code::{Down, Enter, Left, Right, Up};
use super::Menu;
use super::Need::Document;
use super::key::{ctrl, plain};
use super::row::rows;

/// Where the cursor goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is a direction, which its name says")]
pub enum Way {
    Earlier,
    Later,
    Higher,
    Lower,
}

/// One act of the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CursorCommand {
    /// The canvas takes the keyboard.
    Begin,
    /// A press and a release of the tool in hand.
    Use,
    /// The same with Ctrl: takes the clone's source, subtracts from the selection.
    UseCtrl,
    /// A press, or the release of the one before: steps between them draw.
    Pen,
    /// One cell, or one point of the screen where that is more.
    Step(Way),
    /// Sixteen times as far.
    Leap(Way),
    /// A step that takes the selection along.
    Extend(Way),
    /// A leap that takes the selection along.
    ExtendFar(Way),
}

rows! { CursorCommand:
    ALL in (Menu::Select, "Cursor") {
        Begin => row("cursor", "Keyboard cursor",
            "Arrows move a cursor on the canvas, Shift selects, Enter uses the tool; Esc ends it.", &[Document])
            .keys(&[ctrl('K')]),
        Use => row("cursor_use", "Use the tool at the cursor",
            "A click with the tool in hand: a dab, a corner, a place.", &[Document]).keys(&[plain(Enter)]).on_canvas(),
        UseCtrl => row("cursor_use_ctrl", "Ctrl+click at the cursor",
            "Takes the clone brush's source here; with a tool that selects, subtracts.", &[Document])
            .keys(&[plain(Enter).with_ctrl()]).on_canvas(),
        Pen => row("cursor_pen", "Pen down or up at the cursor",
            "Puts the tool down here; arrows then draw, and again lifts it.", &[Document])
            .keys(&[plain(Enter).with_shift()]).on_canvas(),
        Step(Way::Earlier) => row("cursor_earlier", "Cursor earlier", "One cell to the left.", &[Document])
            .keys(&[plain(Left)]).repeats().on_canvas(),
        Step(Way::Later) => row("cursor_later", "Cursor later", "One cell to the right.", &[Document])
            .keys(&[plain(Right)]).repeats().on_canvas(),
        Step(Way::Higher) => row("cursor_higher", "Cursor higher",
            "One cell up; moves what floats a semitone or a bin.", &[Document])
            .keys(&[plain(Up)]).repeats().on_canvas(),
        Step(Way::Lower) => row("cursor_lower", "Cursor lower",
            "One cell down; moves what floats a semitone or a bin.", &[Document])
            .keys(&[plain(Down)]).repeats().on_canvas(),
        Leap(Way::Earlier) => row("cursor_much_earlier", "Cursor much earlier",
            "Sixteen cells to the left.", &[Document]).keys(&[plain(Left).with_ctrl()]).repeats().on_canvas(),
        Leap(Way::Later) => row("cursor_much_later", "Cursor much later", "Sixteen cells to the right.", &[Document])
            .keys(&[plain(Right).with_ctrl()]).repeats().on_canvas(),
        Leap(Way::Higher) => row("cursor_much_higher", "Cursor much higher", "Sixteen cells up.", &[Document])
            .keys(&[plain(Up).with_ctrl()]).repeats().on_canvas(),
        Leap(Way::Lower) => row("cursor_much_lower", "Cursor much lower", "Sixteen cells down.", &[Document])
            .keys(&[plain(Down).with_ctrl()]).repeats().on_canvas(),
        Extend(Way::Earlier) => row("select_earlier", "Select earlier",
            "Takes the selection's edge one cell left.", &[Document])
            .keys(&[plain(Left).with_shift()]).repeats().on_canvas(),
        Extend(Way::Later) => row("select_later", "Select later",
            "Takes the selection's edge one cell right.", &[Document])
            .keys(&[plain(Right).with_shift()]).repeats().on_canvas(),
        Extend(Way::Higher) => row("select_higher", "Select higher",
            "Takes the selection's edge one cell up.", &[Document])
            .keys(&[plain(Up).with_shift()]).repeats().on_canvas(),
        Extend(Way::Lower) => row("select_lower", "Select lower",
            "Takes the selection's edge one cell down.", &[Document])
            .keys(&[plain(Down).with_shift()]).repeats().on_canvas(),
        ExtendFar(Way::Earlier) => row("select_much_earlier", "Select much earlier",
            "Takes the selection's edge sixteen cells left.", &[Document])
            .keys(&[plain(Left).with_ctrl().with_shift()]).repeats().on_canvas(),
        ExtendFar(Way::Later) => row("select_much_later", "Select much later",
            "Takes the selection's edge sixteen cells right.", &[Document])
            .keys(&[plain(Right).with_ctrl().with_shift()]).repeats().on_canvas(),
        ExtendFar(Way::Higher) => row("select_much_higher", "Select much higher",
            "Takes the selection's edge sixteen cells up.", &[Document])
            .keys(&[plain(Up).with_ctrl().with_shift()]).repeats().on_canvas(),
        ExtendFar(Way::Lower) => row("select_much_lower", "Select much lower",
            "Takes the selection's edge sixteen cells down.", &[Document])
            .keys(&[plain(Down).with_ctrl().with_shift()]).repeats().on_canvas(),
    }
}

//! Commands of the keyboard cursor: a position in time and frequency on the canvas that selects and paints.

use super::Code::{Down, Enter, Left, Right, Up};
use super::Menu;
use super::Need::Document;
use super::table::key::{ctrl, plain};
use super::table::row::rows;

/// Direction of the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is a direction, which its name says")]
pub enum Way {
    Earlier,
    Later,
    Higher,
    Lower,
}

/// A command of the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CursorCommand {
    /// Gives the canvas the keyboard focus.
    Begin,
    /// Clicks with the current tool.
    Use,
    /// Clicks with Ctrl: sets the clone brush's source, or subtracts from the selection.
    UseCtrl,
    /// Presses or releases the tool; steps in between draw.
    Pen,
    /// Moves by one cell, or by one point of the screen if that is more.
    Step(Way),
    /// Moves by sixteen steps; vertically on axes other than linear, by a constant distance on screen.
    Leap(Way),
    /// Moves by a step and extends the selection.
    Extend(Way),
    /// Moves by a leap and extends the selection.
    ExtendFar(Way),
}

rows! { CursorCommand:
    ALL in (Menu::Select, "Cursor") {
        Begin => row("cursor", "Keyboard cursor",
            "Arrow keys move a cursor on the canvas, Shift selects, Enter applies the tool; Esc exits.", &[Document])
            .keys(&[ctrl('K')]),
        Use => row("cursor_use", "Click at cursor",
            "Clicks with the current tool: a dab, a lasso corner or a \
             point.", &[Document]).keys(&[plain(Enter)]).on_canvas(),
        UseCtrl => row("cursor_use_ctrl", "Ctrl+click at cursor",
            "Sets the clone brush's source here; with a selection tool, subtracts.", &[Document])
            .keys(&[plain(Enter).with_ctrl()]).on_canvas(),
        Pen => row("cursor_pen", "Start/end stroke at cursor",
            "Starts a stroke here; the arrow keys draw it, and pressing again ends it.", &[Document])
            .keys(&[plain(Enter).with_shift()]).on_canvas(),
        Step(Way::Earlier) => row("cursor_earlier", "Cursor back", "Moves the cursor one cell left.", &[Document])
            .keys(&[plain(Left)]).repeats().on_canvas(),
        Step(Way::Later) => row("cursor_later", "Cursor forward", "Moves the cursor one cell right.", &[Document])
            .keys(&[plain(Right)]).repeats().on_canvas(),
        Step(Way::Higher) => row("cursor_higher", "Cursor up",
            "Moves the cursor one cell up, or a floating paste by a semitone or bin.", &[Document])
            .keys(&[plain(Up)]).repeats().on_canvas(),
        Step(Way::Lower) => row("cursor_lower", "Cursor down",
            "Moves the cursor one cell down, or a floating paste by a semitone or bin.", &[Document])
            .keys(&[plain(Down)]).repeats().on_canvas(),
        Leap(Way::Earlier) => row("cursor_much_earlier", "Cursor back 16",
            "Moves the cursor 16 cells left.", &[Document]).keys(&[plain(Left).with_ctrl()]).repeats().on_canvas(),
        Leap(Way::Later) => row("cursor_much_later", "Cursor forward 16", "Moves the cursor 16 cells \
                                                                           right.", &[Document])
            .keys(&[plain(Right).with_ctrl()]).repeats().on_canvas(),
        Leap(Way::Higher) => row("cursor_much_higher", "Cursor up 16", "Moves the cursor 16 steps up.", &[Document])
            .keys(&[plain(Up).with_ctrl()]).repeats().on_canvas(),
        Leap(Way::Lower) => row("cursor_much_lower", "Cursor down 16", "Moves the cursor 16 steps down.", &[Document])
            .keys(&[plain(Down).with_ctrl()]).repeats().on_canvas(),
        Extend(Way::Earlier) => row("select_earlier", "Selection edge back",
            "Moves the selection edge one cell left.", &[Document])
            .keys(&[plain(Left).with_shift()]).repeats().on_canvas(),
        Extend(Way::Later) => row("select_later", "Selection edge forward",
            "Moves the selection edge one cell right.", &[Document])
            .keys(&[plain(Right).with_shift()]).repeats().on_canvas(),
        Extend(Way::Higher) => row("select_higher", "Selection edge up",
            "Moves the selection edge one cell up.", &[Document])
            .keys(&[plain(Up).with_shift()]).repeats().on_canvas(),
        Extend(Way::Lower) => row("select_lower", "Selection edge down",
            "Moves the selection edge one cell down.", &[Document])
            .keys(&[plain(Down).with_shift()]).repeats().on_canvas(),
        ExtendFar(Way::Earlier) => row("select_much_earlier", "Selection edge back 16",
            "Moves the selection edge 16 cells left.", &[Document])
            .keys(&[plain(Left).with_ctrl().with_shift()]).repeats().on_canvas(),
        ExtendFar(Way::Later) => row("select_much_later", "Selection edge forward 16",
            "Moves the selection edge 16 cells right.", &[Document])
            .keys(&[plain(Right).with_ctrl().with_shift()]).repeats().on_canvas(),
        ExtendFar(Way::Higher) => row("select_much_higher", "Selection edge up 16",
            "Moves the selection edge 16 steps up.", &[Document])
            .keys(&[plain(Up).with_ctrl().with_shift()]).repeats().on_canvas(),
        ExtendFar(Way::Lower) => row("select_much_lower", "Selection edge down 16",
            "Moves the selection edge 16 steps down.", &[Document])
            .keys(&[plain(Down).with_ctrl().with_shift()]).repeats().on_canvas(),
    }
}

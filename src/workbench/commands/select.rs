//! What changes the selection as a whole.

use super::Menu;
use super::Need::{Document, LastSelection, Selection};
use super::key::{ctrl, ctrl_shift};
use super::row::rows;

/// A command that changes the selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum SelectCommand {
    All,
    Nothing,
    Reselect,
    Invert,
    Grow,
    Shrink,
    Feather,
}

rows! { SelectCommand:
    ALL in (Menu::Select) {
        All => row("select_all", "Select all", "Selects the whole file, all frequencies.", &[Document])
            .keys(&[ctrl('A')]),
        Nothing => row("select_none", "Select nothing", "Lets brushes reach everything again.", &[Document, Selection])
            .keys(&[ctrl('D')]),
        Reselect => row("reselect", "Select again",
            "Selects what was selected before nothing was.", &[Document, LastSelection]).keys(&[ctrl_shift('D')]),
        Invert => row("invert_selection", "Invert the selection",
            "Selects all that is not selected.", &[Document, Selection]).keys(&[ctrl('I')]),
        Grow => row("grow_selection", "Grow the selection",
            "Moves its edge out by one hop and two bins.", &[Document, Selection]).keys(&[ctrl('G')]).repeats(),
        Shrink => row("shrink_selection", "Shrink the selection",
            "Moves its edge in by one hop and two bins.", &[Document, Selection]).keys(&[ctrl_shift('G')]).repeats(),
        Feather => row("feather_selection", "Feather the selection",
            "Makes its edge softer by two hops and four bins.", &[Document, Selection]).keys(&[ctrl_shift('F')]),
    }
}

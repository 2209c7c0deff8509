//! Commands of the selection as a whole.

use super::Menu;
use super::Need::{Document, LastSelection, Selection};
use super::table::key::{ctrl, ctrl_shift};
use super::table::row::rows;

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
        All => row("select_all", "Select all", "Selects the whole file at all frequencies.", &[Document])
            .keys(&[ctrl('A')]),
        Nothing => row("select_none", "Deselect", "Clears the selection, so that brushes affect \
                                                   everything.", &[Document, Selection])
            .keys(&[ctrl('D')]),
        Reselect => row("reselect", "Reselect",
            "Restores the last selection.", &[Document, LastSelection]).keys(&[ctrl_shift('D')]),
        Invert => row("invert_selection", "Invert selection",
            "Selects everything outside the selection.", &[Document, Selection]).keys(&[ctrl('I')]),
        Grow => row("grow_selection", "Grow selection",
            "Moves its edges out by one hop and two bins.", &[Document, Selection]).keys(&[ctrl('G')]).repeats(),
        Shrink => row("shrink_selection", "Shrink selection",
            "Moves its edges in by one hop and two bins.", &[Document, Selection]).keys(&[ctrl_shift('G')]).repeats(),
        Feather => row("feather_selection", "Feather selection",
            "Softens its edges by two hops and four bins.", &[Document, Selection]).keys(&[ctrl_shift('F')]),
    }
}

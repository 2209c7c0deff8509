//! Labels: places and ranges with a text.

use super::Menu;
use super::Need::{Document, Labels, WholeSound};
use super::key::key;
use super::row::rows;

/// A command about labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum LabelCommand {
    Add,
    Rename,
    Remove,
    Next,
    Previous,
}

rows! { LabelCommand:
    ALL in (Menu::Select, "Labels") {
        Add => row("add_label", "Add label\u{2026}",
            "Names the selection, or the cursor's place where nothing is selected.", &[Document, WholeSound])
            .keys(&[key('M')]),
        Rename => row("rename_label", "Rename label\u{2026}",
            "Changes the text of the label at the selection or the cursor.", &[Document, WholeSound, Labels]),
        Remove => row("remove_label", "Remove label",
            "Removes the label at the selection or the cursor; the sound stays as it is.", &[Document, WholeSound, Labels]),
        Next => row("next_label", "Next label", "Selects the label after the cursor.", &[Document, Labels]),
        Previous => row("previous_label", "Previous label", "Selects the label before the cursor.", &[Document, Labels]),
    }
}

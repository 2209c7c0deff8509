//! Commands that switch documents.

use super::Code::Tab;
use super::Menu;
use super::Need::OtherDocuments;
use super::table::key::plain;
use super::table::row::rows;

/// A command that brings another document to the front.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum TabCommand {
    Next,
    Previous,
}

rows! { TabCommand:
    ALL in (Menu::View) {
        Next => row("next_tab", "Next document", "Shows the document to the right of this one.", &[OtherDocuments])
            .keys(&[plain(Tab).with_ctrl()]),
        Previous => row("previous_tab", "Previous document", "Shows the document to the left of this one.",
            &[OtherDocuments]).keys(&[plain(Tab).with_ctrl().with_shift()]),
    }
}

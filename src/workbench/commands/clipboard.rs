//! What is copied, cut and pasted.

use super::Code::Enter;
use super::Need::{Clip, Document, Floating, Selection, WholeSound};
use super::key::{ctrl, ctrl_shift, plain};
use super::row::rows;
use super::{Menu, icons};

/// A command of the clipboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum ClipboardCommand {
    Cut,
    Copy,
    Paste,
    PasteInPlace,
    LandPaste,
}

rows! { ClipboardCommand:
    ALL in (Menu::Edit) {
        Cut => row("cut", "Cut",
            "Takes what is selected out of the sound, to be pasted elsewhere.", &[Document, WholeSound, Selection])
            .keys(&[ctrl('X')]),
        Copy => row("copy", "Copy",
            "Copies the sound of what is selected, and of nothing else.", &[Document, WholeSound, Selection])
            .keys(&[ctrl('C')]).icon(icons::COPY),
        Paste => row("paste", "Paste",
            "Puts what was copied at the pointer's time, or the cursor's, to be moved and put down; \
             added to what is there.",
            &[Document, WholeSound, Clip]).keys(&[ctrl('V')]),
        PasteInPlace => row("paste_in_place", "Paste in place",
            "Puts what was copied where it came from.", &[Document, WholeSound, Clip]).keys(&[ctrl_shift('V')]),
        LandPaste => row("land_paste", "Put down what was pasted",
            "Adds what floats to the sound where it is now.", &[Document, Floating]).keys(&[plain(Enter).with_ctrl()]),
    }
}

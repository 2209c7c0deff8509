//! What changes the sound of the document, and its history.

use super::Code::{Backspace, Delete};
use super::Need::{Document, Edits, LearningDone, Noise, RedoStep, Selection, UndoStep, WholeSound};
use super::key::{ctrl, ctrl_shift, key, plain};
use super::row::rows;
use super::{Menu, icons};

/// A command that changes the sound, or takes a change back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum EditCommand {
    Undo,
    Redo,
    Lengthen,
    EraseSelection,
    AttenuateSelection,
    HealSelection,
    ReduceNoise,
    RebuildPhase,
    Before,
}

rows! { EditCommand:
    HISTORY in (Menu::Edit) {
        Undo => row("undo", "Undo", "Takes the last edit back, to the bit.", &[Document, UndoStep])
            .keys(&[ctrl('Z')]).icon(icons::UNDO_2).repeats(),
        Redo => row("redo", "Redo", "Does again what was taken back.", &[Document, RedoStep])
            .keys(&[ctrl_shift('Z'), ctrl('Y')]).icon(icons::REDO_2).repeats(),
    }
    CHANGES in (Menu::Edit) {
        Lengthen => row("lengthen", "Lengthen the sound", "Adds silence at the end.", &[Document, WholeSound])
            .keys(&[ctrl('M')]),
        EraseSelection => row("erase_selection", "Erase the selection",
            "Silences what is selected.", &[Document, WholeSound, Selection])
            .keys(&[plain(Delete), plain(Backspace)]).icon(icons::ERASER),
        AttenuateSelection => row("attenuate_selection", "Attenuate the selection to its surroundings",
            "Pulls what is too loud in it down to the level around it, as the heal brush does.",
            &[Document, WholeSound, Selection]).keys(&[plain(Delete).with_shift()]).icon(icons::BANDAGE),
        HealSelection => row("heal_selection", "Heal the selection",
            "Fills it from its surroundings in the heal brush's mode.", &[Document, WholeSound, Selection])
            .keys(&[ctrl('H')]),
    }
    REPAIRS in (Menu::Edit) {
        ReduceNoise => row("reduce_noise", "Reduce noise",
            "Takes the noise learnt out of the selection, or of the whole file.",
            &[Document, WholeSound, LearningDone, Noise]).keys(&[ctrl_shift('N')]).icon(icons::WIND),
        RebuildPhase => row("rebuild_phase", "Rebuild the phase of the selection",
            "Makes the phase of what is selected anew from its loudness; the picture of loudness stays.",
            &[Document, WholeSound, Selection]).keys(&[ctrl_shift('R')]).icon(icons::REFRESH_CW),
    }
    COMPARE in (Menu::Edit) {
        Before => row("before", "Before",
            "Shows and plays the file as it was opened, until pressed again.", &[Document, Edits])
            .keys(&[key('B')]).icon(icons::SQUARE_SPLIT_HORIZONTAL),
    }
}

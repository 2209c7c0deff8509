//! Commands to copy, cut and paste.

use super::Code::Enter;
use super::Menu;
use super::Need::{Clip, Document, Figures, Floating, NoPreview, Picture, Selection, Spectrum, Stretched, WholeSound};
use super::table::icons;
use super::table::key::{ctrl, ctrl_shift, key, plain};
use super::table::row::rows;

/// A command of the clipboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum ClipboardCommand {
    Cut,
    CutAndClose,
    CutToFloat,
    Copy,
    Paste,
    PasteInPlace,
    PasteInserting,
    CopyPicture,
    LandPaste,
    LandPushing,
    TurnPicture,
    FlipPicture,
    CopyFigures,
    CopySpectrum,
}

rows! { ClipboardCommand:
    ALL in (Menu::Edit) {
        Cut => row("cut", "Cut",
            "Removes the selected sound and copies it to the clipboard.",
            &[Document, WholeSound, NoPreview, Selection])
            .keys(&[ctrl('X')]),
        Copy => row("copy", "Copy",
            "Copies only the selected sound to the clipboard.", &[Document, WholeSound, Selection])
            .keys(&[ctrl('C')]).icon(icons::COPY),
        Paste => row("paste", "Paste",
            "Pastes at the pointer or the cursor as a floating clip to move and place; it is mixed with the existing \
             sound.",
            &[Document, WholeSound, NoPreview, Clip]).keys(&[ctrl('V')]),
        PasteInPlace => row("paste_in_place", "Paste in place",
            "Pastes at the position it was copied from.", &[Document, WholeSound, NoPreview, Clip]).keys(&[ctrl_shift('V')]),
    }
    TIME in (Menu::Edit, "Time") {
        CutAndClose => row("cut_and_close", "Cut and close",
            "Cuts the selected time to the clipboard; what follows closes the gap.",
            &[Document, WholeSound, NoPreview, Selection]).keys(&[ctrl_shift('X')]),
        PasteInserting => row("paste_inserting", "Paste inserting",
            "Inserts what was copied at the cursor; what follows moves.",
            &[Document, WholeSound, NoPreview, Clip]).keys(&[ctrl_shift('I')]),
    }
    PICTURE in (Menu::Edit, "Picture") {
        CopyPicture => row("copy_picture", "Copy as picture",
            "Copies the selection, or the view without one, as a grey picture for other programs; pasted back it becomes \
             sound.",
            &[Document, WholeSound]).icon(icons::COPY),
    }
    FLOATING in (Menu::Edit, "Floating") {
        CutToFloat => row("cut_to_float", "Cut to float",
            "Lets the selected sound float, to be moved in time and frequency; Esc leaves it where it was.",
            &[Document, WholeSound, NoPreview, Selection]),
        LandPaste => row("land_paste", "Place",
            "Mixes what is floating (a paste, notes, a picture) into the sound at its current position.",
            &[Document, Floating])
            .keys(&[plain(Enter), plain(Enter).with_ctrl()]).while_floating(),
        LandPushing => row("land_pushing", "Place and push what follows",
            "Places the stretched sound in its own time, and moves what follows so that nothing overlaps.",
            &[Document, Stretched])
            .keys(&[plain(Enter).with_shift()]).while_floating(),
        TurnPicture => row("turn_picture", "Turn picture",
            "Turns the floating picture by a quarter, clockwise.", &[Document, Picture])
            .keys(&[key('R')]).on_picture().icon(icons::ROTATE_CCW),
        FlipPicture => row("flip_picture", "Flip picture",
            "Mirrors the floating picture, left to right.", &[Document, Picture])
            .keys(&[key('F')]).on_picture().icon(icons::SQUARE_SPLIT_HORIZONTAL),
    }
    COPY in (Menu::Select) {
        CopyFigures => row("copy_figures", "Copy measurements",
            "Copies range, peak, level and centroid of the selection as comma-separated values.", &[Document, Figures])
            .keys(&[ctrl_shift('C')]).icon(icons::COPY),
        CopySpectrum => row("copy_spectrum", "Copy spectrum",
            "Copies the curves of the spectrum panel, bin by bin, as comma-separated values.", &[Document, Spectrum])
            .icon(icons::COPY),
    }
}

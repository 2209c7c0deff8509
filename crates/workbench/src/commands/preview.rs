//! Commands of previews: edits that can be seen and heard before they are applied.

use super::Code::Enter;
use super::Menu;
use super::Need::{AppliedBrush, AppliedNoise, Document, HealPreview, Healed, Preview, Selection, WholeSound};
use super::table::icons;
use super::table::key::{ctrl_shift, plain};
use super::table::row::rows;

/// A command about a preview.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "its row says what each does")]
pub enum PreviewCommand {
    Heal,
    Brush,
    OtherHeals,
    Apply,
    Cancel,
    HearAfter,
    HearBefore,
    HearDifference,
    Loop,
    Compare,
}

rows! { PreviewCommand:
    BEGIN in (Menu::Edit, "Repair") {
        Heal => row("preview_heal", "Preview heal\u{2026}",
            "Shows and plays the selection as it will be healed while you change the settings.",
            &[Document, WholeSound, Selection]).keys(&[ctrl_shift('H')]),
        Brush => row("preview_brush", "Preview brush on selection",
            "Shows and plays what the last brush will make of the selection; press again to cancel.",
            &[Document, WholeSound, Selection, AppliedBrush, AppliedNoise]).icon(icons::EYE),
        OtherHeals => row("other_heals", "Other heal modes\u{2026}",
            "Undoes the heal of the selection and shows what each mode makes of it, side by side.",
            &[Document, WholeSound, Selection, Healed])
            .offered_as("Other modes").icon(icons::COLUMNS_3),
    }
    OPEN in (Menu::Edit, "Repair") {
        Apply => row("preview_apply", "Apply preview", "Applies the edit that is previewed.", &[Preview])
            .keys(&[plain(Enter)]).while_previewing().icon(icons::CHECK),
        Cancel => row("preview_cancel", "Cancel preview", "Restores the sound as it was.", &[Preview]).icon(icons::X),
        HearAfter => row("preview_after", "Preview: after", "Shows and plays the sound with the edit.", &[Preview]),
        HearBefore => row("preview_before", "Preview: before", "Shows and plays the sound without the edit.", &[Preview]),
        HearDifference => row("preview_difference", "Preview: difference",
            "Plays only what the edit changes.", &[Preview]),
        Loop => row("preview_loop", "Preview: loop",
            "Plays the selection and a little around it again and again; press again to stop.", &[Preview])
            .icon(icons::REPEAT),
        Compare => row("preview_compare", "Preview: compare heal modes",
            "Shows what each mode of heal makes of the selection, side by side.", &[Preview, HealPreview])
            .icon(icons::COLUMNS_3),
    }
}

//! Builds the edits of previews from the document and the tool settings.

use super::edit_preview::{PreviewKind, PreviewPlace};
use crate::document::Edit;
use crate::document::brushes::Brush;
use crate::documents::OpenDocument;
use crate::dsp::Selection;
use crate::edits::{applying, healing, reducing_noise, repairing};
use crate::settings::tools::{HealMode, Tools};

/// The edit of a preview of this kind with the current settings; `place` overrides selection and channels. `None` if a
/// selection or a noise profile is missing.
pub fn wanted(
    (kind, place): (PreviewKind, Option<&PreviewPlace>),
    document: &OpenDocument,
    tools: &Tools,
) -> Option<Edit> {
    let edit = match kind {
        PreviewKind::Heal => healing(document, tools),
        PreviewKind::ReduceNoise => reducing_noise(document, tools),
        PreviewKind::Repair(repair) => Some(repairing(repair, document, tools)),
        PreviewKind::Brush(tool) => applying(tool, document, tools),
    };
    let Some(PreviewPlace { select, channels, noise }) = place.cloned() else { return edit };
    let mut edit = Edit { select, channels, ..edit? };
    if let Brush::Isolate(isolate) = &mut edit.brush
        && noise.is_some()
    {
        isolate.noise = noise.filter(|_| isolate.keep);
    }
    Some(edit)
}

/// Whether the open preview can compare the modes of heal. Not for selected damaged samples, which every mode predicts
/// from their surroundings.
pub fn can_compare(document: &OpenDocument) -> bool {
    let is_open = document.open_preview().is_some_and(|preview| preview.kind() == PreviewKind::Heal);
    is_open && !document.selection().is_some_and(Selection::has_moments)
}

/// The edits of all modes of heal on the selection.
pub fn edits_of_modes(document: &OpenDocument, tools: &Tools) -> Vec<(HealMode, Edit)> {
    let edit = |mode: HealMode| {
        let mut theirs = tools.clone();
        theirs.change(|settings| settings.heal.mode = mode);
        Some((mode, healing(document, &theirs)?))
    };
    HealMode::ALL.into_iter().filter_map(edit).collect()
}

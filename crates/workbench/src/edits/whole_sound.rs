//! Edits of the whole selection or the whole file, which commands apply directly and previews show first.

use crate::document::brushes::{Brush, Noise};
use crate::document::{Edit, SPEECH_MODEL};
use crate::documents::OpenDocument;
use crate::dsp::repair::heal::Heal;
use crate::dsp::{Axis, NoiseSource, Selection};
use crate::settings::tools::{HealMode, Repair, Tool, Tools};

/// The edit that applies a brush to the whole selection, in the channels and transform of the view; `None` if nothing
/// is selected.
pub fn over_selection(document: &OpenDocument, brush: Brush, strength: f64) -> Option<Edit> {
    let selection = document.selection()?.clone();
    Some(Edit { strength, ..over(document, brush, Some(selection)) })
}

/// The edit that applies a brush to the whole selection, or to the whole file.
pub fn over_selected_or_all(document: &OpenDocument, brush: Brush) -> Edit {
    over(document, brush, document.selection().cloned())
}

fn over(document: &OpenDocument, brush: Brush, select: Option<Selection>) -> Edit {
    Edit {
        brush,
        stroke: None,
        select,
        channels: document.view().channels.edited(),
        transform: document.view().transform.clone(),
        strength: 1.0,
        consistency_steps: None,
    }
}

/// The edit that heals the selection with the settings of the heal brush; `None` if nothing is selected.
pub fn healing(document: &OpenDocument, tools: &Tools) -> Option<Edit> {
    let heal = Brush::Heal(tools.settings().heal.heal());
    over_selection(document, suited(heal, document), 1.0)
}

/// Whether the last edit healed the selection in a mode with alternatives. A selection that marks damaged samples has
/// none: it is always healed by prediction.
pub fn was_healed(document: &OpenDocument) -> bool {
    let Some(selection) = document.selection().filter(|selection| !selection.has_moments()) else { return false };
    let history = document.history();
    let last = history.entries().get(history.position()).and_then(|entry| entry.edit.as_ref());
    let is_of_selection = |edit: &Edit| {
        matches!(edit.brush, Brush::Heal(_)) && edit.stroke.is_none() && edit.select.as_ref() == Some(selection)
    };
    last.is_some_and(is_of_selection) && !document.edits().is_busy() && document.open_preview().is_none()
}

/// The mode used to heal the selection of a document: gap if the selection marks damaged samples, else the mode of the
/// heal brush.
pub fn heal_mode(document: Option<&OpenDocument>, tools: &Tools) -> HealMode {
    let is_gap = document.and_then(OpenDocument::selection).is_some_and(Selection::has_moments);
    if is_gap { HealMode::Gap } else { tools.settings().heal.mode }
}

/// The edit that reduces the learnt noise in the selection or the whole file; `None` before noise was learnt.
pub fn reducing_noise(document: &OpenDocument, tools: &Tools) -> Option<Edit> {
    Some(over_selected_or_all(document, tools.denoise()?.into()))
}

/// The edit that applies a repair to the whole file or, if there is a selection, to all frequencies of the selected
/// time. Isolating speech is confined to the selection itself.
pub fn repairing(repair: Repair, document: &OpenDocument, tools: &Tools) -> Edit {
    let time = || Some(Selection::rectangle(Some(document.selected_secs()?), None, [0.0; 2], Axis::Linear));
    let select = if repair.is_of_time() { time() } else { document.selection().cloned() };
    let strength = tools.settings().repair_strength(repair);
    let mut brush = tools.settings().repair(repair);
    if let Brush::Isolate(isolate) = &mut brush {
        // With `keep`, sound above the learnt noise is kept even if it is not speech.
        isolate.noise = tools.noise().filter(|_| isolate.keep).cloned().map(NoiseSource::Profile);
        isolate.model = Some(SPEECH_MODEL.to_owned());
    }
    Edit { strength, ..over(document, brush, select) }
}

/// The edit that applies a tool's brush to the selection; `None` if nothing is selected, or the brush needs a stroke or
/// a missing noise profile.
pub fn applying(tool: Tool, document: &OpenDocument, tools: &Tools) -> Option<Edit> {
    let brush = tools.brush_without_stroke(tool)?;
    over_selection(document, suited(brush, document), tools.settings().strength)
}

/// Adapts a brush to the history and selection of a document.
fn suited(brush: Brush, document: &OpenDocument) -> Brush {
    if let Brush::Noise(noise) = brush {
        // A new seed for each step: applied twice, the brush adds two different noises rather than one louder noise.
        return Noise { seed: 1 + document.history().position() as u64, ..noise }.into();
    }
    // A selection of moments marks damaged samples, so only these are interpolated.
    let is_gap = matches!(brush, Brush::Heal(_)) && document.selection().is_some_and(Selection::has_moments);
    if is_gap { Heal::WEIGHED_GAP.into() } else { brush }
}

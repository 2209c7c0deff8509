//! The kind of settings in the option bar.

use super::kind::PresetKind;
use crate::documents::OpenDocument;
use crate::preview::{EditPreview, PreviewKind};
use crate::settings::tools::{Tool, Tools};

/// The kind of settings that the option bar shows: those of the open preview, else of the current tool, or of the brush
/// applied to the selection if that tool has none.
pub fn kind_of_options(document: Option<&OpenDocument>, tools: &Tools) -> PresetKind {
    match document.and_then(OpenDocument::open_preview).map(EditPreview::kind) {
        Some(PreviewKind::Heal) => PresetKind::Tool(Tool::HEAL),
        Some(PreviewKind::ReduceNoise) => PresetKind::Tool(Tool::DENOISE),
        Some(PreviewKind::Repair(repair)) => PresetKind::Repair(repair),
        Some(PreviewKind::Brush(tool)) => PresetKind::Tool(tool),
        None => PresetKind::of_tool(tools.active()).unwrap_or(PresetKind::Tool(tools.applied())),
    }
}

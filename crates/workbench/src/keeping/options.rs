//! Whose settings the option bar shows.

use super::kind::KeptKind;
use crate::documents::OpenDocument;
use crate::previewing::{EditPreview, PreviewKind};
use crate::tools::{Tool, Tools};

/// The kind of settings that the option bar shows: those of the open preview, else of the current tool, or of the brush
/// applied to the selection if that tool has none.
pub fn kind_of_options(document: Option<&OpenDocument>, tools: &Tools) -> KeptKind {
    match document.and_then(OpenDocument::open_preview).map(EditPreview::kind) {
        Some(PreviewKind::Heal) => KeptKind::Tool(Tool::HEAL),
        Some(PreviewKind::ReduceNoise) => KeptKind::Tool(Tool::DENOISE),
        Some(PreviewKind::Repair(repair)) => KeptKind::Repair(repair),
        Some(PreviewKind::Brush(tool)) => KeptKind::Tool(tool),
        None => KeptKind::of_tool(tools.active()).unwrap_or(KeptKind::Tool(tools.applied())),
    }
}

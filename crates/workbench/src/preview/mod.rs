//! Previews: edits of the selection or the whole file, seen and heard with adjustable settings before they are applied.

mod acting;
mod comparison;
mod compute;
mod edit_preview;
mod loops;
mod paste_mix;
mod preview_edit;
mod previewer;

pub use acting::PreviewSound;
pub(super) use acting::{begin_preview, begin_preview_at, cancel_preview, perform_preview};
pub use comparison::{ComparedMode, Comparison};
pub(super) use edit_preview::PreviewPlace;
pub use edit_preview::{EditPreview, PreviewKind};
pub(super) use loops::loop_secs;
pub(super) use preview_edit::can_compare;
pub use previewer::Previewer;

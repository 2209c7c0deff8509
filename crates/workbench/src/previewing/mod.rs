//! Edits that can be seen and heard before they are applied: of the selection or the whole file, with adjustable
//! settings.

mod acting;
mod comparison;
mod computing;
mod floated;
mod loops;
mod preview;
#[expect(clippy::module_inception, reason = "the concern that the folder is named after")]
mod previewing;
mod wanted;

pub use acting::PreviewSound;
pub(super) use acting::{begin_preview, begin_preview_at, cancel_preview, perform_preview};
pub use comparison::{ComparedMode, Comparison};
pub(super) use loops::loop_secs;
pub(super) use preview::PreviewPlace;
pub use preview::{EditPreview, PreviewKind};
pub use previewing::Previewer;
pub(super) use wanted::can_compare;

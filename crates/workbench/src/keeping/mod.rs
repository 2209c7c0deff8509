//! What the user keeps by a name: noise profiles, and presets of tools and edits. Files are read and written off the UI
//! thread.

mod acting;
mod cards;
#[expect(clippy::module_inception, reason = "the concern that the folder is named after")]
mod keeping;
mod kind;
mod wish;

pub(super) use acting::perform_keep;
pub use keeping::Keeping;
pub use kind::KeptKind;
pub use wish::{KeepAct, KeepWish, KeptPurpose, KeptQuestion};

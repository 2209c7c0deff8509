//! Items that the user saves by name: noise profiles, and presets of tools and edits. Files are read and written off
//! the UI thread.

mod acting;
mod cards;
mod kept_names;
mod kind;
mod options;
mod wish;

pub(super) use acting::perform_keep;
pub use kept_names::PresetStore;
pub use kind::PresetKind;
pub use options::kind_of_options;
pub use wish::{PresetAct, PresetCard, PresetPurpose, PresetQuestion, PresetSaveOptions};

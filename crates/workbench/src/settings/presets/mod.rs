//! Items that the user saves by name: noise profiles, and presets of tools and edits. Files are read and written off
//! the UI thread.

mod acting;
mod card_settings;
mod kind;
mod options;
mod preset_card;
mod preset_store;

pub(crate) use acting::perform_keep;
pub use kind::PresetKind;
pub use options::kind_of_options;
pub use preset_card::{PresetAct, PresetCard, PresetPurpose, PresetQuestion, PresetSaveOptions};
pub use preset_store::PresetStore;

//! Noise profiles, and presets of tools and edits, which the user saves by name. Jobs read and write their files.

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

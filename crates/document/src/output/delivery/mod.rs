//! Delivery of a sound: file format, sample rate, level and channels.

mod choice;
mod converted;
mod parts;
mod presets;
mod stored;
mod write;

pub use choice::{DeliveredChannels, Delivery, LevelTarget, SPEED_LIMITS};
pub use parts::{PartsConflict, PartsOrder, PartsPlan, PartsSound, PartsTable, PartsWriter};
pub use presets::{ExportPreset, ExportPresets, chosen_preset, preset_folder};
pub use write::{DeliveredPart, deliver, deliver_part, forecast};

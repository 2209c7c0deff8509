//! The document: snapshots of sound, their history, edits, scripts, and the one function that changes sound.

extern crate base;
extern crate dsp;
extern crate engine;
extern crate media;
extern crate self as document;

mod added;
mod anchored;
mod apply;
mod beat_grid;
pub mod brushes;
pub mod cells_file;
mod damage;
mod declip;
mod delivery;
mod edit;
mod export;
mod find;
mod history;
mod hum;
mod kept_noise;
pub mod labels;
mod learn;
mod level_change;
mod levels;
mod named_noise;
mod paint_file;
mod paste;
mod placing;
mod plan;
mod resample;
mod script;
mod scripted;
mod selected_runs;
mod selected_sound;
pub mod session;
mod signal;
mod snapshot;
mod store;
mod stretched;
mod stroke;
mod sums;
mod timbre;
mod time;
mod wand;
mod warm;

pub use added::{AddedSound, HeldPoint, LiveSound, Mixed, RenderedBy, TakeRendered, TakeSoFar, mix};
pub use anchored::AnchorFound;
pub use apply::{Applied, EditReport, apply, apply_heard, apply_live, measure_levels, painted_cells, with_step};
pub use beat_grid::BeatGrid;
pub use brushes::{Brush, modulation_kernel};
pub use damage::{Damage, DamageKind, find_damage};
pub use declip::{ChannelClipping, DeclipLevels, find_clipping};
pub use delivery::{
    DeliveredChannels, DeliveredPart, Delivery, ExportPreset, ExportPresets, LevelTarget, SPEED_LIMITS, chosen_preset,
    deliver, deliver_part, forecast, preset_folder,
};
pub use edit::{Edit, secs_past_end};
pub use export::{ChangeSamples, ExportReport, export, export_as, export_part};
pub use history::{Entry, History, labels_after, time_changes};
pub use hum::{HumRange, HumSearch, find_hum};
pub use kept_noise::KeptNoise;
pub use learn::learn_noise;
pub use level_change::LevelChange;
pub use levels::SoundLevels;
pub use named_noise::locate_kept_noise;
pub use paint_file::{EditLine, PaintOrder, PaintedFile, paint_file};
pub use paste::{MOST_CLIP_SAMPLES, erasing, lifted, lifted_off};

pub use placing::EditPlacing;
pub use plan::grid_of;
pub use resample::write_resampled;
pub use script::samples::text_from_bytes;
pub use script::{AnchorEdge, AnchorTo, AnchorWhich, EditAnchor, Script};
pub use scripted::{LabelledSound, NamedScript, PaintStep, PaintWatch, ScriptedEdit};
pub use selected_sound::whole_range;
pub use signal::{Channels, Signal};
pub use snapshot::{Snapshot, SnapshotEdit};
pub use store::{BLOCK_SAMPLES, Block, BlockStore};
pub use stretched::{STRETCH_PERCENT, stretched_clip};
pub use stroke::{MARKED_DB, PenDown, StrokeCells, StrokeSession};
pub use timbre::{ToneAt, take_timbre};
pub use time::TimeChange;
pub use wand::resolve;
pub use warm::warm_up;

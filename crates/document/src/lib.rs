//! The document: snapshots of sound, their history, edits, scripts, and the one function that changes sound.

extern crate base;
extern crate dsp;
extern crate engine;
extern crate media;
extern crate self as document;

mod analysis;
pub mod brushes;
mod edits;
pub mod labels;
mod noise;
pub mod output;
mod scripts;
pub mod session;
mod sound;
mod stroke;

pub use analysis::beat_grid::BeatGrid;
pub use analysis::damage::{Damage, DamageKind, find_damage};
pub use analysis::declip::{ChannelClipping, DeclipLevels, find_clipping};
pub use analysis::hum::{HumRange, HumSearch, find_hum};
pub use analysis::isolation::{SPEECH_MODEL, read_speech_model};
pub use analysis::levels::SoundLevels;
pub use analysis::notes::{SoundNotes, find_notes};
pub use analysis::pitch_line::{PitchLine, find_pitch_line};
pub use analysis::timbre::{ToneAt, take_timbre};
pub use brushes::{Brush, modulation_kernel};
pub use edits::anchored::AnchorFound;
pub use edits::apply::{Applied, EditReport, apply, apply_heard, apply_live, measure_levels, painted_cells, with_step};
pub use edits::edit::{Edit, secs_past_end};
pub use edits::level_change::LevelChange;
pub use edits::paste::{MAX_CLIP_SAMPLES, erasing, lifted, lifted_off};
pub use edits::placing::EditPlacing;
pub use edits::plan::grid_of;
pub use edits::selected_runs::selected_times;
pub use edits::selected_sound::whole_range;
pub use edits::stretched::{STRETCH_PERCENT, stretched_clip};
pub use edits::time::TimeChange;
pub use edits::wand::resolve;
pub use edits::warm::warm_up;
pub use noise::kept_noise::SavedNoise;
pub use noise::learn::learn_noise;
pub use noise::named_noise::locate_kept_noise;
pub use output::delivery::{
    DeliveredChannels, DeliveredPart, Delivery, ExportPreset, ExportPresets, LevelTarget, PartsConflict, PartsOrder,
    PartsPlan, PartsSound, PartsTable, PartsWriter, SPEED_LIMITS, chosen_preset, deliver, deliver_part, forecast,
    preset_folder,
};
pub use output::export::{ChangeSamples, ExportReport, export, export_as, export_part};
pub use output::resample::write_resampled;
pub use scripts::paint_file::{EditLine, PaintOrder, PaintedFile, paint_file};
pub use scripts::script::samples::text_from_bytes;
pub use scripts::script::{AnchorEdge, AnchorTo, AnchorWhich, EditAnchor, Script};
pub use scripts::scripted::{LabelledSound, NamedScript, PaintStep, PaintWatch, ScriptedEdit};
pub use sound::added::{AddedSound, HeldPoint, LiveSound, Mixed, PartialResult, TakeRendered, mix};
pub use sound::history::{Entry, History, labels_after, time_changes};
pub use sound::signal::{Channels, Signal};
pub use sound::snapshot::{Snapshot, SnapshotEdit, SnapshotSignal};
pub use sound::store::{BLOCK_SAMPLES, Block, BlockStore};
pub use stroke::{MARKED_DB, PenDown, StrokeCells, StrokeSession};

//! Edits of documents: the queue of pending edits, clipboard and floating pastes, cuts and insertions of time,
//! stretching and normalising.

mod acting;
mod apply;
mod cells;
mod clipboard;
mod engines;
mod floating_paste;
mod lengthen;
mod lift;
mod names;
mod normalise;
mod pending;
mod processors;
mod time;
mod whole_sound;

pub(super) use acting::{discard_floating, perform_clipboard, perform_edit};
pub use apply::EditApplier;
pub(super) use cells::put_back_cells;
pub use clipboard::Clipboard;
pub(super) use clipboard::lifted_clip;
pub(super) use floating_paste::{float_picture, float_score, land_in, pushed};
pub use lengthen::lengthen_by;
pub use lift::SelectionLifter;
pub(super) use lift::shift_pitch;
pub use names::{brush_name, describe, place_of};
pub use normalise::MeasuredLevels;
pub(super) use normalise::normalise;
pub use pending::Edits;
pub use processors::Processors;
pub(super) use time::insert_silence;
pub(super) use whole_sound::{applying, heal_mode, healing, reducing_noise, repairing};
pub use whole_sound::{over_selection, was_healed};

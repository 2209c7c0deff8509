//! Edits of the documents: applied in order per document; cut, copy and paste; a longer sound.

mod acting;
mod afloat;
mod applying;
mod cells;
mod clipboard;
mod edits;
mod lengthen;
mod names;
mod normalising;
mod processing;
mod stretching;
mod timing;
mod whole;

pub(super) use acting::{discard_floating, perform_clipboard, perform_edit};
pub(super) use afloat::{float_picture, float_score, land_in, pushed};
pub use applying::EditApplier;
pub(super) use cells::put_back_cells;
pub use clipboard::Clipboard;
pub(super) use clipboard::lifted_clip;
pub use edits::Edits;
pub use lengthen::lengthen_by;
pub use names::{brush_name, describe, place_of};
pub use normalising::MeasuredLevels;
pub(super) use normalising::normalise;
pub use processing::Processors;
pub use stretching::SelectionLifter;
pub(super) use stretching::shift_pitch;
pub(super) use timing::insert_silence;
pub(super) use whole::{applying, heal_mode, healing, reducing_noise, repairing};
pub use whole::{over_selection, was_healed};

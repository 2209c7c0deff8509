//! Analyses of a sound: damage, clipping, hum, notes, pitch, speech, levels, timbre.
//! May touch: `sound`, for reading, `edits` for selected ranges, and engines. Changes nothing.

pub(super) mod beat_grid;
pub(super) mod damage;
pub(super) mod declip;
pub(super) mod find;
pub(super) mod hum;
pub(super) mod isolation;
pub(super) mod levels;
pub(super) mod notes;
pub(super) mod pitch_line;
pub(super) mod timbre;

//! Pitch and timing of notes: fundamentals, gliding partials, interpolated peaks, scales and onsets.
//! May touch: `transforms`, `cells`, `selections`, `strokes` and `numeric`. Changes no sound.

pub mod glide;
pub(super) mod note_scale;
pub mod notes;
pub mod onsets;
pub(super) mod peaks;
pub mod pitch_line;
pub mod yin;

//! What a stroke draws, as data and as cells: polylines, parameters of brushes, tones and pictures.
//! May touch: `cells`, `transforms`, `selections`, `pitch`, `signal` and `voices`.

pub mod brush;
pub mod picture;
pub(super) mod row_tone;
pub mod stroke;
pub mod tone;
pub mod tone_sound;

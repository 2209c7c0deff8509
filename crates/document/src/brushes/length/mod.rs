//! Edits that change the duration of a sound: cut, repeat, insert, lengthen.
//! May touch: its parameters and times. No cells.

pub(super) mod clip;
pub(super) mod delete_time;
pub(super) mod duplicate_time;
pub(super) mod insert;
pub(super) mod insert_silence;
pub(super) mod keep_time;
pub(super) mod lengthen;

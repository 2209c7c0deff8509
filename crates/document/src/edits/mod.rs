//! Edits, and the one function that changes sound: planned in pieces, placed by anchors, pasted, cut in time.
//! May touch: `brushes`, `sound`, `stroke`, `noise` and engines. Writes no files.

pub(super) mod anchored;
pub(super) mod apply;
pub(super) mod edit;
pub(super) mod level_change;
pub(super) mod paste;
pub(super) mod placing;
pub(super) mod plan;
pub(super) mod selected_runs;
pub(super) mod selected_sound;
pub(super) mod stretched;
pub(super) mod sums;
pub(super) mod time;
pub(super) mod wand;
pub(super) mod warm;

//! The states of a sound: signals, snapshots, changed samples, and their history.
//! May touch: sources of `media`, and a scratch file. Holds edits and labels, applies none.

pub(super) mod added;
pub(super) mod history;
pub(super) mod mean_blocks;
pub(super) mod signal;
pub(super) mod snapshot;
pub(super) mod store;

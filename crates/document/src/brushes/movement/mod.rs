//! Brushes that move sound in time and pitch: clone, paste, smudge, warp, shift, stretch, reverse.
//! May touch: what a brush may: its parameters, and plans of `dsp`.

pub(super) mod clone;
pub(super) mod paste;
pub(super) mod pitch_shift;
pub(super) mod reverse;
pub(super) mod shifted;
pub(super) mod smudge;
pub(super) mod stretch;
pub(super) mod warp;

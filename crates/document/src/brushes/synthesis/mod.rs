//! Brushes that add sound: noise, tones, voices, pictures, cells painted elsewhere.
//! May touch: what a brush may: its parameters, and plans of `dsp`.

pub(super) mod cells;
pub(super) mod noise;
pub(super) mod picture;
pub(super) mod tone;
pub(super) mod voices;

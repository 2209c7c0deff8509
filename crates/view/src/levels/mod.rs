//! Levels of detail: peaks, the pyramid, tiles, envelopes, and the cells under each pixel.
//! Reads cells from `analysis`, and writes tiles to the device.

pub(super) mod entry_parts;
pub(super) mod envelope;
pub(super) mod footprint;
pub(super) mod level_range;
mod on_device;
pub(super) mod peaks;
pub(super) mod pyramid;
pub(super) mod tiles;
pub(super) mod waveform;

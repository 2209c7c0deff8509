//! Commands that analyse sound without changing it: features, damage, pictures, measurements, notes, pitch, the STFT.
//! May touch: files of sounds, for reading, and the outputs they are given.

pub(super) mod features;
pub(super) mod find;
pub(super) mod image;
pub(super) mod info;
pub(super) mod measure;
pub(super) mod notes;
pub(super) mod pitch;
pub(super) mod stft;

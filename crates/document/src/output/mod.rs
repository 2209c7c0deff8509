//! Writes the sound of a document: exports, deliveries, another sample rate, pictures of cells.
//! May touch: `sound`, for reading, and the file that is written.

pub mod cells_file;
pub(super) mod delivery;
pub(super) mod export;
pub(super) mod resample;

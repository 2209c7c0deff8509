//! What runs on the device, a module per task; each states its twin on the CPU.
//! May touch: `buffers`, pipelines and the batch. Waits only where it says so.

pub(super) mod attenuate;
pub(super) mod consistency;
pub(super) mod frame_planes;
pub(super) mod hash_pairs;
pub(super) mod kernels;
pub(super) mod live;
pub(super) mod modulation;
pub(super) mod picture_hashes;
pub(super) mod row_drawn;
pub(super) mod row_pieces;
pub(super) mod row_synthesis;
pub(super) mod rows;
pub(super) mod segment_mels;
pub(super) mod stft;
pub(super) mod voices;

//! What runs on the device, a module per task; each states its twin on the CPU.
//! May touch: `buffers`, pipelines and the batch. Waits only where it says so.

pub(super) mod attenuate;
pub(super) mod chroma;
pub(super) mod consistency;
pub(super) mod frame_planes;
pub(super) mod hash_pairs;
pub(super) mod kernels;
pub(super) mod level_peaks;
pub(super) mod live;
pub(super) mod modulation;
pub(super) mod onset_flux;
pub(super) mod picture_hashes;
pub(super) mod rows;
pub(super) mod segment_mels;
pub(super) mod sound_frames;
pub(super) mod stft;
pub(super) mod voices;
pub(super) mod wavelet_hashes;
pub(super) mod windows;

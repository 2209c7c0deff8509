//! Samples of a source, immutable: in memory, in the user's file or a scratch file; and at other rates.
//! May touch: the disk. `source` opens sounds, by `probe`, `formats` and `decoders`; all others know no container.

pub(super) mod budget;
pub(super) mod format;
pub(super) mod plain_file;
pub(super) mod planar;
pub(super) mod resample;
pub(super) mod resampled;
pub(super) mod scratch;
pub(super) mod source;
pub(super) mod storage;
pub(super) mod stored_bytes;
pub(super) mod values;

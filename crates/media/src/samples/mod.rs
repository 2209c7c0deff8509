//! Immutable samples of a source, in memory, in the user's file or in a scratch file; and sample rate conversion.
//! May touch: the disk. `source` opens sounds with `probe`, `formats` and `decoders`; all other modules are independent
//! of the container.

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

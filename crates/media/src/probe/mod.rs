//! Examines files before their sound is read: their format, names, bytes and properties, and the options for opening
//! them.
//! May touch: the disk, for reading; headers of `formats` and tags of `metadata`.

pub(super) mod behind;
pub(super) mod file_bytes;
pub(super) mod info;
pub(super) mod look;
pub(super) mod names;
pub(super) mod options;
pub(super) mod whole_file;

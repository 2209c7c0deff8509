//! A file before its sound: kind by first bytes, names, bytes, options, facts about it.
//! May touch: the disk, for reading; heads of `formats` and tags of `metadata`.

pub(super) mod behind;
pub(super) mod file_bytes;
pub(super) mod info;
pub(super) mod look;
pub(super) mod names;
pub(super) mod options;
pub(super) mod whole_file;

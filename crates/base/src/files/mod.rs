//! Files and folders: atomic replacement, bounded reading, append-only logs, temporary files, and free disk space.
//! May touch: the file system, through `platform` where systems differ, `error` and `process`. Independent of settings.

pub(super) mod append_log;
pub(super) mod atomic_file;
pub(super) mod folders;
pub(super) mod free_space;
pub(super) mod new_folders;
pub(super) mod npy;
pub(super) mod scratch_file;
pub(super) mod small_file;
pub(super) mod temporary_folder;

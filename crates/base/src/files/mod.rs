//! Files and folders of the program: whole or not at all, bounded, appended, temporary; and the room on a disk.
//! May touch: the file system, through `platform` where systems differ, `error` and `process`. Knows no settings.

pub(super) mod append_log;
pub(super) mod atomic_file;
pub(super) mod folders;
pub(super) mod free_space;
pub(super) mod new_folders;
pub(super) mod npy;
pub(super) mod scratch_file;
pub(super) mod small_file;
pub(super) mod temporary_folder;

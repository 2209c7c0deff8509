//! What every layer shares: errors, progress, atomic file writing, folders, free space, settings, words for time and
//! pitch, locks, threads and the time that one has used.

mod atomic_file;
mod error;
mod folders;
mod format;
mod free_space;
mod lean_memory;
mod locks;
mod positioned;
mod progress;
mod quit;
mod scratch_file;
mod settings;
mod small_file;
mod temporary_folder;
mod thread_time;
mod threads;
pub mod trace;

pub use atomic_file::{replace_atomic, write_atomic};
pub use error::{Error, ErrorKind, Result, shown_path};
pub use folders::Folders;
pub use format::{Note, clock_from_secs, number};
pub use free_space::{Space, check_room, free_bytes, space_of};
pub use lean_memory::{LEAN_MEMORY, begin_with_lean_memory};
pub use locks::{lock, note_wait, take_waited};
pub use positioned::{read_at, write_at};
pub use progress::Progress;
pub use quit::{ask_to_quit, is_asked_to_quit, wake_on_quit};
pub use scratch_file::{ScratchFile, Slot};
pub use settings::{EngineChoice, LoadedSettings, Origin, Settings, ShownSetting};
pub use small_file::{read_head, read_small_file};
pub use temporary_folder::temporary_folder;
pub use thread_time::{since_boot_secs, thread_time};
pub use threads::begin_threads;

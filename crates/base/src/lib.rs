//! Shared by all layers: errors, progress, atomic file writing, databases, folders, free space, settings, formatting of
//! time and pitch, locks, threads, and differences between systems (`platform`).

extern crate self as base;

mod append_log;
mod atomic_file;
mod contained;
pub mod crash;
mod database;
mod date;
mod error;
mod folders;
mod format;
mod free_space;
mod json_at;
mod json_reason;
mod lean_memory;
mod locks;
mod new_folders;
mod notices;
mod npy;
mod own_json;
mod platform;
mod progress;
mod quit;
mod scratch_file;
mod settings;
mod shown;
mod small_file;
mod table;
mod temporary_folder;
mod threads;
pub mod trace;
mod value_folder;
mod version;

pub use append_log::{append_lines, ends_in_half_a_line, take_back};
pub use atomic_file::{TEMPORARY_PREFIX, keep_beside, replace_atomic, replace_existing, write_atomic};
pub use contained::{contained, is_contained};
pub use database::{
    DATABASE_HEAD_BYTES, DatabaseFormat, MAX_TEXT_BYTES, OPTIONAL_TABLES, WriteMode, database_error, database_head,
    harden_database, open_existing_database, open_immutable_database, open_private_database,
};
pub use date::{UtcDate, local_secs};
pub use error::{Error, ErrorKind, ErrorWording, Result, shown_path};
pub use folders::Folders;
pub use format::{
    Note, bytes_rate, clock_from_secs, khz_from_hz, length_from_secs, number, rate, secs_from_clock, shown_number,
};
pub use free_space::{Space, check_room, free_bytes, space_of};
pub use json_at::{JsonAt, JsonFields, json_from_text};
pub use json_reason::json_reason;
pub use lean_memory::{MALLOC_SETTINGS, begin_with_lean_memory};
pub use locks::{lock, note_wait, take_waited};
pub use new_folders::NewFolders;
pub use notices::{MAX_NOTICES, few_notices, more_notices};
pub use npy::npy_header;
pub use own_json::{other_than, own_json, refuse_other_json};
pub use platform::{
    FileId, Priority, available_bytes, check_writable, create_new_private_folder, create_private_folder, file_id,
    host_name, is_link_loop, is_network_share, keep_private, leave_at_once, lower_priority, open_new_private_file,
    open_private_file, open_without_waiting, path_bytes, path_from_bytes, process_time, read_at, resident_bytes,
    since_boot_secs, special_kind, sync_folder, take_file_size_signal, take_place, thread_time, wayland_answers,
    write_at,
};
pub use progress::Progress;
pub use quit::{is_quit_requested, request_quit, wake_on_quit};
pub use scratch_file::{ScratchFile, Slot};
pub use settings::{DisplayChoice, EngineChoice, LoadedSettings, Origin, Settings, ShownSetting};
pub use shown::{shown_json, shown_text};
pub use small_file::{open_regular, read_head, read_regular, read_small_file};
pub use table::{ExportColumn, ExportTable, ExportValues};
pub use temporary_folder::temporary_folder;
pub use threads::begin_threads;
pub use value_folder::{NamedValue, NamedValueFolder, kept_name, read_kept};
pub use version::{PROGRAM_VERSION, version};

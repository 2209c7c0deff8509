//! Code shared by all layers: errors, progress, atomic file writing, databases, folders, free space, settings,
//! formatting of time and pitch, locks, threads, and differences between systems (`platform`).

extern crate self as base;

pub mod crash;
mod database;
mod error;
mod files;
mod json;
mod platform;
mod process;
mod settings;
mod table;
mod text;
pub mod trace;
mod value_folder;
mod version;

pub use database::{
    DATABASE_HEAD_BYTES, DatabaseFormat, MAX_TEXT_BYTES, OPTIONAL_TABLES, WriteMode, database_error, database_head,
    harden_database, open_existing_database, open_immutable_database, open_private_database,
};
pub use error::{Error, ErrorKind, ErrorWording, Result, shown_path};
pub use files::append_log::{append_lines, ends_in_half_a_line, take_back};
pub use files::atomic_file::{TEMPORARY_PREFIX, keep_beside, replace_atomic, replace_existing, write_atomic};
pub use files::folders::Folders;
pub use files::free_space::{Space, check_room, free_bytes, space_of};
pub use files::new_folders::NewFolders;
pub use files::npy::npy_header;
pub use files::scratch_file::{ScratchFile, Slot};
pub use files::small_file::{open_regular, read_head, read_regular, read_small_file};
pub use files::temporary_folder::temporary_folder;
pub use json::json_at::{JsonAt, JsonFields, json_from_text};
pub use json::json_reason::json_reason;
pub use json::own_json::{other_than, own_json, refuse_other_json};
pub use platform::{
    FileId, Priority, available_bytes, check_writable, create_new_private_folder, create_private_folder, file_id,
    host_name, is_link_loop, is_network_share, keep_private, leave_at_once, lower_priority, open_new_private_file,
    open_private_file, open_without_waiting, path_bytes, path_from_bytes, process_time, read_at, resident_bytes,
    since_boot_secs, special_kind, sync_folder, take_file_size_signal, take_place, thread_time, wayland_answers,
    write_at,
};
pub use process::contained::{contained, is_contained};
pub use process::lean_memory::{MALLOC_SETTINGS, begin_with_lean_memory};
pub use process::locks::{lock, note_wait, take_waited};
pub use process::progress::Progress;
pub use process::quit::{is_quit_requested, request_quit, wake_on_quit};
pub use process::threads::begin_threads;
pub use settings::{DisplayChoice, EngineChoice, GpuBatchSettings, LoadedSettings, Origin, Settings, ShownSetting};
pub use table::{ExportColumn, ExportTable, ExportValues};
pub use text::date::{UtcDate, local_secs};
pub use text::format::{
    Note, bytes_rate, clock_from_secs, khz_from_hz, length_from_secs, number, rate, secs_from_clock, shown_number,
};
pub use text::notices::{MAX_NOTICES, few_notices, more_notices};
pub use text::shown::{shown_json, shown_text};
pub use value_folder::{NamedValue, NamedValueFolder, kept_name, read_kept};
pub use version::{PROGRAM_VERSION, version};

//! Platform-specific code, one file per concern. Each function that needs one system's interface has a fallback for the
//! others, stated in its documentation. `tests/platform_code.rs` verifies that no other file uses such an interface.

mod clocks;
mod disk;
mod exec;
mod host;
mod identity;
mod memory;
mod opening;
mod paths;
mod positioned;
mod priority;
mod private;
mod replacing;
mod signals;
mod wayland;

pub use clocks::{process_time, since_boot_secs, thread_time};
pub use disk::is_network_share;
pub(super) use disk::size_and_free_bytes;
pub use exec::{leave_at_once, set_program_name, take_place};
pub use host::host_name;
pub(super) use identity::is_deleted;
pub use identity::{FileId, file_id};
pub use memory::{available_bytes, resident_bytes};
pub use opening::{is_link_loop, open_without_waiting, special_kind};
pub use paths::{path_bytes, path_from_bytes};
pub use positioned::{read_at, write_at};
pub use priority::{Priority, lower_priority};
pub use private::{
    create_new_private_folder, create_private_folder, keep_private, open_new_private_file, open_private_file,
};
pub use replacing::{check_writable, sync_folder};
pub(super) use replacing::{permissions_of_new_file, take_over_metadata};
pub use signals::take_file_size_signal;
pub use wayland::wayland_answers;

//! Returns freed memory to the system. By default, glibc keeps the freed buffers of a stroke for later allocations, in
//! one arena per thread, which increases the memory of the process by half. Without unsafe code, this can only be
//! changed with environment variables set before the process starts, so the process restarts itself.

use crate::platform::{set_program_name, take_place};

/// Environment variables of the studio's process: buffers of 256 kB and more are mapped and unmapped directly, with few
/// arenas.
pub const MALLOC_SETTINGS: [(&str, &str); 3] =
    [("MALLOC_MMAP_THRESHOLD_", "262144"), ("MALLOC_TRIM_THRESHOLD_", "1048576"), ("MALLOC_ARENA_MAX", "4")];

/// Restarts this process in place with the same arguments and [`MALLOC_SETTINGS`]. Returns if any of these variables is
/// already set (by this function or the user), if exec fails, or if the allocator is not glibc's.
pub fn begin_with_lean_memory() {
    let is_glibc = cfg!(all(target_os = "linux", target_env = "gnu"));
    if is_glibc && MALLOC_SETTINGS.iter().all(|(name, _)| std::env::var_os(name).is_none()) {
        let Ok(program) = std::env::current_exe() else { return };
        let mut arguments = std::env::args_os();
        let mut again = std::process::Command::new(program);
        if let Some(name) = arguments.next() {
            set_program_name(&mut again, &name);
        }
        let error = take_place(again.args(arguments).envs(MALLOC_SETTINGS));
        tracing::debug!(%error, "not started again");
    }
}

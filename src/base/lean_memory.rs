//! Memory that is given back to the system. glibc learns from the large buffers of one stroke to keep the room of the
//! next ones, in an arena for each of many threads: half as much again as is in use. Only variables that stand when a
//! process begins tell it otherwise without unsafe code, so the process begins once more.

use super::platform::{set_program_name, take_place};

/// What the studio's process is started with: buffers of 256 kB and more are the system's, and few arenas.
pub const LEAN_MEMORY: [(&str, &str); 3] =
    [("MALLOC_MMAP_THRESHOLD_", "262144"), ("MALLOC_TRIM_THRESHOLD_", "1048576"), ("MALLOC_ARENA_MAX", "4")];

/// Starts this program again in its own place, with its arguments and [`LEAN_MEMORY`], unless any of these is set, by
/// this or by the user. Returns where that was done before, is not possible, or means nothing.
pub fn begin_with_lean_memory() {
    let is_glibc = cfg!(all(target_os = "linux", target_env = "gnu"));
    if is_glibc && LEAN_MEMORY.iter().all(|(name, _)| std::env::var_os(name).is_none()) {
        let Ok(program) = std::env::current_exe() else { return };
        let mut arguments = std::env::args_os();
        let mut again = std::process::Command::new(program);
        if let Some(name) = arguments.next() {
            set_program_name(&mut again, &name);
        }
        let error = take_place(again.args(arguments).envs(LEAN_MEMORY));
        tracing::debug!(%error, "not started again");
    }
}

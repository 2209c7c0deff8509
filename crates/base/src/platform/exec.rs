//! Replacing this process with another program.

use std::ffi::OsStr;
use std::process::Command;

/// Runs `command` in place of this process; returns only on failure. On systems other than Unix the command runs as a
/// process of its own, and this one exits with code 0.
pub fn take_place(command: &mut Command) -> std::io::Error {
    #[cfg(unix)]
    {
        std::os::unix::process::CommandExt::exec(command)
    }
    #[cfg(not(unix))]
    match command.spawn() {
        Ok(_) => std::process::exit(0),
        Err(error) => error,
    }
}

/// Sets `argv[0]` of a program. On systems other than Unix it is always the name of its file.
pub fn set_program_name(command: &mut Command, name: &OsStr) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::arg0(command, name);
    #[cfg(not(unix))]
    let _ = (command, name);
}

/// Ends this process at once, without unwinding or running exit handlers of libraries. On systems other than Unix, the
/// handlers run.
pub fn leave_at_once(code: i32) -> ! {
    #[cfg(unix)]
    signal_hook::low_level::exit(code);
    #[cfg(not(unix))]
    std::process::exit(code)
}

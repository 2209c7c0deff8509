//! The name of this computer.

/// The computer's network name; empty if it has none, and on systems other than Linux.
pub fn host_name() -> String {
    #[cfg(unix)]
    {
        std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned()
    }
    #[cfg(not(unix))]
    {
        String::new()
    }
}

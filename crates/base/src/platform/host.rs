//! Name of this computer.

/// Its network name. Empty on systems other than Unix, and if there is none.
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

//! What this computer is called.

/// Its name in the network. Other systems than Unix, and those without one to ask, give an empty one.
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

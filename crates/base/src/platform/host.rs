//! What this computer is called.

/// Its name in the network; empty where there is none to ask.
pub fn host_name() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned()
}

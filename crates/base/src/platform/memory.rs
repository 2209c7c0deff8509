//! Memory use of this process, and memory available.

/// Resident memory of this process in bytes. `None` except on Linux.
pub fn resident_bytes() -> Option<u64> {
    #[cfg(unix)]
    {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
    }
    #[cfg(not(unix))]
    None
}

/// Memory in bytes that programs can use without swapping. `None` except on Linux.
pub fn available_bytes() -> Option<u64> {
    #[cfg(unix)]
    {
        let memory = std::fs::read_to_string("/proc/meminfo").ok()?;
        let line = memory.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
    }
    #[cfg(not(unix))]
    None
}

//! How much memory this process holds.

/// Bytes of memory in use. Elsewhere than on Linux it is not known.
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

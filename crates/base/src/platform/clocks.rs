//! Processor time, and a monotonic clock shared by all processes.

use std::time::Duration;

/// Processor time of this thread so far. On systems other than Unix, the wall-clock time since the first call on any
/// thread, an upper bound.
pub fn thread_time() -> Duration {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
    }
    #[cfg(not(unix))]
    {
        static BEGAN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
        BEGAN.get_or_init(std::time::Instant::now).elapsed()
    }
}

/// Seconds since the machine started, comparable between processes and unaffected by setting the clock. On systems
/// other than Unix, seconds since 1970.
pub fn since_boot_secs() -> f64 {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    }
    #[cfg(not(unix))]
    {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map(|since| since.as_secs_f64()).unwrap_or_default()
    }
}

/// Processor time of all threads of this process so far. Zero on systems other than Unix.
pub fn process_time() -> Duration {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
    }
    #[cfg(not(unix))]
    Duration::ZERO
}

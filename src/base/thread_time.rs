//! How much of a processor a thread has had; and a clock that nobody sets, the same for every process.

use std::time::Duration;

/// The processor time of this thread so far. Where the system does not tell, the clock on the wall since the first call,
/// which is never less than what it stands for.
#[cfg(target_os = "linux")]
pub fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// The processor time of this thread so far. Where the system does not tell, the clock on the wall since the first call,
/// which is never less than what it stands for.
#[cfg(not(target_os = "linux"))]
pub fn thread_time() -> Duration {
    static BEGAN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGAN.get_or_init(std::time::Instant::now).elapsed()
}

/// Seconds since the machine started: what a process that took this one's place can compare. Whoever sets the clock on
/// the wall does not move it.
#[cfg(target_os = "linux")]
pub fn since_boot_secs() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Seconds since 1970, where no other clock is the same for every process.
#[cfg(not(target_os = "linux"))]
pub fn since_boot_secs() -> f64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map(|since| since.as_secs_f64()).unwrap_or_default()
}

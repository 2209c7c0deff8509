//! How much of a processor a thread has had.

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

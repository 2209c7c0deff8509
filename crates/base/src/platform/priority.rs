//! Scheduling priority of threads.

/// Scheduling priorities of threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// Below everything that a user sees and hears, but with a share of a machine kept busy by other programs.
    Background,
    /// Only processor time that would otherwise be idle. On a busy machine such a thread hardly runs, so nothing may
    /// wait for it alone.
    Idle,
}

/// Lowers the priority of the calling thread and of threads it starts later. No effect except on Linux, since elsewhere
/// the priority belongs to the whole process.
#[cfg(unix)]
pub fn lower_priority(priority: Priority) {
    // Against a thread of the usual priority a nice value of 5 has a quarter of a core, 19 a seventieth.
    let nice = match priority {
        Priority::Background => 5,
        Priority::Idle => 19,
    };
    if cfg!(target_os = "linux")
        && let Err(error) = rustix::process::setpriority_process(None, nice)
    {
        tracing::debug!(%error, "the priority of a thread was not lowered");
    }
}

/// No effect.
#[cfg(not(unix))]
pub fn lower_priority(_: Priority) {}

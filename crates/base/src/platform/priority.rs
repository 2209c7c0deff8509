//! Scheduling priority of threads.

/// Scheduling priorities of threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// Below everything that the user sees and hears, but with a share of the processor time even on a busy machine.
    Background,
    /// Only processor time that would otherwise be idle. On a busy machine such a thread hardly runs, so nothing may
    /// wait for it alone.
    Idle,
}

/// Lowers the priority of the calling thread and of threads it starts later. No effect except on Linux, since elsewhere
/// the priority belongs to the whole process.
#[cfg(unix)]
pub fn lower_priority(priority: Priority) {
    // Competing with a thread of normal priority for a core, nice 5 gets a quarter of its time, and nice 19 a
    // seventieth.
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

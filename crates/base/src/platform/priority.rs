//! How much of the processors a thread gets where others want them.

/// How a thread gives way to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// Behind what a user sees and hears, yet with its share on a machine that other programs keep busy.
    Background,
    /// Only otherwise idle processor time. Where the processors are never idle such a thread hardly runs: nothing may
    /// wait for it alone.
    Idle,
}

/// Lowers the priority of the calling thread, and of the threads that it starts from now on. Other systems than Linux
/// leave it as it is: there a priority is that of the whole process.
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

/// It stays as it is.
#[cfg(not(unix))]
pub fn lower_priority(_: Priority) {}

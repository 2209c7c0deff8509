//! How much of the processors a thread gets where others want them.

/// Gives the calling thread, and the threads that it starts from now on, the lowest priority. Other systems than Linux
/// leave it as it is: there a priority is that of the whole process.
#[cfg(unix)]
pub fn lower_priority() {
    const LOWEST: i32 = 19;
    if cfg!(target_os = "linux")
        && let Err(error) = rustix::process::setpriority_process(None, LOWEST)
    {
        tracing::debug!(%error, "the priority of a thread was not lowered");
    }
}

/// It stays as it is.
#[cfg(not(unix))]
pub fn lower_priority() {}

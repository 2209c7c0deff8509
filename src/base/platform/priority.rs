//! How much of the processors a thread gets where others want them.

/// Gives the calling thread, and the threads that it starts from now on, the lowest priority. Other systems than Linux
/// leave it as it is.
pub fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, LOWEST) {
        tracing::debug!(%error, "the priority of a thread was not lowered");
    }
}

#[cfg(target_os = "linux")]
const LOWEST: i32 = 19;

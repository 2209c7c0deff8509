//! Signals other than requests to quit.

use std::io::Result;

/// Handles the Unix signal for exceeding the file size limit, which would end the program in the middle of a write. The
/// write then fails as on a full disk. No effect on other systems, which lack this signal.
///
/// # Errors
/// The operating system's error; the signal then still ends the program.
pub fn take_file_size_signal() -> Result<()> {
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default())?;
    Ok(())
}

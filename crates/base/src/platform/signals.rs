//! Signals beyond those that ask a program to end.

use std::io::Result;

/// Handles the signal that Unix sends at the file size limit, which would end the program in the middle of a write. The
/// write then fails as on a full disk. No effect on other systems, which have no such signal.
///
/// # Errors
/// The system's; then the signal still ends the program.
pub fn take_file_size_signal() -> Result<()> {
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default())?;
    Ok(())
}

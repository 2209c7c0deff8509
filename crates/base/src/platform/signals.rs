//! Signals beyond those that ask a program to end.

use std::io::Result;

/// Past a limit on the size of files Unix sends a signal, by which a program ends in the middle of what it writes. Taken,
/// it leaves the write to fail as on a full disk. Elsewhere there is no such signal, and nothing to do.
///
/// # Errors
/// The system's; then the signal still ends the program.
pub fn take_file_size_signal() -> Result<()> {
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default())?;
    Ok(())
}

//! Handles Ctrl+C and SIGTERM: they cancel the work in progress, which ends like any failure, without partial or
//! temporary files. A second signal ends the program at once.

use crate::base::{Progress, lock, request_quit};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Exit code if Ctrl+C ends the program at once.
const EXIT_INTERRUPTED: i32 = 130;

static CURRENT: Mutex<Option<Progress>> = Mutex::new(None);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Makes writes beyond the file size limit fail as on a full disk, instead of ending the program.
pub(in crate::cli) fn take_file_size_signal() {
    if let Err(error) = crate::base::take_file_size_signal() {
        tracing::warn!(%error, "a limit on the size of files ends the program");
    }
}

/// Starts handling signals.
pub(in crate::cli) fn listen() {
    let listening = ctrlc::set_handler(|| {
        let current = lock(&CURRENT).clone();
        match current {
            Some(progress) if !INTERRUPTED.swap(true, Relaxed) => progress.cancel(),
            _ => std::process::exit(EXIT_INTERRUPTED),
        }
    });
    if let Err(error) = listening {
        tracing::warn!(%error, "interrupts end the program at once");
    }
}

/// Maximum time for closing the window, less than the system grants before it kills the program.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(900);

/// Starts handling signals for the window: Ctrl+C, SIGTERM and a logout close it without a question, since sessions
/// preserve unsaved work.
pub(in crate::cli) fn listen_for_window() {
    let listening = ctrlc::set_handler(|| {
        tracing::info!("asked to end");
        request_quit();
        std::thread::sleep(CLOSE_TIMEOUT);
        tracing::warn!("the window did not close in time");
        std::process::exit(0);
    });
    if let Err(error) = listening {
        tracing::warn!(%error, "signals end the program at once");
    }
}

/// Sets the work that an interrupt cancels, replacing any previous one.
pub(in crate::cli) fn watch(progress: &Progress) {
    *lock(&CURRENT) = Some(progress.clone());
    if INTERRUPTED.load(Relaxed) {
        progress.cancel();
    }
}

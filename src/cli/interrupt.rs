//! Ctrl+C and a polite kill cancel the work in progress, so that it ends as any failure does: nothing half written,
//! no temporary file left behind. A second one ends the program at once.

use crate::base::{Progress, ask_to_quit, lock};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// The exit code of a program that Ctrl+C ended.
const EXIT_INTERRUPTED: i32 = 130;

static CURRENT: Mutex<Option<Progress>> = Mutex::new(None);
static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// A file that reaches a limit on its size fails to be written, as on a full disk, and does not end the program.
pub(super) fn take_file_size_signal() {
    if let Err(error) = crate::base::take_file_size_signal() {
        tracing::warn!(%error, "a limit on the size of files ends the program");
    }
}

/// Begins to listen.
pub(super) fn listen() {
    let listening = ctrlc::set_handler(|| {
        let current = lock(&CURRENT).clone();
        match current {
            Some(progress) if !IS_INTERRUPTED.swap(true, Relaxed) => progress.cancel(),
            _ => std::process::exit(EXIT_INTERRUPTED),
        }
    });
    if let Err(error) = listening {
        tracing::warn!(%error, "interrupts end the program at once");
    }
}

/// A window that does not close by itself within this is ended: the system would soon kill it.
const CLOSING_TIME: Duration = Duration::from_millis(900);

/// The same for a window: Ctrl+C, a polite kill and a logout close it, without a question. What is in the session is
/// there already.
pub(super) fn listen_for_window() {
    let listening = ctrlc::set_handler(|| {
        tracing::info!("asked to end");
        ask_to_quit();
        std::thread::sleep(CLOSING_TIME);
        tracing::warn!("the window did not close in time");
        std::process::exit(0);
    });
    if let Err(error) = listening {
        tracing::warn!(%error, "signals end the program at once");
    }
}

/// Work that an interrupt cancels, until the next.
pub(super) fn watch(progress: &Progress) {
    *lock(&CURRENT) = Some(progress.clone());
    if IS_INTERRUPTED.load(Relaxed) {
        progress.cancel();
    }
}

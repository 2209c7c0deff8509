//! Catches panics, for the calling code to report.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Runs `work` and returns its panic as an error, for the caller to report. The program's panic hook ignores this
/// panic.
///
/// # Errors
/// The message of the panic.
pub fn contained<T>(work: impl FnOnce() -> T) -> std::thread::Result<T> {
    DEPTH.set(DEPTH.get() + 1);
    let done = catch_unwind(AssertUnwindSafe(work));
    DEPTH.set(DEPTH.get() - 1);
    done
}

/// Whether a panic on this thread would currently be caught by [`contained`].
pub fn is_contained() -> bool {
    DEPTH.get() > 0
}

//! Panics that are caught where they happen and reported by the code that catches them.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Runs `work` and returns its panic as an error, for the caller to report. The program's panic hook ignores this one.
///
/// # Errors
/// What the panic carried.
pub fn contained<T>(work: impl FnOnce() -> T) -> std::thread::Result<T> {
    DEPTH.set(DEPTH.get() + 1);
    let done = catch_unwind(AssertUnwindSafe(work));
    DEPTH.set(DEPTH.get() - 1);
    done
}

/// Whether a panic of this thread would be contained now.
pub fn is_contained() -> bool {
    DEPTH.get() > 0
}

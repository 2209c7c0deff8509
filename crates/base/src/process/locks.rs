//! Locks that measure how long each thread waits, so that tests can verify that the UI thread never blocks.

use std::cell::Cell;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

thread_local! {
    static LOCK_WAIT: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Locks a mutex. A poisoned mutex is not an error: our data behind locks is always valid.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    match mutex.try_lock() {
        Ok(guard) => guard,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => {
            let began = Instant::now();
            let guard = mutex.lock().unwrap_or_else(PoisonError::into_inner);
            note_wait(began.elapsed());
            guard
        }
    }
}

/// Adds to this thread's waiting time. For waits on anything but a lock, such as a channel.
pub fn note_wait(time: Duration) {
    LOCK_WAIT.set(LOCK_WAIT.get() + time);
}

/// Returns and resets the time that this thread has waited.
pub fn take_waited() -> Duration {
    LOCK_WAIT.take()
}

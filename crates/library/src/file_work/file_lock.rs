//! Lock files with which one process at a time claims an output.

use std::fs::{File, TryLockError};
use std::time::Duration;

/// Number and interval of retries, for locks that another process is only probing.
const N_RETRIES: u32 = 200;
const RETRY_INTERVAL: Duration = Duration::from_millis(1);

/// Result of an attempt to lock a file.
#[derive(Debug)]
pub enum FileLock {
    /// Held by this process, until the file is closed.
    Taken,
    /// Held by another process.
    Held,
    /// The file system has no locks.
    Missing(std::io::Error),
}

/// Takes the lock of a file, retrying while another process is only probing it.
pub fn try_lock(file: &File) -> FileLock {
    for _ in 0..N_RETRIES {
        match file.try_lock() {
            Ok(()) => return FileLock::Taken,
            Err(TryLockError::Error(error)) => return FileLock::Missing(error),
            Err(TryLockError::WouldBlock) if file.try_lock_shared().is_ok() => {
                if let Err(error) = file.unlock() {
                    return FileLock::Missing(error);
                }
                std::thread::sleep(RETRY_INTERVAL);
            }
            Err(TryLockError::WouldBlock) => return FileLock::Held,
        }
    }
    FileLock::Held
}

/// Whether a process currently holds the lock of a file.
pub fn is_locked(file: &File) -> bool {
    // A shared lock, so that two processes that check at once do not take each other for a holder.
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

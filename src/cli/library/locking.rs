//! Waits for the library's write lock, with a notice.

use crate::base::{Progress, Result};
use crate::cli::common::terminal::Terminal;
use crate::library::store::{LibraryLock, LibraryPlace};

pub(super) fn take_lock(place: &LibraryPlace, terminal: &Terminal, progress: &Progress) -> Result<LibraryLock> {
    let mut waiting = |holder: &str| terminal.notice(&format!("waiting for {holder}, which writes the library"));
    LibraryLock::take(place, &mut waiting, progress)
}

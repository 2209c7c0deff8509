//! Work on all files of a folder: the common part of `library add`, `features` and `paint`.
//!
//! [`walk_folder`] finds the files of a folder, [`find_files`] those of several inputs. Threads take claimed items from
//! [`FileWork`] and send their results; one thread writes these to a [`WorkSink`] (rows of a table, rows of an array,
//! or lines of a report), so that a kill at any moment loses at most the work in progress. [`WorkState`] reports
//! progress.

mod byte_queue;
mod file_lock;
mod found_files;
mod memory_budget;
mod sink;
mod state;
mod walk;

pub use byte_queue::ByteQueue;
pub use file_lock::{FileLock, is_locked, try_lock};
pub use found_files::{FoundFile, FoundFiles, find_files};
pub use memory_budget::{MemoryBudget, ReservedMemory};
pub use sink::{CRASHED, FileWork, Pace, WorkSink};
pub use state::{WorkCounts, WorkState};
pub use walk::{WalkReport, WalkRules, walk_folder};

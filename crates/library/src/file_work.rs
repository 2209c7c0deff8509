//! "This, to every file of a folder": the common part of `library add`, `features` and `paint`.
//!
//! [`walk_folder`] finds the files of a folder, [`find_files`] those of several inputs. Threads take claimed items from
//! [`FileWork`] and send what came of them; one thread writes that to a [`WorkSink`], rows of a table, rows of an array
//! or lines of a report, so that a kill at any moment takes back at most what was under way. [`WorkState`] says how far
//! it is.

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

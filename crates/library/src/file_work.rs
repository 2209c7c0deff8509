//! "This, to every file of a folder": what `library add` and `features` have in common.
//!
//! [`walk_folder`] finds the files. Threads take claimed items from [`FileWork`] and send what came of them; one thread
//! writes that to a [`WorkSink`], rows of a table or rows of an array, so that a kill at any moment takes back at most what
//! was under way. [`WorkState`] says how far it is.

mod byte_queue;
mod file_lock;
mod memory_budget;
mod sink;
mod state;
mod walk;

pub use byte_queue::ByteQueue;
pub use file_lock::{FileLock, is_locked, try_lock};
pub use memory_budget::{MemoryBudget, ReservedMemory};
pub use sink::{CRASHED, FileWork, Pace, WorkSink};
pub use state::{WorkCounts, WorkState};
pub use walk::{WalkReport, WalkRules, walk_folder};

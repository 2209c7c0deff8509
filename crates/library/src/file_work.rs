//! What `library add` and `features` have in common.

mod byte_queue;
mod memory_budget;

pub use byte_queue::ByteQueue;
pub use memory_budget::{MemoryBudget, ReservedMemory};

//! Work on many items that a GPU may process in batches: choice of engine, batch size, and fallback to the CPU.

mod batch_engine;
mod batch_size;
mod counts;
mod device;
mod kind;
mod routes;

pub use batch_engine::{BatchEngine, BatchOrder, lost_item};
pub use batch_size::{BatchSize, MAX_BATCH};
pub use counts::BatchCounts;
pub use device::{BatchAttempt, BatchDevice, BatchLimits};
pub use kind::BatchKind;
pub use routes::{EngineRates, KnownRates, MIN_ITEMS, adapter_of, is_for_device};

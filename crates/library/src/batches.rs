//! Work on many items that a GPU may do in batches: on which engine, how many at once, and what if the device fails.

mod batch_engine;
mod batch_size;
mod counts;
mod device;
mod rates;
mod routes;

pub use batch_engine::{BatchEngine, BatchKind, BatchOrder, lost_item};
pub use batch_size::{BatchSize, MOST_BATCH};
pub use counts::BatchCounts;
pub use device::{BatchAttempt, BatchDevice, BatchLimits};
pub use rates::{ProbeOrder, RatedEngine, measure_rates};
pub use routes::{LEAST_ITEMS, RouteBook, RouteDecision, SpeedRoute, decide_route};

//! Work on the queue: claims, priorities, threads that read and analyse, and the thread that writes. Results reach the
//! database only through `writer`.

pub(super) mod analysis;
pub(super) mod batch_thread;
pub(super) mod heartbeat;
pub(super) mod job_kind;
pub(super) mod lock;
pub(super) mod priority;
pub(super) mod queue;
pub(super) mod run;
pub(super) mod tally;
pub(super) mod workers;
pub(super) mod writer;

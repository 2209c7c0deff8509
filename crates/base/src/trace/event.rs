//! Events of a trace.

use std::borrow::Cow;

/// Lanes of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lane {
    /// A span on a thread of this process.
    Cpu,
    /// A pass on the GPU, measured with timestamp queries.
    GpuPass,
    /// From a submission to the GPU until its completion was observed.
    GpuWork,
}

impl Lane {
    /// Label for tables.
    pub fn label(self) -> &'static str {
        match self {
            Lane::Cpu => "CPU",
            Lane::GpuPass => "GPU pass",
            Lane::GpuWork => "GPU submit to done",
        }
    }
}

/// An event with a duration.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Name of the event.
    pub name: Cow<'static, str>,
    /// Lane of the event.
    pub lane: Lane,
    /// Thread number, counted from 1 in order of first use; for GPU events, the submitting thread.
    pub thread: u32,
    /// Start, in nanoseconds of [`now_nanos`](super::now_nanos).
    pub start_nanos: u64,
    /// Duration in nanoseconds.
    pub nanos: u64,
}

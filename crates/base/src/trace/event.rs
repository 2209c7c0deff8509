//! Events of a trace.

use std::borrow::Cow;

/// Lanes of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lane {
    /// A span on a thread of ours.
    Cpu,
    /// A pass on the GPU, measured by its timestamp queries.
    GpuPass,
    /// From a submission to the GPU until its completion was observed.
    GpuWork,
}

impl Lane {
    /// Label in tables.
    pub fn label(self) -> &'static str {
        match self {
            Lane::Cpu => "CPU",
            Lane::GpuPass => "GPU pass",
            Lane::GpuWork => "GPU submit to done",
        }
    }
}

/// Something that took time.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Name of the event.
    pub name: Cow<'static, str>,
    /// Lane of the event.
    pub lane: Lane,
    /// Thread number, from 1 in order of first use; of an event of the GPU, the thread that submitted it.
    pub thread: u32,
    /// Start time.
    pub start_nanos: u64,
    /// Duration.
    pub nanos: u64,
}

//! Events of a trace.

use std::borrow::Cow;

/// Where something took time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lane {
    /// A span on a thread of ours.
    Cpu,
    /// A pass on the device, by its own timestamps.
    GpuPass,
    /// From a submission until the device was found to be done with it.
    GpuWork,
}

impl Lane {
    /// In tables.
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
    /// What it was.
    pub name: Cow<'static, str>,
    /// Where.
    pub lane: Lane,
    /// Number of the thread, from 1 in the order in which they were first seen; 0 on the device.
    pub thread: u32,
    /// When it began.
    pub start_nanos: u64,
    /// How long it took.
    pub nanos: u64,
}

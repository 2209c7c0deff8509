//! The process: its threads, locks and memory, progress, requests to quit, and caught panics.
//! May touch: `platform` and `error`. No files.

pub(super) mod contained;
pub(super) mod lean_memory;
pub(super) mod locks;
pub(super) mod progress;
pub(super) mod quit;
pub(super) mod threads;

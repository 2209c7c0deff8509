//! Progress of work on many files.

use super::sink::FileWork;
use crate::base::{rate, resident_bytes};
use serde::Serialize;
use std::fmt;

/// Counts kept by a sink.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WorkCounts {
    /// Number of files finished.
    pub done: u64,
    /// Number of files finished by an earlier run.
    pub done_before: u64,
    /// Number of all files.
    pub files: u64,
    /// Number of batches computed in this run.
    pub batches: u64,
    /// Engine: `cpu` or `gpu`.
    pub engine: &'static str,
}

/// Progress of work on many files; as text, the end of a status line.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct WorkState {
    /// Seconds since the start.
    pub elapsed_secs: f64,
    /// Files finished, and all files.
    pub files: [u64; 2],
    /// Percentage of files finished; 0 while none has been found.
    pub percent: f64,
    /// Batches computed in this run; on the CPU each part of a file counts as one.
    pub batches: u64,
    /// Batches per second since the start.
    pub batches_per_sec: f64,
    /// Analysis memory reserved by current files, and its total.
    pub buffer_bytes: [u64; 2],
    /// The engine in use.
    pub engine: &'static str,
    /// Memory in use, if the system reports it.
    pub memory_bytes: Option<u64>,
    /// Memory limit of the analysis.
    pub budget_bytes: u64,
    /// Files per second since the start; `None` before the first.
    pub per_second: Option<f64>,
    /// Estimated seconds remaining; `None` until known.
    pub eta_secs: Option<f64>,
}

impl<C> FileWork<C> {
    /// Progress for these counts.
    pub fn state(&self, counts: WorkCounts) -> WorkState {
        let elapsed_secs = self.began.elapsed().as_secs_f64();
        let per_sec = |n: u64| n as f64 / elapsed_secs.max(1e-3);
        let WorkCounts { done, done_before, files, batches, engine } = counts;
        let per_second = Some(per_sec(done.saturating_sub(done_before))).filter(|rate| *rate > 0.0);
        WorkState {
            elapsed_secs,
            files: [done, files],
            percent: 100.0 * done as f64 / files.max(1) as f64,
            batches,
            batches_per_sec: per_sec(batches),
            buffer_bytes: [self.memory.held_bytes(), self.memory.max_bytes()],
            engine,
            memory_bytes: resident_bytes(),
            budget_bytes: self.memory.max_bytes(),
            per_second,
            eta_secs: per_second.map(|rate| files.saturating_sub(done) as f64 / rate),
        }
    }
}

impl fmt::Display for WorkState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [held, _] = self.buffer_bytes.map(|bytes| bytes / 1_000_000);
        let speed = self.per_second.map_or_else(|| "-".into(), rate);
        let eta = self.eta_secs.map_or_else(|| "-".into(), |secs| format!("{}s", secs.ceil()));
        write!(
            f,
            "{:.0}% | batches {} ({:.1}/s) | buffer {held}MB | engine {} | {speed} | ETA {eta}",
            self.percent, self.batches, self.batches_per_sec, self.engine
        )
    }
}

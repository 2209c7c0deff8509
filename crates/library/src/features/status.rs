//! Progress of a run.

use crate::base::{bytes_rate, process_time};
use crate::engine::Engine;
use crate::library::batches::BatchCounts;
use crate::library::file_work::WorkState;
use serde::Serialize;
use std::fmt;
use std::time::{Duration, Instant};

/// Phase of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Phase {
    /// Finding files and creating arrays.
    Init,
    /// Analysing files.
    Run,
    /// Finishing the last tasks.
    Drain,
    /// Syncing to disk.
    Sync,
    /// Everything is on disk.
    Done,
}

/// Progress of a run; one line as text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunStatus {
    /// Progress common to all work on many files.
    #[serde(flatten)]
    pub state: WorkState,
    /// Phase of the run.
    pub phase: Phase,
    /// Processor time since the last status, in percent of one processor.
    pub cpu_percent: f64,
    /// Memory allocated on the device, if one computes.
    pub vram_bytes: Option<u64>,
    /// Tasks not yet taken by a thread, and number of all tasks.
    pub tasks: [usize; 2],
    /// Rows written.
    pub rows: u64,
    /// Bytes read per second: the last increase of the counter, divided by the time since the increase before it; 0
    /// before the first.
    pub read_bytes_per_sec: f64,
    /// Bytes written per second, measured likewise.
    pub written_bytes_per_sec: f64,
    /// Files per task.
    pub batch: usize,
    /// Number of analysis threads.
    pub threads: usize,
    /// Time spent in device batches since the last status, as a percentage of elapsed time, at most 100.
    pub gpu_percent: Option<f64>,
    /// Bytes per second to and from a device, measured as `read_bytes_per_sec`.
    pub gpu_bytes_per_sec: Option<f64>,
}

impl fmt::Display for RunStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let phase = match self.phase {
            Phase::Init => "INIT",
            Phase::Run => "RUN",
            Phase::Drain => "DRAIN",
            Phase::Sync => "SYNC",
            Phase::Done => "DONE",
        };
        let megabytes =
            |bytes: Option<u64>| bytes.map_or_else(|| "-".into(), |bytes| format!("{}MB", bytes / 1_000_000));
        let state = &self.state;
        let [memory, vram] = [state.memory_bytes, self.vram_bytes].map(megabytes);
        let gpu = self.gpu_percent.map_or_else(|| "  -".into(), |percent| format!("{percent:>3.0}%"));
        write!(
            f,
            "[{:>6.1}s] {phase:<5}| CPU {:>3.0}% | GPU {gpu} | MEM {memory:>6} | VRAM {vram:>5} | queue {}/{} | files {}/{} | \
             rows {} | read {} | write {} | batch {} | threads {} | gpu {} | {state}",
            state.elapsed_secs,
            self.cpu_percent,
            self.tasks[0],
            self.tasks[1],
            state.files[0],
            state.files[1],
            self.rows,
            bytes_rate(self.read_bytes_per_sec),
            bytes_rate(self.written_bytes_per_sec),
            self.batch,
            self.threads,
            bytes_rate(self.gpu_bytes_per_sec.unwrap_or(0.0)),
        )
    }
}

/// Counters of a run at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counts {
    /// Tasks not yet taken by a thread, and all tasks.
    pub tasks: [usize; 2],
    /// Files finished in this run and before.
    pub files: u64,
    /// Rows written in this run and before.
    pub rows: u64,
    /// Bytes of the files read in this run.
    pub read_bytes: u64,
    /// Bytes written in this run.
    pub written_bytes: u64,
    /// Counts of the engine in this run.
    pub engine_use: BatchCounts,
}

/// Growth rate of a counter, which may grow in steps longer than the status interval.
#[derive(Debug, Clone, Copy)]
struct Flow {
    /// The last two times at which it grew, with its values.
    grown: [(Instant, u64); 2],
}

impl Flow {
    fn new(now: Instant) -> Flow {
        Flow { grown: [(now, 0); 2] }
    }

    /// The rate per second, which decreases while the counter does not change.
    fn per_sec(&mut self, now: Instant, count: u64) -> f64 {
        if count > self.grown[1].1 {
            self.grown = [self.grown[1], (now, count)];
        }
        let [(from, before), (_, after)] = self.grown;
        (after - before) as f64 / (now - from).as_secs_f64().max(1e-3)
    }
}

/// Computes status reports from counters.
pub struct RunMeter {
    /// The engine.
    engine: Engine,
    /// Number of analysis threads.
    pub threads: usize,
    files_per_task: usize,
    before: (Instant, Duration, Counts),
    /// Bytes read, written, and transferred to and from a device.
    flows: [Flow; 3],
}

impl RunMeter {
    /// The meter of a new run on an engine.
    pub fn new(engine: Engine, threads: usize, files_per_task: usize) -> RunMeter {
        let now = Instant::now();
        let before = (now, process_time(), Counts::default());
        RunMeter { engine, threads, files_per_task, before, flows: [Flow::new(now); 3] }
    }

    /// The current status. Use of the processor and the device is measured since the last status.
    pub fn status(&mut self, phase: Phase, counts: Counts, state: WorkState) -> RunStatus {
        let (at, processor_time) = (Instant::now(), process_time());
        let (before_at, before_time, before) = std::mem::replace(&mut self.before, (at, processor_time, counts));
        let secs = (at - before_at).as_secs_f64().max(1e-3);
        let eta_secs = state.eta_secs.filter(|_| phase == Phase::Run);
        let has_device = self.engine.gpu().is_some();
        let of_device = |per_sec: f64| has_device.then_some(per_sec);
        let (used, used_before) = (counts.engine_use, before.engine_use);
        let busy_secs = (used.busy_ms - used_before.busy_ms) * 1e-3;
        let [read, written, moved] = &mut self.flows;
        let read = read.per_sec(at, counts.read_bytes);
        let written = written.per_sec(at, counts.written_bytes);
        let moved = moved.per_sec(at, used.moved_bytes);
        RunStatus {
            state: WorkState { eta_secs, ..state },
            phase,
            cpu_percent: 100.0 * (processor_time - before_time).as_secs_f64() / secs,
            vram_bytes: self.engine.device_bytes(),
            tasks: counts.tasks,
            rows: counts.rows,
            read_bytes_per_sec: read,
            written_bytes_per_sec: written,
            batch: self.files_per_task,
            threads: self.threads,
            gpu_percent: of_device((100.0 * busy_secs / secs).min(100.0)),
            gpu_bytes_per_sec: of_device(moved),
        }
    }
}

//! Heartbeat: a small file beside the database with which the process working on the queue shows its progress, and that
//! it is alive.

use super::lock::LibraryLock;
use crate::base::{open_private_file, read_small_file, shown_json, since_boot_secs};
use crate::library::file_work::WorkState;
use crate::store::database::place::LibraryPlace;
use crate::store::database::side_files::{HEARTBEAT_MARK, MAX_HEARTBEAT_BYTES};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::time::{Duration, Instant};

/// Minimum interval between heartbeats.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);
/// Time without a heartbeat after which a process counts as stalled.
const STALLED_AFTER_SECS: f64 = 10.0;

/// Status of the process that works on the queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueueWork {
    /// Host name; empty if unknown.
    pub host: String,
    /// Process id.
    pub process: u32,
    /// Current phase: `scanning` while folders are walked, then `analysing`.
    pub doing: String,
    /// Files finished.
    pub done: u64,
    /// Files that were waiting when the process started, plus those queued since.
    pub queued: u64,
    /// Files that could not be analysed.
    pub failed: u64,
    /// Files per second since its start; `None` until a file is finished.
    #[serde(default)]
    pub per_second: Option<f64>,
    /// Memory of the process, if the system reports it.
    #[serde(default)]
    pub memory_bytes: Option<u64>,
    /// Memory limit of its analysis.
    #[serde(default)]
    pub budget_bytes: Option<u64>,
    /// Time of the heartbeat, from a clock that cannot be set.
    #[serde(rename = "since_boot_secs")]
    beat_at_secs: f64,
    /// Seconds since the heartbeat, if the process runs on this machine.
    #[serde(default)]
    pub silent_secs: Option<f64>,
    /// Whether the heartbeat is overdue.
    #[serde(default)]
    pub is_stalled: bool,
}

impl QueueWork {
    /// The status of the process currently working on the queue. Ignores files of dead processes, and damaged ones.
    pub(in crate::store) fn read(place: &LibraryPlace) -> Option<QueueWork> {
        if !LibraryLock::is_held(place) {
            return None;
        }
        let bytes = read_small_file(&place.heartbeat_file(), MAX_HEARTBEAT_BYTES as u64).ok()?;
        let mut work: QueueWork = serde_json::from_slice(&bytes).ok()?;
        let silent_secs = since_boot_secs() - work.beat_at_secs;
        // Times since boot are comparable only on one machine, since its last boot.
        let is_here = work.host == host_name() && silent_secs >= 0.0;
        work.silent_secs = is_here.then_some(silent_secs);
        work.is_stalled = is_here && silent_secs > STALLED_AFTER_SECS;
        Some(work)
    }

    /// A copy without times and memory, for comparing everything else.
    pub(in crate::store) fn without_times(&self) -> QueueWork {
        QueueWork { beat_at_secs: 0.0, silent_secs: None, memory_bytes: None, ..self.clone() }
    }
}

/// A heartbeat as it is written; it begins with the program's mark.
#[derive(Serialize)]
struct Sign<'a> {
    sonobrush: &'static str,
    #[serde(flatten)]
    work: &'a QueueWork,
}

/// Progress of the queue.
#[derive(Debug, Clone, Copy)]
pub struct QueueProgress {
    /// Whether folders are still being walked.
    pub is_scanning: bool,
    /// Files that were waiting when the process started, plus those queued since.
    pub queued: u64,
    /// Files that could not be analysed.
    pub failed: u64,
}

/// Writes heartbeats until it is dropped.
#[derive(Debug)]
pub struct Heartbeat {
    place: LibraryPlace,
    last: Option<Instant>,
}

impl Heartbeat {
    /// The heartbeat of the process that holds the lock.
    pub fn new(place: &LibraryPlace) -> Heartbeat {
        Heartbeat { place: place.clone(), last: None }
    }

    /// Whether the next heartbeat is due.
    pub fn is_due(&self) -> bool {
        self.last.is_none_or(|last| last.elapsed() >= HEARTBEAT_INTERVAL)
    }

    /// Writes the progress, at most once a second.
    pub fn beat(&mut self, progress: QueueProgress, state: &WorkState) {
        if !self.is_due() {
            return;
        }
        self.last = Some(Instant::now());
        let work = QueueWork {
            host: host_name(),
            process: std::process::id(),
            doing: if progress.is_scanning { "scanning" } else { "analysing" }.into(),
            done: state.files[0],
            queued: progress.queued,
            failed: progress.failed,
            per_second: state.per_second,
            memory_bytes: state.memory_bytes,
            budget_bytes: Some(state.budget_bytes),
            beat_at_secs: since_boot_secs(),
            silent_secs: None,
            is_stalled: false,
        };
        // Not fatal: the work goes on without a heartbeat.
        if let Err(error) = self.write(&work) {
            tracing::debug!(%error, "no heartbeat");
        }
    }

    /// Replaces the last heartbeat. It need not survive a power cut, so it is not synced.
    fn write(&self, work: &QueueWork) -> std::io::Result<()> {
        let new = self.place.new_heartbeat_file();
        let mut file = open_private_file(&new)?;
        file.set_len(0)?;
        let text = serde_json::to_string(&Sign { sonobrush: HEARTBEAT_MARK, work })?;
        file.write_all(shown_json(&text).as_bytes())?;
        drop(file);
        std::fs::rename(&new, self.place.heartbeat_file())
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        std::fs::remove_file(self.place.heartbeat_file()).ok();
    }
}

/// The name of this machine; empty if unknown.
fn host_name() -> String {
    let of_kernel = read_small_file("/proc/sys/kernel/hostname".as_ref(), 256).ok();
    let of_kernel = of_kernel.and_then(|bytes| String::from_utf8(bytes).ok());
    let of_user = || ["HOSTNAME", "COMPUTERNAME"].iter().find_map(|name| std::env::var(name).ok());
    of_kernel.or_else(of_user).unwrap_or_default().trim().to_owned()
}

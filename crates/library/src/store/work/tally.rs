//! Counts the work of a run by kind of job and engine.

use super::analysis::SoundFacts;
use super::job_kind::{JobKind, JobKinds};
use super::workers::BatchUpdate;
use crate::base::Result;
use crate::library::batches::{BatchCounts, BatchKind};
use crate::store::clock::now_ns;
use crate::store::database::open::LibraryStore;
use rusqlite::{Connection, params};

/// The engines, in the order of the counts.
const ENGINES: [&str; 2] = ["cpu", "gpu"];

/// A unique name for a run: its start time and process id.
pub fn run_name() -> String {
    format!("{}-{}", now_ns(), std::process::id())
}

#[derive(Debug, Clone, Copy, Default)]
struct KindTally {
    counts: BatchCounts,
    failed: u64,
    sound_secs: f64,
}

/// Counts of a run that have not been written to the database.
#[derive(Debug)]
pub struct RunTally {
    run: String,
    /// Batches of the run, including those in the database.
    pub n_batches: u64,
    has_gpu: bool,
    kinds: [[KindTally; ENGINES.len()]; JobKind::ALL.len()],
}

impl RunTally {
    /// A tally for a run.
    pub fn new(run: String) -> RunTally {
        RunTally { run, n_batches: 0, has_gpu: false, kinds: Default::default() }
    }

    /// The engine of the run: `gpu` if it was used at all.
    pub fn engine(&self) -> &'static str {
        ENGINES[usize::from(self.has_gpu)]
    }

    /// Counts an analysis, in which each job is a batch of its own.
    pub fn note(&mut self, facts: &SoundFacts) {
        self.n_batches += facts.times.len() as u64;
        for &(kind, time) in &facts.times {
            let counts = BatchCounts {
                batches: 1,
                items: 1,
                busy_ms: time.as_secs_f64() * 1e3,
                largest: 1,
                ..Default::default()
            };
            self.kinds[kind as usize][0].add(&counts, facts.sound_secs);
        }
    }

    /// Counts batched work.
    pub fn note_batch(&mut self, news: &BatchUpdate) {
        self.n_batches += news.counts.iter().map(|counts| counts.batches).sum::<u64>();
        self.has_gpu |= news.counts[1].batches > 0;
        let n_items: u64 = news.counts.iter().map(|counts| counts.items).sum();
        for (tally, counts) in self.kinds[news.kind as usize].iter_mut().zip(&news.counts) {
            tally.add(counts, news.sound_secs * counts.items as f64 / n_items.max(1) as f64);
        }
    }

    /// Counts a failure once: for the first of its jobs other than hashing.
    pub fn note_failure(&mut self, kinds: JobKinds) {
        let kind = kinds.iter().find(|kind| *kind != JobKind::Hash).unwrap_or(JobKind::Hash);
        self.kinds[kind as usize][0].failed += 1;
    }

    /// Adds the counts to the database.
    pub fn write(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let kinds = std::mem::take(&mut self.kinds);
        for (kind, tallies) in JobKind::ALL.into_iter().zip(kinds) {
            for (engine, tally) in ENGINES.into_iter().zip(tallies) {
                if !tally.is_empty() {
                    tally.write(&self.run, kind.name(), engine, connection)?;
                }
            }
        }
        Ok(())
    }
}

impl LibraryStore {
    /// Stores batched work of a command, on the CPU and on the GPU, as a run of its own. Uses the open transaction, if
    /// any.
    ///
    /// # Errors
    /// Write errors.
    pub fn note_batches(&self, kind: BatchKind, counts: &[BatchCounts; 2]) -> Result<()> {
        let run = run_name();
        for (engine, counts) in ENGINES.into_iter().zip(counts) {
            let tally = KindTally { counts: *counts, ..KindTally::default() };
            if !tally.is_empty() {
                let written = tally.write(&run, kind.command_name(), engine, self.connection());
                written.map_err(|error| self.unwritten(&error))?;
            }
        }
        Ok(())
    }
}

impl KindTally {
    fn add(&mut self, counts: &BatchCounts, sound_secs: f64) {
        self.counts.merge(counts);
        self.sound_secs += sound_secs;
    }

    fn is_empty(&self) -> bool {
        self.counts == BatchCounts::default() && self.failed == 0
    }

    fn write(&self, run: &str, kind: &str, engine: &str, connection: &Connection) -> rusqlite::Result<()> {
        let BatchCounts { batches, items, fallbacks, shrunk, busy_ms, largest, .. } = self.counts;
        let [batches, items, failed, fallbacks, shrunk, largest] =
            [batches, items, self.failed, fallbacks, shrunk, largest].map(u64::cast_signed);
        let mut insert = connection.prepare_cached(
            "INSERT INTO stats(run, kind, engine, batches, items, failed, fallbacks, shrunk, busy_ms, largest_batch,
               sound_secs) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
             ON CONFLICT DO UPDATE SET batches = batches + ?4, items = items + ?5, failed = failed + ?6,
               fallbacks = fallbacks + ?7, shrunk = shrunk + ?8, busy_ms = busy_ms + ?9,
               largest_batch = max(largest_batch, ?10), sound_secs = sound_secs + ?11",
        )?;
        let row =
            params![run, kind, engine, batches, items, failed, fallbacks, shrunk, busy_ms, largest, self.sound_secs];
        insert.execute(row).map(drop)
    }
}

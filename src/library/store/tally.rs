//! What a run did, counted by kind of job.

use super::analysis::SoundFacts;
use super::clock::now_ns;
use super::job_kind::{JobKind, JobKinds};
use rusqlite::{Connection, params};

/// The engine that does all jobs so far.
const ENGINE: &str = "cpu";

/// A name for a run that no other has: when it began, and which process it is.
pub fn run_name() -> String {
    format!("{}-{}", now_ns(), std::process::id())
}

#[derive(Debug, Clone, Copy, Default)]
struct KindTally {
    items: u64,
    failed: u64,
    busy_ms: f64,
    sound_secs: f64,
}

/// Counts of a run that are not in the database yet.
#[derive(Debug)]
pub struct RunTally {
    run: String,
    kinds: [KindTally; JobKind::ALL.len()],
}

impl RunTally {
    /// Counts of a run.
    pub fn new(run: String) -> RunTally {
        RunTally { run, kinds: Default::default() }
    }

    /// Counts an analysis.
    pub fn note(&mut self, facts: &SoundFacts) {
        for &(kind, time) in &facts.times {
            let tally = &mut self.kinds[kind as usize];
            tally.items += 1;
            tally.busy_ms += time.as_secs_f64() * 1e3;
            tally.sound_secs += facts.sound_secs;
        }
    }

    /// Counts a failure, once: by the first of its jobs that is more than the hash.
    pub fn note_failure(&mut self, kinds: JobKinds) {
        let kind = kinds.iter().find(|kind| *kind != JobKind::Hash).unwrap_or(JobKind::Hash);
        self.kinds[kind as usize].failed += 1;
    }

    /// Adds the counts to the database.
    pub fn write(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let kinds = std::mem::take(&mut self.kinds);
        for (kind, tally) in JobKind::ALL.into_iter().zip(kinds) {
            if tally.items == 0 && tally.failed == 0 {
                continue;
            }
            let items = tally.items.cast_signed();
            let mut insert = connection.prepare(
                "INSERT INTO stats(run, kind, engine, batches, items, failed, fallbacks, shrunk, busy_ms, largest_batch,
                   sound_secs) VALUES (?1, ?2, ?3, ?4, ?4, ?5, 0, 0, ?6, 1, ?7)
                 ON CONFLICT DO UPDATE SET batches = batches + ?4, items = items + ?4, failed = failed + ?5,
                   busy_ms = busy_ms + ?6, sound_secs = sound_secs + ?7",
            )?;
            let failed = tally.failed.cast_signed();
            insert.execute(params![self.run, kind.name(), ENGINE, items, failed, tally.busy_ms, tally.sound_secs])?;
        }
        Ok(())
    }
}

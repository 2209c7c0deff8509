//! Writes the lines of a run, and reports progress.

use super::line::{PaintLine, PaintStatus};
use super::progress::PaintProgress;
use super::report::{PaintTotals, ReportFile};
use crate::base::{Error, ErrorKind, Progress, Result, trace};
use crate::library::file_work::{FileWork, Pace, WorkCounts, WorkSink};
use std::time::{Duration, Instant};

/// Receives the result of each file.
pub(super) struct LineSink<'a> {
    pub work: &'a FileWork<usize>,
    pub report: Option<ReportFile>,
    pub engine: &'static str,
    pub n_files: usize,
    pub lines: Vec<PaintLine>,
    pub totals: PaintTotals,
    pub status: &'a mut dyn FnMut(&PaintProgress),
    pub status_every: Duration,
    pub reported_at: Option<Instant>,
}

impl WorkSink for LineSink<'_> {
    type Item = usize;
    type News = PaintLine;
    const PACE: Pace = Pace {
        max: 64,
        longest: Duration::from_millis(500),
        tick: Duration::from_millis(20),
        grace: Duration::from_millis(500),
    };

    fn turn(&mut self, news: Vec<PaintLine>) -> Result<Vec<usize>> {
        if news.is_empty() {
            return Ok(Vec::new());
        }
        let _span = trace::span("storing");
        if let Some(report) = &mut self.report {
            report.append(&news)?;
        }
        for line in &news {
            match line.status {
                PaintStatus::Done => self.totals.done += 1,
                PaintStatus::Failed => self.totals.failed += 1,
                PaintStatus::Skipped => self.totals.skipped += 1,
            }
        }
        self.lines.extend(news);
        Ok(Vec::new())
    }

    fn is_urgent(&self, news: &[PaintLine]) -> bool {
        self.lines.len() + news.len() >= self.n_files
    }

    fn is_over(&mut self) -> Result<bool> {
        Ok(self.lines.len() >= self.n_files)
    }

    fn report(&mut self, progress: &Progress) {
        // Cancellation is ignored here, since the run checks for it itself.
        progress.step(self.lines.len() as u64, self.n_files as u64).ok();
        if self.reported_at.is_some_and(|at| at.elapsed() < self.status_every) {
            return;
        }
        self.reported_at = Some(Instant::now());
        let counts = WorkCounts {
            done: self.lines.len() as u64,
            done_before: self.totals.skipped as u64,
            files: self.n_files as u64,
            batches: self.lines.iter().map(|line| line.edits.len() as u64).sum(),
            engine: self.engine,
        };
        (self.status)(&PaintProgress { state: self.work.state(counts), failed: self.totals.failed });
    }

    fn interrupted(&self) -> Error {
        let n_done = self.totals.done + self.totals.skipped;
        let how =
            if self.report.is_some() { "run the same command with --resume to go on" } else { "its outputs are whole" };
        Error::new(ErrorKind::Cancelled, format!("was interrupted after {n_done} of {} files; {how}", self.n_files))
    }
}

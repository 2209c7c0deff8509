//! The loop of work on many files: threads analyse, one thread writes.

use super::byte_queue::ByteQueue;
use super::memory_budget::MemoryBudget;
use crate::base::{Error, ErrorKind, Progress, Result, lock};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, Scope};
use std::time::{Duration, Instant};

/// Error message of a run in which an analysis panicked.
pub const CRASHED: &str = "an analysis crashed; what is done can be resumed";

/// Work on many files, shared by its threads. `C` is the unit a thread takes: a file, or a task of some.
pub struct FileWork<C> {
    /// Claimed items that no thread has taken yet.
    pub claimed: ByteQueue<C>,
    /// Memory budget of the analysis.
    pub memory: Arc<MemoryBudget>,
    /// Cancels the running threads.
    pub stop: Progress,
    pub(super) began: Instant,
    is_ending: AtomicBool,
    failed: Mutex<Option<Error>>,
}

/// When to write results: once either limit is reached.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Number of pending results.
    pub max: usize,
    /// Time that the first of them has waited.
    pub longest: Duration,
    /// Interval at which the writing thread checks.
    pub tick: Duration,
    /// Time that threads get to finish after the user interrupts.
    pub grace: Duration,
}

/// Destination of the results, written in turns: each is either completely on disk when a turn returns, or not at all.
pub trait WorkSink {
    /// Items that threads take.
    type Item;
    /// Results that threads send.
    type News;
    /// When to write.
    const PACE: Pace;

    /// Writes results, if any, and claims the next items.
    ///
    /// # Errors
    /// Write errors, which end the run.
    fn turn(&mut self, news: Vec<Self::News>) -> Result<Vec<Self::Item>>;

    /// Whether to write results at once, since threads are idle or the user is waiting.
    fn is_urgent(&self, news: &[Self::News]) -> bool;

    /// Whether nothing is left to do.
    ///
    /// # Errors
    /// Read errors.
    fn is_over(&mut self) -> Result<bool>;

    /// Reports progress, if due.
    fn report(&mut self, progress: &Progress);

    /// The error after an interrupt, with advice on how to resume.
    fn interrupted(&self) -> Error;
}

impl<C> FileWork<C> {
    /// Work without claimed items. `stop` pauses with the job of this progress, but is cancelled separately.
    pub fn new(progress: &Progress, memory: Arc<MemoryBudget>) -> FileWork<C> {
        FileWork {
            claimed: ByteQueue::new(0),
            memory,
            stop: progress.beside(),
            began: Instant::now(),
            is_ending: AtomicBool::new(false),
            failed: Mutex::default(),
        }
    }

    /// The next item for a thread, once there is one; `None` once no more will come.
    pub fn next(&self) -> Option<C> {
        if self.is_ending.load(Relaxed) { None } else { self.claimed.take() }
    }

    /// Ends the run with an error, unless another thread has already done so. Running items are finished.
    pub fn fail(&self, error: Error) {
        self.is_ending.store(true, Relaxed);
        lock(&self.failed).get_or_insert(error);
    }

    /// Starts a thread. If it panics, the run ends with an error.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit) if the system cannot start a thread.
    pub fn spawn<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        name: &str,
        work: impl FnOnce() + Send + 'scope,
    ) -> Result<()>
    where
        C: Send,
    {
        let work = move || {
            if catch_unwind(AssertUnwindSafe(work)).is_err() {
                self.fail(Error::new(ErrorKind::Internal, CRASHED));
            }
        };
        Builder::new().name(name.to_owned()).spawn_scoped(scope, work).map(drop).map_err(|error| {
            Error::new(ErrorKind::Limit, format!("the system refused to start a thread ({error}); close programs"))
        })
    }

    /// Writes the results of threads, claims items and reports, until nothing is left, the user interrupts, or an error
    /// occurs. Items claimed but not started by then stay claimed.
    ///
    /// # Errors
    /// Errors of the sink; the first error of any thread; cancelled.
    pub fn run<S: WorkSink<Item = C>>(
        &self,
        sink: &mut S,
        from_threads: &Receiver<S::News>,
        progress: &Progress,
    ) -> Result<()> {
        let ran = self.turns(sink, from_threads, progress);
        self.is_ending.store(true, Relaxed);
        ran
    }

    fn turns<S: WorkSink<Item = C>>(
        &self,
        sink: &mut S,
        from_threads: &Receiver<S::News>,
        progress: &Progress,
    ) -> Result<()> {
        let (mut news, mut first_at) = (Vec::new(), None);
        let mut ending: Option<(Instant, Error)> = None;
        loop {
            let is_open = gather(sink, from_threads, &mut news, &mut first_at);
            let is_due = !is_open || progress.is_cancelled() || is_due::<S>(&news, first_at) || sink.is_urgent(&news);
            if is_due || news.is_empty() {
                first_at = None;
                for item in sink.turn(std::mem::take(&mut news))? {
                    self.claimed.put(item, 0).ok();
                }
            }
            sink.report(progress);
            let failed = lock(&self.failed).take();
            let ends = failed.or_else(|| progress.is_cancelled().then(|| sink.interrupted()));
            if let (Some(error), None) = (ends, &ending) {
                self.is_ending.store(true, Relaxed);
                ending = Some((Instant::now(), error));
            }
            match &ending {
                Some((_, error)) if !is_open || S::PACE.grace.is_zero() => return Err(error.clone()),
                Some((since, _)) if progress.is_cancelled() && since.elapsed() >= S::PACE.grace => self.stop.cancel(),
                Some(_) => {}
                None if sink.is_over()? => return Ok(()),
                None if is_open => {}
                None => return Err(Error::new(ErrorKind::Internal, "the threads that analyse ended early")),
            }
        }
    }
}

fn is_due<S: WorkSink>(news: &[S::News], first_at: Option<Instant>) -> bool {
    news.len() >= S::PACE.max || first_at.is_some_and(|at| at.elapsed() >= S::PACE.longest)
}

/// Waits for results for at most one tick, or less if a write is due. Returns whether more can come.
fn gather<S: WorkSink>(
    sink: &S,
    from_threads: &Receiver<S::News>,
    news: &mut Vec<S::News>,
    first_at: &mut Option<Instant>,
) -> bool {
    let until = Instant::now() + S::PACE.tick;
    loop {
        let due_at = first_at.map_or(until, |at| until.min(at + S::PACE.longest));
        match from_threads.recv_timeout(due_at.saturating_duration_since(Instant::now())) {
            Ok(new) => {
                first_at.get_or_insert_with(Instant::now);
                news.push(new);
                if news.len() >= S::PACE.max || sink.is_urgent(news) {
                    return true;
                }
            }
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}

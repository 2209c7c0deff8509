//! Jobs: work off the UI thread that reports progress, can be cancelled, and has one result.

use crate::base::{Error, ErrorKind, Progress, Result, lock, trace};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Arc, Mutex};

type Work = Box<dyn FnOnce() + Send>;

/// Starts jobs. Clones share the queue.
#[derive(Clone)]
pub struct Jobs(Arc<Execution>);

enum Execution {
    /// A thread per job; `wake` is called at its end, so that the UI thread checks for results.
    Threads { wake: Box<dyn Fn() + Send + Sync> },
    /// Work waits in the queue until a test calls [`run_until_idle`](Jobs::run_until_idle).
    Manual { queue: Mutex<VecDeque<Work>> },
}

/// A started job. Dropping it cancels it and discards its result.
pub struct Job<T> {
    progress: Progress,
    answer: Receiver<Result<T>>,
}

impl Jobs {
    /// Runs each job on a thread of its own; `wake` is called after each job.
    pub fn threads(wake: impl Fn() + Send + Sync + 'static) -> Jobs {
        Jobs(Arc::new(Execution::Threads { wake: Box::new(wake) }))
    }

    /// Queues jobs for [`run_until_idle`](Jobs::run_until_idle), for tests.
    pub fn manual() -> Jobs {
        Jobs(Arc::new(Execution::Manual { queue: Mutex::default() }))
    }

    /// Starts `work` on a thread with this name. A panic becomes an error of kind `Internal`.
    pub fn spawn<T: Send + 'static>(
        &self,
        name: &'static str,
        work: impl FnOnce(&Progress) -> Result<T> + Send + 'static,
    ) -> Job<T> {
        let progress = Progress::new();
        let (send, answer) = channel();
        let theirs = progress.clone();
        let run = move || {
            let _span = trace::span(name);
            let result = catch_unwind(AssertUnwindSafe(|| work(&theirs))).unwrap_or_else(|_| {
                Err(Error::new(
                    ErrorKind::Internal,
                    format!("the {name} worker stopped unexpectedly; nothing was changed, see the log"),
                ))
            });
            send.send(result).ok();
        };
        match &*self.0 {
            Execution::Threads { wake } => {
                let how = self.0.clone();
                let run = move || {
                    run();
                    if let Execution::Threads { wake } = &*how {
                        wake();
                    }
                };
                // On failure `run`, and the sender in it, are dropped, which `poll` reports.
                if let Err(error) = std::thread::Builder::new().name(name.into()).spawn(run) {
                    tracing::error!(%error, name, "no thread for a job");
                    wake();
                }
            }
            Execution::Manual { queue } => {
                let progress = progress.clone();
                let run = move || {
                    // A suspended job would block forever: the code that would resume it runs on this thread.
                    progress.hold(false);
                    run();
                };
                lock(queue).push_back(Box::new(run));
            }
        }
        Job { progress, answer }
    }

    /// Wakes the window to check for results; does nothing with manual jobs.
    pub fn wake(&self) {
        if let Execution::Threads { wake } = &*self.0 {
            wake();
        }
    }

    /// Runs queued jobs, and those that they queue, on this thread; returns their number. Only for manual jobs.
    pub fn run_until_idle(&self) -> usize {
        let Execution::Manual { queue } = &*self.0 else { return 0 };
        let mut n_run = 0;
        while let Some(work) = { lock(queue).pop_front() } {
            work();
            n_run += 1;
        }
        n_run
    }
}

impl<T> Job<T> {
    /// A job that is already done.
    pub fn answered(result: Result<T>) -> Job<T> {
        let (send, answer) = channel();
        send.send(result).ok();
        Job { progress: Progress::new(), answer }
    }

    /// Takes the result once it is available; never blocks. Must not be called again after it returned a result.
    pub fn poll(&mut self) -> Option<Result<T>> {
        match self.answer.try_recv() {
            Ok(answer) => Some(answer),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                let what = "no thread could be started for it; close other programs, or raise the process limit \
                            (ulimit -u), and try again";
                Some(Err(Error::new(ErrorKind::Limit, what)))
            }
        }
    }

    /// The job's progress, through which it can also be cancelled or suspended.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.progress.cancel();
    }
}

//! A short pause in which no other thread submits: wgpu configures a window's surface only while the device is idle,
//! and reports an error if another thread submits meanwhile.

use crate::base::lock;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

/// Longest pause: the window may wait for a thread that waits here.
const MAX_PAUSE: Duration = Duration::from_millis(500);

/// The pause of a device's submissions, if one is in progress.
#[derive(Debug, Default)]
pub(in crate::gpu) struct Pause {
    running: Mutex<Option<Running>>,
    ended: Condvar,
}

#[derive(Debug, Clone, Copy)]
struct Running {
    /// The one thread that may submit.
    owner: ThreadId,
    until: Instant,
}

impl Pause {
    /// Pauses the submissions of all threads but this one, until [`end`](Pause::end) or for [`MAX_PAUSE`].
    pub fn begin(&self) {
        let running = Running { owner: std::thread::current().id(), until: Instant::now() + MAX_PAUSE };
        *lock(&self.running) = Some(running);
    }

    pub fn end(&self) {
        *lock(&self.running) = None;
        self.ended.notify_all();
    }

    /// Waits until this thread may submit.
    pub fn wait(&self) {
        let mut running = lock(&self.running);
        while let Some(Running { owner, until }) = *running {
            let left = until.saturating_duration_since(Instant::now());
            if owner == std::thread::current().id() || left.is_zero() {
                return;
            }
            (running, _) = self.ended.wait_timeout(running, left).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

//! Turns at an OpenGL device. Its context belongs to one thread at a time, behind a mutex of the driver's wrapper that
//! is unfair and panics after seconds of waiting. So threads take turns here in order of arrival, and none waits for
//! the device outside its turn.

use crate::base::lock;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::ThreadId;

/// A reentrant lock, granted in the order of requests.
#[derive(Debug, Default)]
pub(in crate::gpu) struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Number of the next thread to queue.
    next: u64,
    /// Number of the thread whose turn it is.
    serving: u64,
    owner: Option<ThreadId>,
    /// Number of times that the owner has taken the lock.
    depth: u32,
}

/// A turn, held until it is dropped.
#[derive(Debug)]
pub(in crate::gpu) struct Turn<'a>(&'a Turns);

impl Turns {
    /// Waits for a turn.
    pub fn take(&self) -> Turn<'_> {
        self.enter(1);
        Turn(self)
    }

    /// Runs `work`, which does not touch the device, while others take their turns; then takes back this thread's turn,
    /// if it had one.
    pub fn away<T>(&self, work: impl FnOnce() -> T) -> T {
        let depth = {
            let mut state = lock(&self.state);
            let is_own = state.owner == Some(std::thread::current().id());
            let depth = if is_own { state.depth } else { 0 };
            if is_own {
                self.pass_on(&mut state);
            }
            depth
        };
        let done = work();
        if depth > 0 {
            self.enter(depth);
        }
        done
    }

    fn enter(&self, depth: u32) {
        let own = std::thread::current().id();
        let mut state = lock(&self.state);
        if state.owner == Some(own) {
            state.depth += depth;
            return;
        }
        let number = state.next;
        state.next += 1;
        while state.serving != number {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        (state.owner, state.depth) = (Some(own), depth);
    }

    fn pass_on(&self, state: &mut State) {
        (state.owner, state.depth) = (None, 0);
        state.serving += 1;
        self.changed.notify_all();
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        if state.owner != Some(std::thread::current().id()) {
            return;
        }
        state.depth -= 1;
        if state.depth == 0 {
            self.0.pass_on(&mut state);
        }
    }
}

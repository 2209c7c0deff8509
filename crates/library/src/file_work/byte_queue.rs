//! A queue between threads, bounded by the bytes of its items.

use crate::base::lock;
use std::collections::VecDeque;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A queue, first in, first out. Producers wait for space, consumers for an item.
pub struct ByteQueue<T> {
    state: Mutex<QueueState<T>>,
    changed: Condvar,
    max_bytes: u64,
}

struct QueueState<T> {
    items: VecDeque<(T, u64)>,
    n_bytes: u64,
    is_closed: bool,
}

impl<T> ByteQueue<T> {
    /// A queue that holds at most `max_bytes`, or one item of any size.
    pub fn new(max_bytes: u64) -> ByteQueue<T> {
        let state = QueueState { items: VecDeque::new(), n_bytes: 0, is_closed: false };
        ByteQueue { state: Mutex::new(state), changed: Condvar::new(), max_bytes }
    }

    /// Adds an item as soon as there is space; returns the item if the queue was closed.
    pub fn put(&self, item: T, n_bytes: u64) -> Result<(), T> {
        let mut state = lock(&self.state);
        while !state.is_closed && !state.items.is_empty() && state.n_bytes.saturating_add(n_bytes) > self.max_bytes {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.is_closed {
            return Err(item);
        }
        state.n_bytes += n_bytes;
        state.items.push_back((item, n_bytes));
        self.changed.notify_all();
        Ok(())
    }

    /// The next item; `None` once the queue is closed and empty.
    pub fn take(&self) -> Option<T> {
        let mut state = lock(&self.state);
        loop {
            if let Some(item) = self.pop(&mut state) {
                return Some(item);
            }
            if state.is_closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The next item, if it comes within `patience`; `Disconnected` once the queue is closed and empty.
    pub fn take_within(&self, patience: Duration) -> Result<T, RecvTimeoutError> {
        let until = Instant::now() + patience;
        let mut state = lock(&self.state);
        loop {
            if let Some(item) = self.pop(&mut state) {
                return Ok(item);
            }
            if state.is_closed {
                return Err(RecvTimeoutError::Disconnected);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(RecvTimeoutError::Timeout);
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn pop(&self, state: &mut QueueState<T>) -> Option<T> {
        let (item, n_bytes) = state.items.pop_front()?;
        state.n_bytes -= n_bytes;
        self.changed.notify_all();
        Some(item)
    }

    /// Number of waiting items.
    pub fn n_waiting(&self) -> usize {
        lock(&self.state).items.len()
    }

    /// Closes the queue: no items can be added, but those in it can still be taken.
    pub fn close(&self) {
        lock(&self.state).is_closed = true;
        self.changed.notify_all();
    }
}

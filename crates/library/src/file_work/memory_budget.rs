//! Memory shared by the threads of a job: each reserves memory for its next file, and waits while others hold it.

use crate::base::{Error, Progress, Result, available_bytes, lock};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Assumed memory if the system does not report it.
const DEFAULT_BYTES: u64 = 4 << 30;
/// Interval at which a waiting thread checks for cancellation.
const TICK: Duration = Duration::from_millis(20);

/// A number of bytes shared by threads, first come, first served. A request larger than the budget is granted when
/// nothing else is reserved.
#[derive(Debug)]
pub struct MemoryBudget {
    max_bytes: u64,
    state: Mutex<BudgetState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct BudgetState {
    held_bytes: u64,
    n_holders: usize,
    /// Tickets of the waiting threads, in order, so that later, smaller requests do not overtake a large one.
    waiting: VecDeque<u64>,
    n_requested: u64,
}

impl MemoryBudget {
    /// A budget of `max_bytes`.
    pub fn new(max_bytes: u64) -> Arc<MemoryBudget> {
        Arc::new(MemoryBudget { max_bytes, state: Mutex::default(), changed: Condvar::new() })
    }

    /// Half of the available memory, and at most `requested_bytes`.
    pub fn of(requested_bytes: Option<u64>) -> Arc<MemoryBudget> {
        let half = available_bytes().unwrap_or(DEFAULT_BYTES) / 2;
        MemoryBudget::new(requested_bytes.map_or(half, |requested| requested.min(half)))
    }

    /// Size of the budget.
    pub fn max_bytes(&self) -> u64 {
        self.max_bytes
    }

    /// Bytes currently reserved.
    pub fn held_bytes(&self) -> u64 {
        lock(&self.state).held_bytes
    }

    /// Reserves bytes once they are free and all earlier requests are served.
    ///
    /// # Errors
    /// [`Cancelled`](crate::base::ErrorKind::Cancelled).
    pub fn reserve(self: &Arc<Self>, n_bytes: u64, progress: &Progress) -> Result<ReservedMemory> {
        let mut state = lock(&self.state);
        let number = state.n_requested;
        state.n_requested += 1;
        state.waiting.push_back(number);
        loop {
            let is_next = state.waiting.front() == Some(&number);
            if is_next && state.has_room(n_bytes, self.max_bytes) {
                break;
            }
            if progress.is_cancelled() {
                state.waiting.retain(|waiting| *waiting != number);
                drop(state);
                // The next waiting thread may have room.
                self.changed.notify_all();
                return Err(Error::cancelled());
            }
            let woken = self.changed.wait_timeout(state, TICK);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.waiting.pop_front();
        state.held_bytes = state.held_bytes.saturating_add(n_bytes);
        state.n_holders += 1;
        let others_wait = !state.waiting.is_empty();
        drop(state);
        if others_wait {
            self.changed.notify_all();
        }
        Ok(ReservedMemory { budget: self.clone(), n_bytes })
    }
}

impl BudgetState {
    fn has_room(&self, n_bytes: u64, max_bytes: u64) -> bool {
        self.n_holders == 0 || self.held_bytes.saturating_add(n_bytes) <= max_bytes
    }
}

/// Reserved bytes, released on drop.
#[derive(Debug)]
pub struct ReservedMemory {
    budget: Arc<MemoryBudget>,
    n_bytes: u64,
}

impl Drop for ReservedMemory {
    fn drop(&mut self) {
        let mut state = lock(&self.budget.state);
        state.held_bytes = state.held_bytes.saturating_sub(self.n_bytes);
        state.n_holders -= 1;
        if state.n_holders == 0 {
            state.held_bytes = 0;
        }
        drop(state);
        self.budget.changed.notify_all();
    }
}

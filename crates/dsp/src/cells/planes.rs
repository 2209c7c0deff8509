//! A pool of buffers for planes of cells: every step of a stroke needs buffers of similar sizes, and fresh memory costs
//! a page fault per page.

use crate::base::lock;
use std::sync::Mutex;

/// Unused buffers, roughly from the least to the most recently returned.
static FREE_BUFFERS: Mutex<Vec<Vec<f32>>> = Mutex::new(Vec::new());

/// Maximum total size of unused buffers, in values: 64 MiB.
const MAX_VALUES: usize = 16 << 20;

/// Minimum number of values of a pooled buffer; smaller ones are cheap to allocate.
const MIN_VALUES: usize = 16 << 10;

/// Maximum number of unused buffers, which bounds the search.
const MAX_BUFFERS: usize = 64;

/// A buffer of `n` unspecified values.
pub fn take(n: usize) -> Vec<f32> {
    let mut buffer = taken(n).unwrap_or_default();
    // Without a pooled buffer: `vec!` allocates zeroed memory, which `resize` would write again.
    if buffer.capacity() < n {
        return vec![0.0; n];
    }
    buffer.resize(n, 0.0);
    buffer
}

/// A buffer of `n` zeros.
pub fn zeros(n: usize) -> Vec<f32> {
    let Some(mut buffer) = taken(n) else { return vec![0.0; n] };
    buffer.clear();
    buffer.resize(n, 0.0);
    buffer
}

/// Takes the smallest buffer with a capacity of `n` to `8 n` values from the pool.
fn taken(n: usize) -> Option<Vec<f32>> {
    if n < MIN_VALUES {
        return None;
    }
    let mut waiting = lock(&FREE_BUFFERS);
    let capacities = waiting.iter().map(Vec::capacity).enumerate().rev();
    let (at, _) =
        capacities.filter(|(_, capacity)| (n..=8 * n).contains(capacity)).min_by_key(|(_, capacity)| *capacity)?;
    Some(waiting.swap_remove(at))
}

/// Adds buffers of `n` values for a first stroke to the pool, with their pages already touched.
pub fn ready(n: usize) {
    const BUFFERS: usize = 8;
    let all: Vec<Vec<f32>> = (0..BUFFERS).map(|_| vec![f32::MIN_POSITIVE; n]).collect();
    all.into_iter().for_each(give);
}

/// Returns a buffer to the pool.
pub fn give(buffer: Vec<f32>) {
    if buffer.capacity() < MIN_VALUES || buffer.capacity() > MAX_VALUES / 4 {
        return;
    }
    let mut waiting = lock(&FREE_BUFFERS);
    waiting.push(buffer);
    let mut n_values: usize = waiting.iter().map(Vec::capacity).sum();
    while n_values > MAX_VALUES || waiting.len() > MAX_BUFFERS {
        n_values -= waiting.remove(0).capacity();
    }
}

/// Frees all unused buffers.
pub fn forget() {
    lock(&FREE_BUFFERS).clear();
}

//! A pool of buffers that grow with a region: all steps of a stroke need the same ones, and fresh memory costs a fault
//! per page.

use crate::base::lock;
use std::sync::Mutex;

/// Buffers that wait, the one given back last at the end.
static FREE_BUFFERS: Mutex<Vec<Vec<f32>>> = Mutex::new(Vec::new());

/// Maximum size of unused buffers: 64 MB.
const MAX_VALUES: usize = 16 << 20;

/// Smaller ones are quick to make.
const MIN_VALUES: usize = 16 << 10;

/// Maximum number of buffers searched.
const MAX_BUFFERS: usize = 64;

/// A buffer of `n` values, any.
pub fn take(n: usize) -> Vec<f32> {
    let mut buffer = taken(n).unwrap_or_default();
    // One that is too small would be copied first.
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

/// Some buffer for `n` values that is not far too large.
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

/// Allocates buffers for a first stroke, with their pages touched.
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

/// Frees unused buffers, when no sound is open.
pub fn forget() {
    lock(&FREE_BUFFERS).clear();
}

//! Random phases.

use crate::dsp::CellRect;
use crate::dsp::voices::chance;
use rayon::prelude::*;

/// Key of [`chance`] that separates these phases from other uses of the same seed.
const STREAM: u64 = 5;

/// A phase in turns, [-0.5, 0.5), for each cell of a rectangle, frame-major: a function of the seed, the signal's
/// number, bin and frame, and so independent of the rectangle.
pub fn random_turns(seed: u64, signal: u64, rect: &CellRect) -> Vec<f32> {
    let mut turns = vec![0.0; rect.n_cells()];
    let n_bins = rect.bins.len().max(1);
    turns.par_chunks_mut(n_bins).enumerate().with_min_len(8).for_each(|(row, turns)| {
        let frame = (rect.frames.start + row) as u64;
        for (turns, bin) in turns.iter_mut().zip(rect.bins.clone()) {
            let bits = chance(&[seed, STREAM, signal, bin as u64, frame]);
            *turns = ((bits >> 40) as f64 / (1u64 << 24) as f64 - 0.5) as f32;
        }
    });
    turns
}

//! Repeated round trips from cells to samples and back, for iterations towards consistent cells.

use super::{FRAMES_PER_TASK, Stft};
use rayon::prelude::*;
use rustfft::num_complex::Complex32;

/// A run of frames of a signal.
pub struct FrameRun {
    /// First sample under the first frame; may lie before the signal.
    pub first_sample: i64,
    /// Number of samples of the signal; all others are 0.
    pub n_signal_samples: u64,
    /// Number of frames of the signal.
    pub n_signal_frames: usize,
}

/// Buffers for one frame.
struct Buffers {
    samples: Vec<f32>,
    spectrum: Vec<Complex32>,
    scratch: Vec<Complex32>,
}

impl Stft {
    /// Repeats `n` times: the [inverse](Stft::inverse) of the bins that `put` writes for each frame, then the
    /// [forward](Stft::forward) transform, passed to `take` with the index of the round. `rows` holds the caller's data
    /// for each frame.
    pub fn round_trips<T: Send + Sync>(
        &self,
        run: &FrameRun,
        n: usize,
        rows: &mut [T],
        put: impl Fn(usize, &T, &mut [Complex32]) + Sync,
        take: impl Fn(usize, usize, &mut T, &[Complex32]) + Sync,
    ) {
        let [mut from, mut to] = [(); 2].map(|()| vec![0.0; self.n_samples_under(rows.len())]);
        let finish = |offset: usize, samples: &mut [f32]| self.finish_run(run, offset, samples);
        let first = |frame: usize, spectrum: &mut [Complex32]| {
            put(frame, &rows[frame], spectrum);
            true
        };
        if n > 0 {
            self.overlap_add_frames(rows.len(), &mut from, first, finish);
        }
        // Later rounds take and put each frame in one pass, while it is in the cache.
        for round in 1..n {
            let each = |frame: usize, row: &mut T, buffers: &mut Buffers, out: &mut [f32]| {
                self.forward_frame(&from, frame, &mut buffers.samples, &mut buffers.scratch, &mut buffers.spectrum);
                take(round - 1, frame, row, &buffers.spectrum);
                put(frame, row, &mut buffers.spectrum);
                self.inverse_frame(&mut buffers.spectrum, &mut buffers.samples, &mut buffers.scratch, out);
            };
            self.overlap_add_rows(rows, &mut to, each, finish);
            std::mem::swap(&mut from, &mut to);
        }
        let rows = rows.par_iter_mut().enumerate().with_min_len(FRAMES_PER_TASK);
        rows.filter(|_| n > 0).for_each_init(
            || self.buffers(),
            |buffers, (frame, row)| {
                self.forward_frame(&from, frame, &mut buffers.samples, &mut buffers.scratch, &mut buffers.spectrum);
                take(n - 1, frame, row, &buffers.spectrum);
            },
        );
    }

    fn buffers(&self) -> Buffers {
        let n_scratch = self.forward.get_scratch_len().max(self.inverse.get_scratch_len());
        Buffers {
            samples: self.forward.make_input_vec(),
            spectrum: self.forward.make_output_vec(),
            scratch: vec![Complex32::default(); n_scratch],
        }
    }

    /// Overlap-adds the output of `each` for every row, in the order of
    /// [`overlap_add_frames`](Stft::overlap_add_frames).
    fn overlap_add_rows<T: Send>(
        &self,
        rows: &mut [T],
        samples: &mut [f32],
        each: impl Fn(usize, &mut T, &mut Buffers, &mut [f32]) + Sync,
        finish: impl Fn(usize, &mut [f32]) + Sync,
    ) {
        let hop = self.params.hop;
        let step = FRAMES_PER_TASK * hop;
        let task = |buffers: &mut Buffers, first: usize, rows: &mut [T], out: &mut [f32]| {
            for (i, row) in rows.iter_mut().take(FRAMES_PER_TASK).enumerate() {
                each(first + i, row, buffers, &mut out[i * hop..]);
            }
        };
        let n_pairs = |n_samples: usize| n_samples.div_ceil(2 * step);
        let even_rows = every_other(rows, n_pairs(samples.len()));
        let evens = samples.par_chunks_mut(2 * step).zip(even_rows).enumerate();
        evens.for_each_init(
            || self.buffers(),
            |buffers, (i, (out, rows))| {
                out.fill(0.0);
                task(buffers, 2 * i * FRAMES_PER_TASK, rows, out);
            },
        );
        let (first, rest) = samples.split_at_mut(step.min(samples.len()));
        finish(0, first);
        let odd_rows = rows.get_mut(FRAMES_PER_TASK..).unwrap_or_default();
        let odd_rows = every_other(odd_rows, n_pairs(rest.len()));
        let odds = rest.par_chunks_mut(2 * step).zip(odd_rows).enumerate();
        odds.for_each_init(
            || self.buffers(),
            |buffers, (i, (out, rows))| {
                task(buffers, (2 * i + 1) * FRAMES_PER_TASK, rows, out);
                finish(step + 2 * i * step, out);
            },
        );
    }

    /// Divides by `sum(w^2)`, and clears everything outside the signal.
    fn finish_run(&self, run: &FrameRun, offset: usize, samples: &mut [f32]) {
        let first = run.first_sample + offset as i64;
        self.divide_run(samples, first, run.n_signal_frames);
        let until = |end: i64| (end - first).clamp(0, samples.len() as i64) as usize;
        let (start, end) = (until(0), until(run.n_signal_samples as i64));
        samples[end..].fill(0.0);
        samples[..start].fill(0.0);
    }
}

/// The rows in chunks of two tasks, of which the caller uses only the first half, and empty chunks to a total of at
/// least `n`.
fn every_other<T: Send>(rows: &mut [T], n: usize) -> Vec<&mut [T]> {
    let mut tasks: Vec<&mut [T]> = rows.chunks_mut(2 * FRAMES_PER_TASK).collect();
    tasks.resize_with(n.max(tasks.len()), Default::default);
    tasks
}

//! Declipping by social sparsity: of all sounds that agree with the unclipped samples, and exceed the levels elsewhere,
//! finds the one with the fewest strong neighbourhoods of cells.
//!
//! Source: Siedenburg, Kowalski and Doerfler, "Audio declipping with social sparsity", ICASSP 2014: a squared hinge on
//! the clipped samples, relaxed iterative shrinkage by persistent empirical Wiener, on a tight STFT with a sine window.

use super::levels::ClipLevels;
use crate::base::{Progress, Result};
use crate::dsp::FftPlans;
use crate::dsp::numeric::vectors::vectorized;
use crate::dsp::transforms::fft_plans::RealFfts;
use rayon::prelude::*;
use rustfft::num_complex::Complex32;
use std::f64::consts::PI;

/// Number of frames that contain a given sample.
const OVERLAP: usize = 4;
/// Number of frames before and after a cell that belong to its neighbourhood, with one bin below and one above.
const NEAR_FRAMES: usize = 3;
/// Over-relaxation of each iteration.
const RELAXATION: f32 = 0.95;

/// The thresholds of the iterations: geometric, relative to the clipping level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SocialSchedule {
    /// First threshold, in clipping levels.
    pub first: f64,
    /// Last threshold, in clipping levels.
    pub last: f64,
    /// Number of thresholds.
    pub n_thresholds: u32,
    /// Iterations per threshold.
    pub n_iterations: u32,
}

impl SocialSchedule {
    /// Number of iterations.
    pub fn n_steps(&self) -> u64 {
        u64::from(self.n_thresholds) * u64::from(self.n_iterations)
    }

    fn threshold(&self, index: u32) -> f64 {
        let part = f64::from(index) / f64::from(self.n_thresholds.max(2) - 1);
        self.first * (self.last / self.first).powf(part)
    }
}

/// Restores clipped samples, on frames of `frame_len` samples, a power of two of 8 or more. Unclipped samples are
/// unchanged, clipped ones are at their level or beyond it. Steps the progress once per iteration.
///
/// # Errors
/// [`Cancelled`](crate::base::ErrorKind::Cancelled).
pub fn restore_socially(
    samples: &[f32],
    levels: ClipLevels,
    frame_len: usize,
    schedule: &SocialSchedule,
    plans: &FftPlans,
    progress: &Progress,
) -> Result<Vec<f32>> {
    let mut search = Search::new(samples, levels, frame_len, plans);
    let n_steps = schedule.n_steps();
    let mut n_done = 0;
    for index in 0..schedule.n_thresholds {
        let threshold = schedule.threshold(index) * f64::from(levels.largest());
        for _ in 0..schedule.n_iterations {
            progress.step(n_done, n_steps)?;
            search.iterate(threshold as f32);
            n_done += 1;
        }
    }
    progress.step(n_steps, n_steps)?;
    Ok(search.finish())
}

/// The state of the iterations.
struct Search<'a> {
    samples: &'a [f32],
    levels: ClipLevels,
    frames: Frames,
    /// The current cells, frame by frame.
    found: Vec<Complex32>,
    /// The cells extrapolated along the last step, from which the next one starts.
    ahead: Vec<Complex32>,
    /// The power of each cell and its neighbours in the same frame.
    power: Vec<f32>,
    /// The samples of each frame, under the window.
    framed: Vec<f32>,
    /// Difference between the sound of `ahead` and each sample, padded to whole frame steps.
    error: Vec<f32>,
}

/// A tight STFT: synthesis is the adjoint of analysis, and inverts it.
struct Frames {
    len: usize,
    step: usize,
    n_bins: usize,
    /// The window, including the scale of both directions.
    window: Vec<f32>,
    ffts: RealFfts,
}

impl Frames {
    fn new(len: usize, plans: &FftPlans) -> Frames {
        let step = len / OVERLAP;
        // The squares of a sine window add up to half the overlap, and the FFT scales by the root of its length.
        let scale = (2.0 / (OVERLAP as f64 * len as f64)).sqrt();
        let sine = |i: usize| (PI * (i as f64 + 0.5) / len as f64).sin();
        let window = (0..len).map(|i| (scale * sine(i)) as f32).collect();
        Frames { len, step, n_bins: len / 2 + 1, window, ffts: plans.get(len) }
    }

    /// Synthesises the windowed samples of each frame from its cells.
    fn synthesise(&self, cells: &[Complex32], framed: &mut [f32]) {
        let buffers = || (self.ffts.inverse.make_input_vec(), self.ffts.inverse.make_scratch_vec());
        let frames = framed.par_chunks_mut(self.len).zip(cells.par_chunks(self.n_bins));
        frames.for_each_init(buffers, |(spectrum, scratch), (frame, cells)| {
            spectrum.copy_from_slice(cells);
            // Cannot fail: the buffers have the plan's lengths, and the bins at 0 and Nyquist stay real.
            self.ffts.inverse.process_with_scratch(spectrum, frame, scratch).ok();
            multiply(frame, &self.window);
        });
    }

    /// Subtracts the STFT of samples from `cells`, and computes the power of each residual and its neighbours.
    fn subtract_analysis(&self, samples: &[f32], cells: &mut [Complex32], power: &mut [f32]) {
        let forward = &self.ffts.forward;
        let buffers = || (forward.make_input_vec(), forward.make_output_vec(), forward.make_scratch_vec());
        let frames = cells.par_chunks_mut(self.n_bins).zip(power.par_chunks_mut(self.n_bins)).enumerate();
        frames.for_each_init(buffers, |(frame, spectrum, scratch), (index, (cells, power))| {
            // The first frame ends with the first step of the sound.
            for (part, offset) in frame.chunks_exact_mut(self.step).zip(0..) {
                let start = (index + offset).checked_sub(OVERLAP - 1).map(|step| step * self.step);
                match start.and_then(|start| samples.get(start..start + self.step)) {
                    Some(samples) => part.copy_from_slice(samples),
                    None => part.fill(0.0),
                }
            }
            multiply(frame, &self.window);
            forward.process_with_scratch(frame, spectrum, scratch).ok();
            subtract(cells, spectrum);
            power_of_neighbours(cells, power);
        });
    }
}

impl<'a> Search<'a> {
    fn new(samples: &'a [f32], levels: ClipLevels, frame_len: usize, plans: &FftPlans) -> Search<'a> {
        let frames = Frames::new(frame_len, plans);
        let n_steps = samples.len().div_ceil(frames.step);
        let n_frames = n_steps + OVERLAP - 1;
        let n_cells = n_frames * frames.n_bins;
        // The search starts from the STFT of the clipped samples: zero minus the STFT of the negated samples.
        let mut error = vec![0.0; n_steps * frames.step];
        error.iter_mut().zip(samples).for_each(|(error, sample)| *error = -sample);
        let (mut found, mut power) = (vec![Complex32::default(); n_cells], vec![0.0; n_cells]);
        frames.subtract_analysis(&error, &mut found, &mut power);
        let framed = vec![0.0; n_frames * frames.len];
        Search { samples, levels, frames, ahead: found.clone(), found, power, framed, error }
    }

    /// One gradient step on the error, and one shrinkage step.
    fn iterate(&mut self, threshold: f32) {
        self.frames.synthesise(&self.ahead, &mut self.framed);
        let (frames, framed, levels) = (&self.frames, &self.framed, self.levels);
        let steps = self.error.par_chunks_mut(frames.step).zip(self.samples.par_chunks(frames.step)).enumerate();
        steps.for_each(|(index, (error, samples))| {
            add_frames(frames, framed, index, error);
            disagreement(error, samples, levels);
            // The padding past the end is unconstrained.
            error[samples.len()..].fill(0.0);
        });
        frames.subtract_analysis(&self.error, &mut self.ahead, &mut self.power);
        let (n_bins, power) = (frames.n_bins, &self.power);
        let cells = self.found.par_chunks_mut(n_bins).zip(self.ahead.par_chunks_mut(n_bins)).enumerate();
        cells.for_each_init(
            || vec![0.0; n_bins],
            |sum, (index, (found, ahead))| {
                let first = index.saturating_sub(NEAR_FRAMES);
                sum.fill(0.0);
                for power in power[first * n_bins..].chunks_exact(n_bins).take(index + NEAR_FRAMES + 1 - first) {
                    add(sum, power);
                }
                shrink(found, ahead, sum, threshold * threshold);
            },
        );
    }

    /// The samples, with clipped ones replaced by the sound of the cells found.
    fn finish(mut self) -> Vec<f32> {
        self.frames.synthesise(&self.found, &mut self.framed);
        let (frames, framed, levels) = (&self.frames, &self.framed, self.levels);
        let steps = self.error.par_chunks_mut(frames.step).zip(self.samples.par_chunks(frames.step)).enumerate();
        steps.for_each(|(index, (sound, samples))| {
            add_frames(frames, framed, index, sound);
            for (sound, &sample) in sound.iter_mut().zip(samples) {
                *sound = if levels.is_clipped(sample) { levels.allow(sample, *sound) } else { sample };
            }
        });
        self.error.truncate(self.samples.len());
        self.error
    }
}

/// The sum of the frames that contain a step of the sound.
fn add_frames(frames: &Frames, framed: &[f32], index: usize, sum: &mut [f32]) {
    sum.fill(0.0);
    for (frame, part) in (index..index + OVERLAP).zip((0..OVERLAP).rev()) {
        let start = frame * frames.len + part * frames.step;
        add(sum, &framed[start..start + frames.step]);
    }
}

vectorized! {
    fn multiply(values: &mut [f32], factors: &[f32]) {
        values.iter_mut().zip(factors).for_each(|(value, factor)| *value *= factor);
    }
}

vectorized! {
    fn add(sum: &mut [f32], values: &[f32]) {
        sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
}

vectorized! {
    fn subtract(cells: &mut [Complex32], others: &[Complex32]) {
        for (cell, other) in cells.iter_mut().zip(others) {
            cell.re -= other.re;
            cell.im -= other.im;
        }
    }
}

vectorized! {
    /// The difference of a sound from each sample; for clipped samples, only the amount by which it falls short of the
    /// level.
    fn disagreement(sound: &mut [f32], samples: &[f32], levels: ClipLevels) {
        for (sound, &sample) in sound.iter_mut().zip(samples) {
            let short_above = (*sound - levels.above).min(0.0);
            let short_below = (*sound - levels.below).max(0.0);
            let off = *sound - sample;
            let of_top = if sample >= levels.above { short_above } else { off };
            *sound = if sample <= levels.below { short_below } else { of_top };
        }
    }
}

vectorized! {
    /// The summed power of each bin and its two neighbours; bins are mirrored at both ends.
    fn power_of_neighbours(cells: &[Complex32], power: &mut [f32]) {
        let last = cells.len() - 1;
        let of = |cell: &Complex32| cell.re * cell.re + cell.im * cell.im;
        power[0] = of(&cells[0]) + 2.0 * of(&cells[1]);
        power[last] = of(&cells[last]) + 2.0 * of(&cells[last - 1]);
        for ((power, below), (cell, above)) in
            power[1..last].iter_mut().zip(cells).zip(cells[1..].iter().zip(&cells[2..]))
        {
            *power = of(below) + of(cell) + of(above);
        }
    }
}

vectorized! {
    /// Shrinks the cells `ahead` by the energy of their neighbourhoods, stores the result in `found`, and extrapolates
    /// it to the next `ahead`.
    fn shrink(found: &mut [Complex32], ahead: &mut [Complex32], energy: &[f32], threshold_squared: f32) {
        for ((found, ahead), energy) in found.iter_mut().zip(ahead.iter_mut()).zip(energy) {
            let kept = (1.0 - threshold_squared / energy).max(0.0);
            let now = Complex32::new(ahead.re * kept, ahead.im * kept);
            ahead.re = now.re + RELAXATION * (now.re - found.re);
            ahead.im = now.im + RELAXATION * (now.im - found.im);
            *found = now;
        }
    }
}

//! Measures a recording's timbre: the partials of a tone, and their levels over time.

use super::MeasuredTimbre;
use super::measured::FLOOR_DB;
use crate::base::{Error, ErrorKind, Result};
use crate::dsp::{FftPlans, Window};
use rayon::prelude::*;
use rustfft::num_complex::Complex32;

/// Maximum number of partials.
const MAX_MEASURED: usize = 64;

/// Frames per window length.
const OVERLAP: usize = 8;

/// Frames that one task analyses.
const FRAMES_PER_TASK: usize = 32;

/// Measures the harmonics of a tone with fundamental `f0_hz` in mono `samples`. Levels are measured in windows wholly
/// inside the samples. Before the centre of the first window and after that of the last, the nearest level is held.
///
/// # Errors
/// [`Limit`](ErrorKind::Limit) for a fundamental outside 20 to 5,000 Hz, or samples shorter than one window.
pub fn measure(samples: &[f32], rate_hz: f64, f0_hz: f64, ffts: &FftPlans) -> Result<MeasuredTimbre> {
    if !(20.0..=5000.0).contains(&f0_hz) {
        return Err(Error::new(ErrorKind::Limit, format!("a fundamental of {f0_hz} Hz is outside 20 to 5000 Hz")));
    }
    let size = ((4.0 * rate_hz / f0_hz).clamp(2048.0, 16_384.0).ceil() as usize).next_power_of_two();
    if samples.len() < size {
        let (have, need) = (samples.len() as f64 / rate_hz, size as f64 / rate_hz);
        let what =
            format!("{have:.3} s are too short to measure a timbre at {f0_hz:.1} Hz; select at least {need:.3} s");
        return Err(Error::new(ErrorKind::Limit, what));
    }
    let spectra = Spectra::of(samples, size, ffts);
    let hz_per_bin = rate_hz / size as f64;
    let mean = spectra.mean();
    let mut peaks: Vec<PartialPeak> = Vec::new();
    for k in 1..=MAX_MEASURED {
        let Some(peak) = PartialPeak::near(&mean, k, f0_hz / hz_per_bin) else { break };
        if peaks.last().is_none_or(|before| before.place() < peak.place()) {
            peaks.push(peak);
        }
    }
    if peaks.is_empty() {
        return Err(Error::outcome("no harmonic found; choose another fundamental"));
    }
    // Number of held levels before the first frame and after the last: half a window.
    let n_held = OVERLAP / 2;
    let n_steps = spectra.n_frames + 2 * n_held;
    let every = n_steps.div_ceil(MeasuredTimbre::max_steps(peaks.len()));
    let track = |peak: &PartialPeak| {
        let loss_db = 20.0 * main_lobe(peak.offset).log10();
        let level = |step: usize| {
            let frame = step.saturating_sub(n_held).min(spectra.n_frames - 1);
            let db = 20.0 * f64::from(spectra.magnitude(frame, peak.bin)).log10() - loss_db;
            (db as f32).max(FLOOR_DB)
        };
        (0..n_steps).step_by(every).map(level).collect()
    };
    let levels_db = peaks.iter().map(track).collect();
    let ratios = peaks.iter().map(|peak| peak.place() * hz_per_bin / f0_hz).collect();
    MeasuredTimbre::new(f0_hz, (every * size / OVERLAP) as f64 / rate_hz, ratios, levels_db)
}

/// Magnitudes of a sound's frames; 1 is a full-scale sine.
struct Spectra {
    n_frames: usize,
    n_bins: usize,
    magnitudes: Vec<f32>,
}

impl Spectra {
    fn of(samples: &[f32], size: usize, ffts: &FftPlans) -> Spectra {
        let (step, n_bins) = (size / OVERLAP, size / 2 + 1);
        let n_frames = (samples.len() - size) / step + 1;
        let scale = 2.0 / Window::Hann.sum(size);
        let window: Vec<f32> = Window::Hann.samples(size).into_iter().map(|w| (w * scale) as f32).collect();
        let forward = ffts.get(size).forward;
        let mut magnitudes = vec![0.0; n_frames * n_bins];
        magnitudes.par_chunks_mut(n_bins * FRAMES_PER_TASK).enumerate().for_each(|(task, rows)| {
            let mut frame = vec![0.0; size];
            let mut spectrum = vec![Complex32::default(); n_bins];
            for (i, row) in rows.chunks_exact_mut(n_bins).enumerate() {
                let first = (task * FRAMES_PER_TASK + i) * step;
                let windowed = samples[first..].iter().zip(&window).map(|(sample, w)| sample * w);
                frame.iter_mut().zip(windowed).for_each(|(out, value)| *out = value);
                // Cannot fail: the buffers have the plan's lengths.
                forward.process(&mut frame, &mut spectrum).ok();
                row.iter_mut().zip(&spectrum).for_each(|(out, cell)| *out = cell.norm());
            }
        });
        Spectra { n_frames, n_bins, magnitudes }
    }

    fn magnitude(&self, frame: usize, bin: usize) -> f32 {
        self.magnitudes[frame * self.n_bins + bin]
    }

    /// The mean over time of each bin.
    fn mean(&self) -> Vec<f64> {
        let mut mean = vec![0.0; self.n_bins];
        for row in self.magnitudes.chunks_exact(self.n_bins) {
            mean.iter_mut().zip(row).for_each(|(sum, value)| *sum += f64::from(*value));
        }
        mean.iter_mut().for_each(|sum| *sum /= self.n_frames as f64);
        mean
    }
}

/// A partial in a spectrum.
#[derive(Debug, Clone, Copy)]
struct PartialPeak {
    bin: usize,
    /// Offset of the partial from the bin, at most 0.5 bins on either side.
    offset: f64,
    is_above: bool,
}

impl PartialPeak {
    /// The loudest bin near harmonic `k` of a fundamental in bins; `None` where the spectrum ends.
    fn near(mean: &[f64], k: usize, f0_bins: f64) -> Option<PartialPeak> {
        let centre = k as f64 * f0_bins;
        let reach = (0.03 * k as f64).min(0.2) * f0_bins;
        let below = centre.floor();
        let first = (centre - reach).ceil().min(below - 1.0).max(1.0) as usize;
        let last = (centre + reach).floor().max(below + 2.0) as usize;
        let near = mean.get(first..=last)?;
        let at = (0..near.len()).max_by(|a, b| near[*a].total_cmp(&near[*b]))?;
        let bin = first + at;
        let (before, peak, after) = (mean[bin - 1], mean[bin], *mean.get(bin + 1)?);
        // Exact for the Hann window.
        let q = if peak > 0.0 { before.max(after) / peak } else { 0.0 };
        let offset = ((2.0 * q - 1.0) / (q + 1.0)).clamp(0.0, 0.5);
        Some(PartialPeak { bin, offset, is_above: after > before })
    }

    /// Position of the partial, in bins.
    fn place(&self) -> f64 {
        self.bin as f64 + if self.is_above { self.offset } else { -self.offset }
    }
}

/// The Hann window's spectrum at an offset in bins, relative to its peak.
fn main_lobe(offset: f64) -> f64 {
    let turns = std::f64::consts::PI * offset;
    let sinc = if turns == 0.0 { 1.0 } else { turns.sin() / turns };
    sinc / (1.0 - offset * offset)
}

//! The STFT and its inverse on the CPU.
//!
//! Source: Allen and Rabiner, Proc. IEEE 65(11), 1977; least-squares inverse: Griffin and Lim, IEEE TASSP 32(2), 1984.

mod round_trips;

pub(crate) use round_trips::FrameRun;

use super::lobes::{WindowTransform, side_lobes};
use crate::base::trace;
use crate::cells::planes;
use crate::cells::polar::{cos_sin_small, magnitude_from_complex, polar_from_parts};
use crate::numeric::vectors::vectorized;
use crate::{AmplitudeScale, CellRect, FftPlans, Region, SampleDifference, StftParams};
use rayon::prelude::*;
use realfft::{ComplexToReal, RealToComplex};
use rustfft::num_complex::Complex32;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Tables and plans of one STFT. Cheap to share, costly to make.
pub struct Stft {
    params: StftParams,
    window: Vec<f32>,
    /// The window divided by `n_fft`, to normalise the inverse FFT.
    synthesis_window: Vec<f32>,
    window_squared: Vec<f64>,
    /// Two periods of `1 / sum(w^2)`, so that a whole period can be read from any offset in the first.
    inverse_period: Vec<f32>,
    window_sum: f64,
    window_power: f64,
    /// Computed for the first tone drawn.
    window_transform: OnceLock<Arc<WindowTransform>>,
    /// Computed for the first partial moved.
    side_lobes: OnceLock<Vec<f32>>,
    ffts: FftPlans,
    forward: Arc<dyn RealToComplex<f32>>,
    inverse: Arc<dyn ComplexToReal<f32>>,
}

impl std::fmt::Debug for Stft {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Stft").field(&self.params).finish()
    }
}

/// Frames per task: at 2,048 points and hop 512 some 130 kB of coefficients and 40 kB of samples, so that both stay in
/// the cache.
const FRAMES_PER_TASK: usize = 16;

/// Trace span of this module: shows the work that a GPU engine leaves to the CPU.
const ON_CPU: &str = "cpu stft";

impl Stft {
    /// A plan for these parameters, which must be [valid](StftParams::validated), with FFT plans of its own.
    pub fn new(params: StftParams) -> Stft {
        Stft::with_ffts(params, &FftPlans::default())
    }

    /// A plan for these parameters, which must be [valid](StftParams::validated). `ffts` counts it as created.
    pub fn with_ffts(params: StftParams, ffts: &FftPlans) -> Stft {
        ffts.note_made();
        let window = params.window_samples();
        let period = params.weight_period();
        let inverse_period = period.iter().map(|w| (1.0 / w) as f32);
        let directions = ffts.get(params.n_fft);
        Stft {
            params,
            window: window.iter().map(|&w| w as f32).collect(),
            synthesis_window: window.iter().map(|&w| (w / params.n_fft as f64) as f32).collect(),
            window_squared: window.iter().map(|w| w * w).collect(),
            inverse_period: inverse_period.clone().chain(inverse_period).collect(),
            window_sum: window.iter().sum(),
            window_power: window.iter().map(|w| w * w).sum(),
            window_transform: OnceLock::new(),
            side_lobes: OnceLock::new(),
            ffts: ffts.clone(),
            forward: directions.forward,
            inverse: directions.inverse,
        }
    }

    /// Builds the tables that are otherwise built on first use.
    pub fn ready(&self) {
        self.window_transform();
        self.side_lobes();
    }

    /// `sum(w)`: twice the magnitude of a full-scale sine at a bin's centre.
    pub fn window_sum(&self) -> f64 {
        self.window_sum
    }

    /// `sum(w^2)`.
    pub fn window_power(&self) -> f64 {
        self.window_power
    }

    /// Squared correlation between bins of white noise by their distance in bins, up to where it falls below a
    /// thousandth.
    pub fn likeness_of_bins(&self) -> Vec<f64> {
        let len = self.window_squared.len();
        let alike = |apart: usize| {
            let step = std::f64::consts::TAU * apart as f64 / len as f64;
            let sum = self.window_squared.iter().enumerate().fold([0.0; 2], |sum, (i, w)| {
                let angle = step * i as f64;
                [sum[0] + w * angle.cos(), sum[1] + w * angle.sin()]
            });
            (sum[0] * sum[0] + sum[1] * sum[1]) / self.window_power().powi(2)
        };
        (0..len).map(alike).take_while(|alike| *alike > 1e-3).collect()
    }

    /// Factor on `|X|` that gives a full-scale sine the amplitude 1: `2 / sum(w)`, for DC and Nyquist `1 / sum(w)`.
    pub fn amplitude_scale(&self) -> AmplitudeScale {
        let ends = (1.0 / self.window_sum) as f32;
        AmplitudeScale { sine: (2.0 / self.window_sum) as f32, ends, last_bin: self.params.n_bins() - 1 }
    }

    /// The transform of the window around its centre.
    pub(crate) fn window_transform(&self) -> Arc<WindowTransform> {
        let made = || {
            self.ffts.note_made();
            Arc::new(WindowTransform::new(self.params.window, &self.params.window_samples()))
        };
        self.window_transform.get_or_init(made).clone()
    }

    /// Maximum level of a side lobe relative to its peak, by distance in bins.
    pub(crate) fn side_lobes(&self) -> &[f32] {
        self.side_lobes.get_or_init(|| {
            self.ffts.note_made();
            side_lobes(self.params.window)
        })
    }

    /// The parameters.
    pub fn params(&self) -> StftParams {
        self.params
    }

    /// Number of samples under a run of frames: `(n_frames - 1) * hop + n_fft`, or 0 for no frames.
    pub fn n_samples_under(&self, n_frames: usize) -> usize {
        if n_frames == 0 { 0 } else { (n_frames - 1) * self.params.hop + self.params.n_fft }
    }

    /// The samples under consecutive frames; may extend beyond the signal.
    pub fn samples_under(&self, frames: &Range<usize>) -> Range<i64> {
        let first = frames.start as i64 * self.params.hop as i64 - self.params.n_fft as i64 / 2;
        first..first + self.n_samples_under(frames.len()) as i64
    }

    /// `X[m,n] = sum_k w[k] x[nH + k - N/2] exp(-2 pi i m (k - N/2)/N)`, unnormalised: a full-scale sine at a bin's
    /// centre has magnitude `sum(w) / 2`.
    ///
    /// `samples` are those [under](Stft::n_samples_under) the frames, from half a window before the first frame's
    /// centre; `spectra` is frame-major, `n_fft / 2 + 1` bins each, DC first.
    ///
    /// # Panics
    /// If the lengths do not match.
    pub fn forward(&self, samples: &[f32], spectra: &mut [Complex32]) {
        let n_bins = self.params.n_bins();
        assert_eq!(spectra.len() % n_bins, 0, "whole frames");
        assert_eq!(samples.len(), self.n_samples_under(spectra.len() / n_bins), "samples under the frames");
        let _span = trace::span(ON_CPU);
        spectra.par_chunks_mut(n_bins * FRAMES_PER_TASK).enumerate().for_each_init(
            || (vec![0.0; self.params.n_fft], self.forward.make_scratch_vec()),
            |(frame, scratch), (task, spectra)| {
                for (i, spectrum) in spectra.chunks_exact_mut(n_bins).enumerate() {
                    self.forward_frame(samples, task * FRAMES_PER_TASK + i, frame, scratch, spectrum);
                }
            },
        );
    }

    fn forward_frame(
        &self,
        samples: &[f32],
        index: usize,
        frame: &mut [f32],
        scratch: &mut [Complex32],
        spectrum: &mut [Complex32],
    ) {
        let (n, half) = (self.params.n_fft, self.params.n_fft / 2);
        let samples = &samples[index * self.params.hop..][..n];
        // The second half first: phases then refer to the frame's centre.
        let weigh = |out: &mut [f32], window: &[f32], samples: &[f32]| {
            for ((out, w), x) in out.iter_mut().zip(window).zip(samples) {
                *out = w * x;
            }
        };
        weigh(&mut frame[..half], &self.window[half..], &samples[half..]);
        weigh(&mut frame[half..], &self.window[..half], &samples[..half]);
        // Cannot fail: the buffers have the plan's lengths.
        self.forward.process_with_scratch(frame, spectrum, scratch).ok();
    }

    /// `sum_n w[t - nH + N/2] f_n[t - nH + N/2]`, the overlap-add of the inverse transforms, not yet divided by
    /// `sum(w^2)`. Shapes as in [`forward`](Stft::forward); imaginary parts of DC and Nyquist are ignored.
    ///
    /// # Panics
    /// If the lengths do not match.
    pub fn overlap_add(&self, spectra: &[Complex32], samples: &mut [f32]) {
        self.overlap_add_spectra(spectra, samples, |_, _| ());
    }

    /// The inverse: [`overlap_add`](Stft::overlap_add) divided by `sum(w^2)`, for a run of frames that starts with
    /// `first_frame` of a signal of `n_signal_frames`.
    pub fn inverse(&self, spectra: &[Complex32], first_frame: usize, n_signal_frames: usize, samples: &mut [f32]) {
        let first = first_frame as i64 * self.params.hop as i64 - self.params.n_fft as i64 / 2;
        self.overlap_add_spectra(spectra, samples, |offset, samples| {
            self.divide_run(samples, first + offset as i64, n_signal_frames);
        });
    }

    fn overlap_add_spectra(
        &self,
        spectra: &[Complex32],
        samples: &mut [f32],
        finish: impl Fn(usize, &mut [f32]) + Sync,
    ) {
        let n_bins = self.params.n_bins();
        assert_eq!(spectra.len() % n_bins, 0, "whole frames");
        let copy = |frame: usize, spectrum: &mut [Complex32]| {
            spectrum.copy_from_slice(&spectra[frame * n_bins..][..n_bins]);
            true
        };
        self.overlap_add_frames(spectra.len() / n_bins, samples, copy, finish);
    }

    /// Overlap-adds the frames for which `spectrum_of` fills the given bins and returns true. `finish` is called with
    /// the offset and the samples of every run, once its sum is complete and while it is still in the cache.
    fn overlap_add_frames(
        &self,
        n_frames: usize,
        samples: &mut [f32],
        spectrum_of: impl Fn(usize, &mut [Complex32]) -> bool + Sync,
        finish: impl Fn(usize, &mut [f32]) + Sync,
    ) {
        assert_eq!(samples.len(), self.n_samples_under(n_frames), "samples under the frames");
        let _span = trace::span(ON_CPU);
        let buffers = || (self.inverse.make_input_vec(), vec![0.0; self.params.n_fft], self.inverse.make_scratch_vec());
        let task = |(spectrum, frame, scratch): &mut (Vec<Complex32>, Vec<f32>, Vec<Complex32>),
                    task: usize,
                    out: &mut [f32]| {
            let first = (task * FRAMES_PER_TASK).min(n_frames);
            for index in first..(first + FRAMES_PER_TASK).min(n_frames) {
                if spectrum_of(index, spectrum) {
                    self.inverse_frame(spectrum, frame, scratch, &mut out[(index - first) * self.params.hop..]);
                }
            }
        };
        // A task's samples overlap only those of the next task. All even tasks run in parallel, then all odd ones, so
        // that the order of sums is fixed.
        let step = FRAMES_PER_TASK * self.params.hop;
        samples.par_chunks_mut(2 * step).enumerate().for_each_init(buffers, |buffers, (i, out)| {
            out.fill(0.0);
            task(buffers, 2 * i, out);
        });
        let (first, rest) = samples.split_at_mut(step.min(samples.len()));
        finish(0, first);
        rest.par_chunks_mut(2 * step).enumerate().for_each_init(buffers, |buffers, (i, out)| {
            task(buffers, 2 * i + 1, out);
            finish(step + 2 * i * step, out);
        });
    }

    /// Adds one frame's windowed inverse transform to `out`.
    fn inverse_frame(&self, spectrum: &mut [Complex32], frame: &mut [f32], scratch: &mut [Complex32], out: &mut [f32]) {
        let (n, half) = (self.params.n_fft, self.params.n_fft / 2);
        spectrum[0].im = 0.0;
        spectrum[half].im = 0.0;
        self.inverse.process_with_scratch(spectrum, frame, scratch).ok();
        let (low, high) = out[..n].split_at_mut(half);
        let add = |out: &mut [f32], window: &[f32], frame: &[f32]| {
            for ((out, w), x) in out.iter_mut().zip(window).zip(frame) {
                *out += w * x;
            }
        };
        add(low, &self.synthesis_window[..half], &frame[half..]);
        add(high, &self.synthesis_window[half..], &frame[..half]);
    }

    /// The difference between two regions, as samples. `after.rect` lies inside `before.rect`, with equal or fewer
    /// frames; coefficients outside `after.rect` count as unchanged. Frames of the result are those of `after`.
    pub fn difference(&self, before: &Region, after: &Region) -> SampleDifference {
        let n_bins = after.n_bins();
        let row = |region: &Region, frame: usize| {
            let start = region.index(after.rect.frames.start + frame, after.rect.bins.start);
            start..start + n_bins
        };
        // Compares chunks of cells, without branches inside a chunk.
        let is_touched = |frame: usize| {
            let (b, a) = (row(before, frame), row(after, frame));
            let magnitudes = before.magnitude[b.clone()].chunks(64).zip(after.magnitude[a.clone()].chunks(64));
            let phases = before.phase[b].chunks(64).zip(after.phase[a].chunks(64));
            magnitudes.zip(phases).any(|((mb, ma), (pb, pa))| {
                let cells = mb.iter().zip(ma).zip(pb.iter().zip(pa));
                cells.fold(false, |touched, ((mb, ma), (pb, pa))| touched | (mb != ma) | ((pb != pa) & (*mb != 0.0)))
            })
        };
        let touched: Vec<bool> = if n_bins == 0 {
            vec![false; after.n_frames()]
        } else {
            (0..after.n_frames()).into_par_iter().map(is_touched).collect()
        };
        let mut samples = vec![0.0; self.n_samples_under(after.n_frames())];
        let spectrum_of = |frame: usize, spectrum: &mut [Complex32]| {
            if !touched[frame] {
                return false;
            }
            spectrum.fill(Complex32::default());
            let (b, a) = (row(before, frame), row(after, frame));
            let out = &mut spectrum[after.rect.bins.clone()];
            let [b, a] =
                [(before, b), (after, a)].map(|(region, row)| [&region.magnitude[row.clone()], &region.phase[row]]);
            subtract_cells(b, a, out);
            true
        };
        self.overlap_add_frames(after.n_frames(), &mut samples, spectrum_of, |_, _| ());
        SampleDifference::of_frames(self.params, after.rect.frames.start, touched, samples)
    }

    /// Divides overlap-added samples, the first of them sample `first` of a signal of `n_frames` frames, by
    /// `sum(w^2)` over all those frames. Samples that no frame reaches become 0.
    pub fn divide_by_weight(&self, samples: &mut [f32], first: i64, n_frames: usize) {
        let piece = self.params.hop * FRAMES_PER_TASK;
        samples.par_chunks_mut(piece).enumerate().for_each(|(i, samples)| {
            self.divide_run(samples, first + (i * piece) as i64, n_frames);
        });
    }

    fn divide_run(&self, samples: &mut [f32], first: i64, n_frames: usize) {
        let (n, hop) = (self.params.n_fft as i64, self.params.hop as i64);
        // Away from the ends every frame that could reach a sample exists.
        let full = n / 2 - hop..(n_frames as i64 - 1) * hop - n / 2 + hop;
        let end = first + samples.len() as i64;
        let until = |at: i64| (at.clamp(first, end) - first) as usize;
        let inside = until(full.start)..until(full.end.max(full.start));
        let phase = (first + inside.start as i64 + n / 2).rem_euclid(hop) as usize;
        let period = &self.inverse_period[phase..phase + hop as usize];
        for samples in samples[inside.clone()].chunks_mut(period.len()) {
            for (sample, weight) in samples.iter_mut().zip(period) {
                *sample *= weight;
            }
        }
        let n_samples = samples.len();
        for i in (0..inside.start).chain(inside.end..n_samples) {
            let weight = self.weight_at(first + i as i64, n_frames);
            // The weight is 0 where no frame reaches, or only with a window sample of 0.
            samples[i] = if weight > 0.0 { (f64::from(samples[i]) / weight) as f32 } else { 0.0 };
        }
    }

    /// `sum(w^2)` at a sample over the existing frames.
    fn weight_at(&self, at: i64, n_frames: usize) -> f64 {
        let (n, hop) = (self.params.n_fft as i64, self.params.hop as i64);
        let (newest, phase) = ((at + n / 2).div_euclid(hop), (at + n / 2).rem_euclid(hop));
        let reaching = (0..n / hop).map(|k| (newest - k, (phase + k * hop) as usize));
        let there = reaching.filter(|(frame, _)| (0..n_frames as i64).contains(frame));
        there.map(|(_, k)| self.window_squared[k]).sum()
    }

    /// Analyses the cells of `rect`. `samples` are those [under](Stft::n_samples_under) `rect.frames`, from
    /// `rect.frames.start * hop - n_fft / 2` on, 0 beyond the ends of the signal.
    pub fn analyse(&self, samples: &[f32], rect: &CellRect) -> Region {
        let mut region = Region::unwritten(rect.clone());
        if rect.is_empty() {
            return region;
        }
        let _span = trace::span(ON_CPU);
        let n = rect.bins.len();
        let planes =
            region.magnitude.par_chunks_mut(n * FRAMES_PER_TASK).zip(region.phase.par_chunks_mut(n * FRAMES_PER_TASK));
        planes.enumerate().for_each_init(
            || (vec![0.0; self.params.n_fft], self.forward.make_scratch_vec(), self.forward.make_output_vec()),
            |(frame, scratch, spectrum), (task, (magnitude, phase))| {
                for (i, (magnitude, phase)) in magnitude.chunks_exact_mut(n).zip(phase.chunks_exact_mut(n)).enumerate()
                {
                    self.forward_frame(samples, task * FRAMES_PER_TASK + i, frame, scratch, spectrum);
                    cells_from_complex(&spectrum[rect.bins.clone()], magnitude, phase);
                }
            },
        );
        region
    }

    /// The magnitudes of [`analyse`](Stft::analyse) alone, of all bins of `n_frames`, for overviews.
    pub fn magnitudes(&self, samples: &[f32], n_frames: usize) -> Vec<f32> {
        let n_bins = self.params.n_bins();
        // From the pool, which gets it back where it becomes a region's plane.
        let mut magnitudes = planes::take(n_frames * n_bins);
        let _span = trace::span(ON_CPU);
        magnitudes.par_chunks_mut(n_bins * FRAMES_PER_TASK).enumerate().for_each_init(
            || (vec![0.0; self.params.n_fft], self.forward.make_scratch_vec(), self.forward.make_output_vec()),
            |(frame, scratch, spectrum), (task, magnitudes)| {
                for (i, magnitudes) in magnitudes.chunks_exact_mut(n_bins).enumerate() {
                    self.forward_frame(samples, task * FRAMES_PER_TASK + i, frame, scratch, spectrum);
                    magnitudes_from_complex(spectrum, magnitudes);
                }
            },
        );
        magnitudes
    }
}

vectorized! {
    /// `after - before` as complex numbers; each is magnitudes and phases.
    fn subtract_cells(before: [&[f32]; 2], after: [&[f32]; 2], out: &mut [Complex32]) {
        let cells = before[0].iter().zip(before[1]).zip(after[0].iter().zip(after[1]));
        for (x, ((mb, pb), (ma, pa))) in out.iter_mut().zip(cells) {
            let ([cb, sb], [ca, sa]) = (cos_sin_small(*pb), cos_sin_small(*pa));
            *x = Complex32::new(ma * ca - mb * cb, ma * sa - mb * sb);
        }
    }
}

vectorized! {
    fn cells_from_complex(spectrum: &[Complex32], magnitude: &mut [f32], phase: &mut [f32]) {
        for (x, (magnitude, phase)) in spectrum.iter().zip(magnitude.iter_mut().zip(phase)) {
            [*magnitude, *phase] = polar_from_parts(x.re, x.im);
        }
    }
}

vectorized! {
    fn magnitudes_from_complex(spectrum: &[Complex32], magnitudes: &mut [f32]) {
        for (magnitude, x) in magnitudes.iter_mut().zip(spectrum) {
            *magnitude = magnitude_from_complex(x.re, x.im);
        }
    }
}

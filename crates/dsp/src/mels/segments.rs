//! Spectra of short, overlapping segments: each is padded by reflection and analysed independently, as by
//! `torch.stft(center=True)` and `librosa.stft(pad_mode="reflect")`.
//!
//! [`SegmentSpectra::mean_power`] shares work between segments: a frame that touches no edge of its segment is the same
//! in every segment that contains it, and two real frames whose power is summed go through one complex FFT.

use crate::numeric::vectors::vectorized;
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Number of samples in one batch of FFTs, few enough for the CPU's cache.
const BATCH_SAMPLES: usize = 1 << 14;

/// Analysis parameters of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentParams {
    /// Length of a segment in samples, more than `n_fft / 2`.
    pub n_samples: usize,
    /// FFT size in samples, even.
    pub n_fft: usize,
    /// Samples between frames, at least 1.
    pub hop: usize,
}

impl SegmentParams {
    /// Number of frames of a segment, centred on its samples 0, `hop`, `2 hop`, ...
    pub fn n_frames(&self) -> usize {
        1 + self.n_samples / self.hop
    }

    /// Number of bins of a spectrum.
    pub fn n_bins(&self) -> usize {
        self.n_fft / 2 + 1
    }

    /// Appends the samples of a frame. Beyond the ends of the segment they are reflected without repeating the edge.
    fn push_frame(&self, segment: &[f32], frame: usize, out: &mut Vec<f32>) {
        let pad = self.n_fft / 2;
        let (first, end) = (frame * self.hop, frame * self.hop + self.n_fft);
        // Indices in the padded segment: `pad` samples, the segment, `pad` samples.
        let n_before = pad.saturating_sub(first);
        let n_after = end.saturating_sub(pad + self.n_samples);
        let inside = &segment[(first + n_before - pad)..(end - n_after - pad)];
        out.extend(segment[1..=n_before].iter().rev());
        out.extend_from_slice(inside);
        let last = self.n_samples - 1;
        out.extend(segment[last - n_after..last].iter().rev());
    }

    /// The frames that touch no edge.
    fn inner_frames(&self) -> Range<usize> {
        let pad = self.n_fft / 2;
        let first = pad.div_ceil(self.hop);
        let end = if self.n_samples < self.n_fft { 0 } else { (self.n_samples - pad) / self.hop + 1 };
        first..end.max(first)
    }
}

/// Computes mean power spectra of segments that start at fixed positions in a block of samples.
pub struct SegmentSpectra {
    params: SegmentParams,
    window: Vec<f32>,
    fft: Arc<dyn Fft<f32>>,
    starts: Vec<usize>,
    /// Runs of frames one `hop` apart that belong to the same segments: first sample, and number of frames.
    runs: Vec<(usize, usize)>,
    /// Range in `runs` of each segment.
    runs_of: Vec<Range<usize>>,
    /// Frames of one batch, and then their spectra.
    buffer: Vec<Complex<f32>>,
    /// Frames that extend beyond the edges of a segment.
    edges: Vec<f32>,
    scratch: Vec<Complex<f32>>,
    /// Index of the sum for the power of each FFT in the buffer.
    sums_of: Vec<usize>,
    /// Power by bin: of each run, then of each segment's own frames.
    sums: Vec<f32>,
}

impl SegmentSpectra {
    /// Prepares spectra of segments that start at these samples of a block, in any order.
    pub fn new(params: SegmentParams, starts: Vec<usize>) -> SegmentSpectra {
        let fft = FftPlanner::new().plan_fft_forward(params.n_fft);
        let (runs, runs_of) = shared_runs(&params, &starts);
        let n_sums = runs.len() + starts.len();
        let n_at_once = (BATCH_SAMPLES / params.n_fft).max(1);
        SegmentSpectra {
            window: periodic_hann(params.n_fft),
            scratch: vec![Complex::default(); fft.get_inplace_scratch_len()],
            buffer: vec![Complex::default(); n_at_once * params.n_fft],
            edges: Vec::new(),
            sums_of: Vec::with_capacity(n_at_once),
            sums: vec![0.0; n_sums * params.n_bins()],
            fft,
            params,
            starts,
            runs,
            runs_of,
        }
    }

    /// Starts of the segments.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The mean over a segment's frames of `|rfft|^2` under a periodic Hann window: `[segments, bins]`, segments in the
    /// order of their starts. `samples` contains every segment completely.
    pub fn mean_power(&mut self, samples: &[f32], out: &mut Vec<f32>) {
        let SegmentParams { n_fft, hop, .. } = self.params;
        self.sums.fill(0.0);
        for run in 0..self.runs.len() {
            let (first, n_frames) = self.runs[run];
            for frame in (0..n_frames).step_by(2) {
                let at = first + frame * hop;
                let second = (frame + 1 < n_frames).then(|| &samples[at + hop..][..n_fft]);
                self.push(&samples[at..][..n_fft], second, run);
            }
        }
        let inner = self.params.inner_frames();
        let outer: Vec<usize> = (0..inner.start).chain(inner.end..self.params.n_frames()).collect();
        let mut edges = std::mem::take(&mut self.edges);
        for segment in 0..self.starts.len() {
            let held = &samples[self.starts[segment]..][..self.params.n_samples];
            edges.clear();
            outer.iter().for_each(|&frame| self.params.push_frame(held, frame, &mut edges));
            for pair in edges.chunks(2 * n_fft) {
                let (first, second) = pair.split_at(n_fft);
                self.push(first, (!second.is_empty()).then_some(second), self.runs.len() + segment);
            }
        }
        self.edges = edges;
        self.flush();
        self.gather(out);
    }

    /// The power `|rfft|^2` of every frame of one segment, each by a separate FFT: `[frames, bins]`. Slower than
    /// [`mean_power`](SegmentSpectra::mean_power), for callers that need every frame.
    pub fn power_by_frame(&mut self, segment: &[f32], out: &mut Vec<f32>) {
        let SegmentParams { n_fft, .. } = self.params;
        out.clear();
        for frame in 0..self.params.n_frames() {
            self.edges.clear();
            self.params.push_frame(segment, frame, &mut self.edges);
            windowed(&self.edges, None, &self.window, &mut self.buffer[..n_fft]);
            self.fft.process_with_scratch(&mut self.buffer[..n_fft], &mut self.scratch);
            out.extend(self.buffer[..self.params.n_bins()].iter().map(Complex::norm_sqr));
        }
    }

    /// Queues one or two frames, whose power will be added to the sum with index `sum`.
    fn push(&mut self, first: &[f32], second: Option<&[f32]>, sum: usize) {
        let n_fft = self.params.n_fft;
        let at = self.sums_of.len() * n_fft;
        windowed(first, second, &self.window, &mut self.buffer[at..][..n_fft]);
        self.sums_of.push(sum);
        if self.sums_of.len() * n_fft == self.buffer.len() {
            self.flush();
        }
    }

    /// Transforms the queued frames, and adds their power to their sums.
    fn flush(&mut self) {
        let (n_fft, n_bins) = (self.params.n_fft, self.params.n_bins());
        let spectra = &mut self.buffer[..self.sums_of.len() * n_fft];
        self.fft.process_with_scratch(spectra, &mut self.scratch);
        for (spectrum, &sum) in spectra.chunks_exact(n_fft).zip(&self.sums_of) {
            add_power(spectrum, &mut self.sums[sum * n_bins..][..n_bins]);
        }
        self.sums_of.clear();
    }

    fn gather(&self, out: &mut Vec<f32>) {
        let n_bins = self.params.n_bins();
        let scale = 1.0 / self.params.n_frames() as f32;
        out.clear();
        for (segment, runs) in self.runs_of.iter().enumerate() {
            let own = (self.runs.len() + segment) * n_bins;
            let start = out.len();
            out.extend_from_slice(&self.sums[own..own + n_bins]);
            for run in runs.clone() {
                let shared = &self.sums[run * n_bins..(run + 1) * n_bins];
                out[start..].iter_mut().zip(shared).for_each(|(sum, shared)| *sum += shared);
            }
            out[start..].iter_mut().for_each(|sum| *sum *= scale);
        }
    }
}

/// The runs into which the starts and ends of all segments divide their inner frames, and the runs of each segment.
/// Segments share frames if they start a whole number of hops apart.
fn shared_runs(params: &SegmentParams, starts: &[usize]) -> (Vec<(usize, usize)>, Vec<Range<usize>>) {
    let inner = params.inner_frames();
    if inner.is_empty() {
        return (Vec::new(), vec![0..0; starts.len()]);
    }
    // The first inner frame's first sample, as a phase within the hop and a count of hops.
    let offset = inner.start * params.hop - params.n_fft / 2;
    let place = |start: usize| ((start + offset) % params.hop, (start + offset) / params.hop);
    let mut cuts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &start in starts {
        let (phase, first) = place(start);
        cuts.entry(phase).or_default().extend([first, first + inner.len()]);
    }
    let mut runs = Vec::new();
    let mut index: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (&phase, cuts) in &mut cuts {
        cuts.sort_unstable();
        cuts.dedup();
        for pair in cuts.windows(2) {
            let is_held = starts.iter().any(|&start| {
                let (own_phase, first) = place(start);
                own_phase == phase && first <= pair[0] && pair[1] <= first + inner.len()
            });
            index.insert((phase, pair[0]), runs.len());
            if is_held {
                runs.push((phase + pair[0] * params.hop, pair[1] - pair[0]));
            }
        }
        index.insert((phase, cuts.last().copied().unwrap_or(0)), runs.len());
    }
    let of = |&start: &usize| {
        let (phase, first) = place(start);
        index[&(phase, first)]..index[&(phase, first + inner.len())]
    };
    let runs_of = starts.iter().map(of).collect();
    (runs, runs_of)
}

vectorized! {
    /// Windows one or two frames: the first becomes the real parts of `out`, the second the imaginary parts.
    fn windowed(first: &[f32], second: Option<&[f32]>, window: &[f32], out: &mut [Complex<f32>]) {
        match second {
            Some(second) => {
                for (((out, a), b), window) in out.iter_mut().zip(first).zip(second).zip(window) {
                    *out = Complex::new(a * window, b * window);
                }
            }
            None => {
                for ((out, a), window) in out.iter_mut().zip(first).zip(window) {
                    *out = Complex::new(a * window, 0.0);
                }
            }
        }
    }
}

vectorized! {
    /// Adds the power of two frames that went through one FFT. With `z` the transform of `a + i b` of real `a` and `b`,
    /// `|A_k|^2 + |B_k|^2 = (|z_k|^2 + |z_(n - k)|^2) / 2`.
    fn add_power(spectrum: &[Complex<f32>], sum: &mut [f32]) {
        let n_bins = sum.len();
        sum[0] += spectrum[0].norm_sqr();
        sum[n_bins - 1] += spectrum[n_bins - 1].norm_sqr();
        let both = spectrum[1..n_bins - 1].iter().zip(spectrum[n_bins..].iter().rev());
        for (sum, (up, down)) in sum[1..n_bins - 1].iter_mut().zip(both) {
            *sum += 0.5 * ((up.re * up.re + up.im * up.im) + (down.re * down.re + down.im * down.im));
        }
    }
}

/// `0.5 - 0.5 cos(2 pi k / n)`.
fn periodic_hann(n: usize) -> Vec<f32> {
    (0..n).map(|k| (0.5 - 0.5 * (std::f64::consts::TAU * k as f64 / n as f64).cos()) as f32).collect()
}

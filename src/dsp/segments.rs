//! Spectra of short, overlapping segments: each is padded at its ends by reflection and analysed by itself, as
//! `torch.stft(center=True)` and `librosa.stft(pad_mode="reflect")` do.
//!
//! The fast form shares what segments have in common: a frame that touches no edge of its segment is the same frame in
//! every segment that holds it, and two real frames whose power is summed go through one complex FFT.

use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// FFTs of one batch: small enough to stay in a processor's cache.
const BATCH_FFTS: usize = 256;

/// How a segment is analysed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentParams {
    /// Samples of a segment, more than `n_fft / 2`.
    pub n_samples: usize,
    /// Samples of an FFT, even.
    pub n_fft: usize,
    /// Samples from frame to frame, at least 1.
    pub hop: usize,
}

impl SegmentParams {
    /// Frames of a segment: centred on its samples 0, `hop`, `2 hop`, ...
    pub fn n_frames(&self) -> usize {
        1 + self.n_samples / self.hop
    }

    /// Bins of a spectrum.
    pub fn n_bins(&self) -> usize {
        self.n_fft / 2 + 1
    }

    /// The index of a sample `at` beyond the ends of a segment, reflected without repeating the edge.
    fn reflected(&self, at: i64) -> usize {
        let last = self.n_samples as i64 - 1;
        let at = at.abs();
        (if at > last { 2 * last - at } else { at }) as usize
    }

    /// The frames that touch no edge.
    fn inner_frames(&self) -> Range<usize> {
        let pad = self.n_fft / 2;
        let first = pad.div_ceil(self.hop);
        let end = if self.n_samples < self.n_fft { 0 } else { (self.n_samples - pad) / self.hop + 1 };
        first..end.max(first)
    }
}

/// Mean power spectra of segments that start at fixed places of a block of samples.
pub struct SegmentSpectra {
    params: SegmentParams,
    window: Vec<f32>,
    fft: Arc<dyn Fft<f32>>,
    starts: Vec<usize>,
    /// Frames one `hop` apart that the same segments hold: the first one's sample, and how many.
    runs: Vec<(usize, usize)>,
    /// Of each segment.
    runs_of: Vec<Range<usize>>,
    buffer: Vec<Complex<f32>>,
    scratch: Vec<Complex<f32>>,
    /// Where the power of each FFT in the buffer is added.
    sums_of: Vec<usize>,
    /// Power by bin: of each run, then of each segment's own frames.
    sums: Vec<f32>,
}

impl SegmentSpectra {
    /// Makes ready for segments that start at these samples, in any order.
    pub fn new(params: SegmentParams, starts: Vec<usize>) -> SegmentSpectra {
        let fft = FftPlanner::new().plan_fft_forward(params.n_fft);
        let (runs, runs_of) = shared_runs(&params, &starts);
        let n_sums = runs.len() + starts.len();
        SegmentSpectra {
            window: periodic_hann(params.n_fft),
            scratch: vec![Complex::default(); fft.get_inplace_scratch_len()],
            buffer: Vec::with_capacity(BATCH_FFTS * params.n_fft),
            sums_of: Vec::with_capacity(BATCH_FFTS),
            sums: vec![0.0; n_sums * params.n_bins()],
            fft,
            params,
            starts,
            runs,
            runs_of,
        }
    }

    /// Where the segments start.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The mean over a segment's frames of `|rfft|^2` under a periodic Hann window: `[segments, bins]`, segments in the
    /// order of their starts. `samples` holds every segment whole.
    pub fn mean_power(&mut self, samples: &[f32], out: &mut Vec<f32>) {
        self.sums.fill(0.0);
        for run in 0..self.runs.len() {
            let (first, n_frames) = self.runs[run];
            for frame in (0..n_frames).step_by(2) {
                let at = first + frame * self.params.hop;
                let second = (frame + 1 < n_frames).then_some(at + self.params.hop);
                self.push_inner(samples, at, second, run);
            }
        }
        let inner = self.params.inner_frames();
        let outer: Vec<usize> = (0..inner.start).chain(inner.end..self.params.n_frames()).collect();
        for segment in 0..self.starts.len() {
            let held = &samples[self.starts[segment]..self.starts[segment] + self.params.n_samples];
            for pair in outer.chunks(2) {
                self.push_outer(held, pair, self.runs.len() + segment);
            }
        }
        self.flush();
        self.gather(out);
    }

    /// The power `|rfft|^2` of every frame of one segment, each by an FFT of its own: `[frames, bins]`. The plain form
    /// of [`mean_power`](SegmentSpectra::mean_power), and what is used where each frame is wanted.
    pub fn power_by_frame(&mut self, segment: &[f32], out: &mut Vec<f32>) {
        out.clear();
        for frame in 0..self.params.n_frames() {
            self.push_outer(segment, &[frame], 0);
            self.fft.process_with_scratch(&mut self.buffer, &mut self.scratch);
            out.extend(self.buffer[..self.params.n_bins()].iter().map(Complex::norm_sqr));
            self.buffer.clear();
            self.sums_of.clear();
        }
    }

    /// A pair of frames (or one) that lie inside their segments.
    fn push_inner(&mut self, samples: &[f32], first: usize, second: Option<usize>, sum: usize) {
        let n_fft = self.params.n_fft;
        let frame = |at: usize| &samples[at..at + n_fft];
        match second {
            Some(second) => {
                let both = frame(first).iter().zip(frame(second)).zip(&self.window);
                self.buffer.extend(both.map(|((&a, &b), &window)| Complex::new(a * window, b * window)));
            }
            None => {
                let one = frame(first).iter().zip(&self.window);
                self.buffer.extend(one.map(|(&a, &window)| Complex::new(a * window, 0.0)));
            }
        }
        self.pushed(sum);
    }

    /// A pair of frames (or one) that reach over the edges of a segment.
    fn push_outer(&mut self, segment: &[f32], frames: &[usize], sum: usize) {
        let params = self.params;
        let pad = (params.n_fft / 2) as i64;
        let sample = |frame: usize, at: usize| segment[params.reflected((frame * params.hop + at) as i64 - pad)];
        let value = |at: usize, window: f32| {
            let second = frames.get(1).map_or(0.0, |&frame| sample(frame, at) * window);
            Complex::new(sample(frames[0], at) * window, second)
        };
        self.buffer.extend(self.window.iter().enumerate().map(|(at, &window)| value(at, window)));
        self.pushed(sum);
    }

    fn pushed(&mut self, sum: usize) {
        self.sums_of.push(sum);
        if self.sums_of.len() == BATCH_FFTS {
            self.flush();
        }
    }

    /// Transforms what waits, and adds its power. With `z` the transform of `a + i b` of real `a` and `b`,
    /// `|A_k|^2 + |B_k|^2 = (|z_k|^2 + |z_(n - k)|^2) / 2`.
    fn flush(&mut self) {
        if self.sums_of.is_empty() {
            return;
        }
        self.fft.process_with_scratch(&mut self.buffer, &mut self.scratch);
        let (n_fft, n_bins) = (self.params.n_fft, self.params.n_bins());
        for (spectrum, &sum) in self.buffer.chunks_exact(n_fft).zip(&self.sums_of) {
            let sum = &mut self.sums[sum * n_bins..(sum + 1) * n_bins];
            sum[0] += spectrum[0].norm_sqr();
            sum[n_bins - 1] += spectrum[n_bins - 1].norm_sqr();
            let above = spectrum[1..n_bins - 1].iter().zip(spectrum[n_bins..].iter().rev());
            for (sum, (up, down)) in sum[1..n_bins - 1].iter_mut().zip(above) {
                *sum += 0.5 * (up.norm_sqr() + down.norm_sqr());
            }
        }
        self.buffer.clear();
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

/// The runs of inner frames that all segments divide each other into, and the runs of each segment. Frames are shared
/// where segments start a whole number of hops apart.
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

/// `0.5 - 0.5 cos(2 pi k / n)`.
fn periodic_hann(n: usize) -> Vec<f32> {
    (0..n).map(|k| (0.5 - 0.5 * (std::f64::consts::TAU * k as f64 / n as f64).cos()) as f32).collect()
}

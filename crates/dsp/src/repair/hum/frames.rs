//! Demodulates a sound at the multiples of a fundamental with known phase, frame by frame.

use super::decimate::{Decimated, REACH};
use crate::numeric::vectors::vectorized;
use rustfft::num_complex::Complex64;
use std::f64::consts::TAU;

/// Minimum length of a frame: resolves a line from one 25 Hz away.
const FRAME_SECS: f64 = 0.08;

/// Frames of an even number of periods, at least four, spaced by half a frame: a Hann window of this length has zeros
/// at all multiples of half the fundamental except 0, so demodulation at one multiple, or midway between two, excludes
/// all others.
#[derive(Debug, Clone, Copy)]
pub(super) struct FrameGrid {
    /// Length of a window, in samples.
    length: f64,
    /// Distance between frame centres, in samples.
    pub stride: usize,
    /// Sample at the centre of the first frame.
    pub first: usize,
    /// Number of frames.
    pub n_frames: usize,
    /// Samples per second.
    pub rate_hz: f64,
}

/// The phase of a fundamental over time: cubic between knots, linear beyond the first and the last.
#[derive(Debug, Clone)]
pub(super) struct PhaseTrack {
    /// Phase in radians, and its slope at the knot in radians per frame.
    pub knots: Vec<[f64; 2]>,
}

/// One channel's frames: `orders[h][n]` is the amplitude at `h / 2` times the fundamental in frame `n`, half that of a
/// sine.
pub(super) struct Frames {
    orders: Vec<Vec<Complex64>>,
}

impl FrameGrid {
    /// The grid over a decimated sound for a fundamental; `None` if it is shorter than `min` frames.
    pub fn new(n_samples: usize, rate_hz: f64, f0_hz: f64, min: usize) -> Option<FrameGrid> {
        let periods = 2.0 * (FRAME_SECS * f0_hz / 2.0 - 0.05).ceil().max(2.0);
        let length = periods / f0_hz * rate_hz;
        let stride = (length / 2.0).round() as usize;
        let first = (length / 2.0).ceil() as usize + REACH;
        let n_frames = (n_samples.checked_sub(2 * first)?) / stride.max(1) + 1;
        (n_frames >= min).then_some(FrameGrid { length, stride, first, n_frames, rate_hz })
    }

    /// Seconds from a frame to the next.
    pub fn hop_secs(&self) -> f64 {
        self.stride as f64 / self.rate_hz
    }

    /// A position in samples, converted to frames.
    pub fn frame_at(&self, sample: f64) -> f64 {
        (sample - self.first as f64) / self.stride as f64
    }
}

impl PhaseTrack {
    /// The phase for a frequency at each frame.
    pub fn along(hz: &[f64], grid: &FrameGrid) -> PhaseTrack {
        let steps: Vec<f64> = hz.iter().map(|hz| TAU * hz * grid.hop_secs()).collect();
        let mut phase = 0.0;
        let knot = |n: usize| {
            if n > 0 {
                phase += (steps[n - 1] + steps[n]) / 2.0;
            }
            [phase, steps[n]]
        };
        PhaseTrack { knots: (0..steps.len()).map(knot).collect() }
    }

    /// Mean phase advance between knots.
    pub fn mean_step(&self) -> f64 {
        self.knots.iter().map(|knot| knot[1]).sum::<f64>() / self.knots.len() as f64
    }

    /// The frequency at each knot.
    pub fn steps_hz(&self, grid: &FrameGrid) -> Vec<f64> {
        self.knots.iter().map(|knot| knot[1] / TAU / grid.hop_secs()).collect()
    }

    /// The phase at a position in frames.
    pub fn at(&self, frame: f64) -> f64 {
        let last = self.knots.len() - 1;
        let i = (frame.floor().max(0.0) as usize).min(last);
        let [a, da] = self.knots[i];
        let t = frame - i as f64;
        if t <= 0.0 || i == last {
            return a + da * t;
        }
        let [b, db] = self.knots[i + 1];
        let (t2, t3) = (t * t, t * t * t);
        a + (b - a) * (3.0 * t2 - 2.0 * t3) + da * (t3 - 2.0 * t2 + t) + db * (t3 - t2)
    }
}

impl Frames {
    /// Frames of a decimated channel, with `count` multiples.
    pub fn new(sound: &Decimated, grid: &FrameGrid, track: &PhaseTrack, count: usize) -> Frames {
        let reach = (grid.length / 2.0).floor() as usize;
        let turned = (0..sound.samples.len()).map(|i| (-0.5 * track.at(grid.frame_at(i as f64))).sin_cos());
        let (sin, cos): (Vec<f64>, Vec<f64>) = turned.unzip();
        let window: Vec<f64> =
            (0..=2 * reach).map(|i| 0.5 + 0.5 * (TAU * (i as f64 - reach as f64) / grid.length).cos()).collect();
        let sum: f64 = window.iter().sum();
        let mut orders = vec![vec![Complex64::default(); grid.n_frames]; 2 * count + 2];
        let (mut re, mut im) = (vec![0.0; window.len()], vec![0.0; window.len()]);
        for n in 0..grid.n_frames {
            let first = grid.first + n * grid.stride - reach;
            let under = first..first + window.len();
            for ((re, w), x) in re.iter_mut().zip(&window).zip(&sound.samples[under.clone()]) {
                *re = w * x / sum;
            }
            im.fill(0.0);
            for order in orders.iter_mut().skip(1) {
                order[n] = turned_once(&mut re, &mut im, &cos[under.clone()], &sin[under.clone()]);
            }
        }
        Frames { orders }
    }

    /// Number of multiples.
    pub fn count(&self) -> usize {
        self.orders.len() / 2 - 1
    }

    /// Frames of the multiple `k`.
    pub fn line(&self, k: usize) -> &[Complex64] {
        &self.orders[2 * k]
    }

    /// The power of noise at the multiple `k` in each frame: the mean power midway between it and its neighbours,
    /// averaged over three frames.
    pub fn noise(&self, k: usize) -> Vec<f64> {
        let (below, above) = (&self.orders[2 * k - 1], &self.orders[2 * k + 1]);
        let power: Vec<f64> = below.iter().zip(above).map(|(a, b)| (a.norm_sqr() + b.norm_sqr()) / 2.0).collect();
        blurred(&power)
    }
}

vectorized! {
    /// Rotates all samples by half the fundamental's phase, and sums them.
    fn turned_once(re: &mut [f64], im: &mut [f64], cos: &[f64], sin: &[f64]) -> Complex64 {
        let mut sums = [[0.0; 4]; 2];
        let ((re, re_rest), (im, im_rest)) = (re.as_chunks_mut::<4>(), im.as_chunks_mut::<4>());
        let ((cos, cos_rest), (sin, sin_rest)) = (cos.as_chunks::<4>(), sin.as_chunks::<4>());
        for ((re, im), (cos, sin)) in re.iter_mut().zip(im).zip(cos.iter().zip(sin)) {
            turn_and_add(re, im, cos, sin, &mut sums);
        }
        turn_and_add(re_rest, im_rest, cos_rest, sin_rest, &mut sums);
        let [re, im] = sums.map(|sums| sums.iter().sum());
        Complex64::new(re, im)
    }
}

/// Rotates up to four samples, and adds each to a sum of its own.
#[inline(always)]
fn turn_and_add(re: &mut [f64], im: &mut [f64], cos: &[f64], sin: &[f64], sums: &mut [[f64; 4]; 2]) {
    let [sums_re, sums_im] = sums;
    let sums = sums_re.iter_mut().zip(sums_im);
    for (((re, im), (cos, sin)), (sum_re, sum_im)) in re.iter_mut().zip(im).zip(cos.iter().zip(sin)).zip(sums) {
        (*re, *im) = (*re * cos - *im * sin, *re * sin + *im * cos);
        *sum_re += *re;
        *sum_im += *im;
    }
}

/// Moving average over three frames, or two at the ends.
fn blurred(power: &[f64]) -> Vec<f64> {
    let at = |n: usize| {
        let near = &power[n.saturating_sub(1)..(n + 2).min(power.len())];
        near.iter().sum::<f64>() / near.len() as f64
    };
    (0..power.len()).map(at).collect()
}

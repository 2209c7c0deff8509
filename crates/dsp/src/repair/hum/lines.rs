//! The lines of a hum along its phase: each line's wandering amplitude, and their common phase.

use super::frames::{FrameGrid, Frames, PhaseTrack};
use super::rotated::powers;
use super::smoothing::{smoothed_phase, smoothed_walk};
use super::tracking::{FLOOR, first_certainty};
use rustfft::num_complex::Complex64;
use std::f64::consts::TAU;

/// Random-walk deviation of an amplitude after one second, relative to its mean, while testing for hum, and for a known
/// hum.
const AMPLITUDE_DRIFT: f64 = 0.05;
const KNOWN_AMPLITUDE_DRIFT: f64 = 0.03;
/// The same deviation in the first rounds for a known hum: most lines are steady, so frames dominated by a louder tone
/// have large residuals.
const STEADY_AMPLITUDE_DRIFT: f64 = 1e-3;
const STEADY_ROUNDS: usize = 3;
/// Relative random-walk deviation of a fundamental after one second, and uncertainty of its mean.
const DRIFT: f64 = 5e-4;
const MEAN_DRIFT: f64 = 0.01;
/// Number of rounds that fit amplitudes and phase.
const ROUNDS: usize = 6;
/// Minimum ratio of a line's power to the variance of its estimate.
const MIN_POWER: f64 = 6.0;
/// Minimum ratio for a line of a known hum, to be removed.
const MIN_KNOWN_POWER: f64 = 3.0;
/// Maximum phase correction per round, in radians.
const MAX_PHASE_STEP: f64 = 0.5;
/// A tone within `LEAKAGE_RANGE_HZ` leaks into a line if its power in a transform of all frames is more than
/// `LEAKAGE_RATIO` times that of the line; the line's power must then be at least `MIN_LEAKAGE_RATIO` times that of the
/// leakage.
const LEAKAGE_RANGE_HZ: f64 = 12.0;
const LEAKAGE_RATIO: f64 = 1_000.0;
const MIN_LEAKAGE_RATIO: f64 = 2.0;
/// Half width of a line's own lobe under a Hann window, in turns over all frames.
const LOBE_TURNS: usize = 3;

/// A line of a hum in one channel.
pub(super) struct HumLine {
    /// Amplitude in each frame, half that of a sine, with its variance.
    pub amplitude: Vec<Complex64>,
    variance: Vec<f64>,
    /// Inverse variance of the noise in each frame.
    certainty: Vec<f64>,
    /// The log-likelihood gain of each frame.
    gain: Vec<f64>,
    /// Whether no neighbouring tone explains it.
    stands_out: bool,
}

/// Options for fitting lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineFitOptions {
    /// Number of multiples of the fundamental, including itself.
    pub count: usize,
    pub is_tracked: bool,
    pub is_strict: bool,
    /// Whether a hum is known to be present.
    pub is_known: bool,
}

impl LineFitOptions {
    /// Relative random-walk deviation of amplitudes after one second, in a round.
    fn wander(&self, round: usize) -> f64 {
        match self.is_known {
            true if round < STEADY_ROUNDS => STEADY_AMPLITUDE_DRIFT,
            true => KNOWN_AMPLITUDE_DRIFT,
            false => AMPLITUDE_DRIFT,
        }
    }
}

/// Lines by channel and multiple, along a track.
pub(super) struct Lines {
    pub channels: Vec<Vec<HumLine>>,
    pub track: PhaseTrack,
}

impl HumLine {
    fn new(frames: &Frames, k: usize) -> HumLine {
        let certainty = first_certainty(frames, k);
        HumLine { amplitude: Vec::new(), variance: Vec::new(), certainty, gain: Vec::new(), stands_out: true }
    }

    /// Mean power, and mean variance of the amplitude.
    fn means(&self) -> [f64; 2] {
        let n = self.amplitude.len() as f64;
        let power = self.amplitude.iter().map(|a| a.norm_sqr()).sum::<f64>();
        [power / n, self.variance.iter().sum::<f64>() / n]
    }

    /// Whether the line is certainly present.
    pub fn is_there(&self) -> bool {
        let [power, variance] = self.means();
        self.stands_out && power >= MIN_POWER * variance
    }

    /// Whether the line of a known hum is likely enough to be removed.
    pub fn is_likely(&self) -> bool {
        let [power, variance] = self.means();
        self.stands_out && power >= MIN_KNOWN_POWER * variance
    }

    /// The fraction of its amplitude that is signal rather than noise.
    pub fn certain_part(&self) -> f64 {
        let [power, variance] = self.means();
        1.0 - variance / power
    }

    /// Fits the amplitude to frames `z`, in which `noise` is the power beside the line. From the second call on, frames
    /// are weighted by the inverse power of their noise and of their residual from the previous fit, so that loud
    /// moments of the sound count little. `wander` is the relative random-walk deviation of the amplitude after one
    /// second.
    fn fit(&mut self, z: &[Complex64], noise: &[f64], hop_secs: f64, wander: f64) {
        if !self.amplitude.is_empty() {
            let left = z.iter().zip(&self.amplitude).map(|(z, a)| (z - a).norm_sqr());
            self.certainty = left.zip(noise).map(|(left, noise)| 1.0 / ((left + noise) / 2.0 + FLOOR)).collect();
        }
        let sum: f64 = self.certainty.iter().sum();
        let mean = z.iter().zip(&self.certainty).map(|(z, certainty)| z * certainty).sum::<Complex64>() / sum;
        let walk = mean.norm_sqr() * wander * wander * hop_secs + 1e-3 / sum;
        (self.amplitude, self.variance) = smoothed_walk(z, &self.certainty, walk);
        let gain = |((z, a), noise): ((&Complex64, &Complex64), &f64)| {
            ((noise + FLOOR + z.norm_sqr()) / (noise + FLOOR + (z - a).norm_sqr())).ln()
        };
        self.gain = z.iter().zip(&self.amplitude).zip(noise).map(gain).collect();
    }

    /// Tests whether leakage from a tone a few hertz away explains the line: such leakage appears in every frame, and
    /// in the weighted sum of frames if a few of them have most of the weight, but not in a transform of all frames
    /// under one window.
    fn measure_neighbours(&mut self, z: &[Complex64], hop_secs: f64) {
        let n = z.len();
        let hann = |i: usize| 0.5 - 0.5 * (TAU * (i as f64 + 0.5) / n as f64).cos();
        let windowed: Vec<Complex64> = z.iter().enumerate().map(|(i, z)| z * hann(i) * (2.0 / n as f64)).collect();
        let sum: f64 = self.certainty.iter().sum();
        let weights: Vec<Complex64> = self.certainty.iter().map(|c| Complex64::from(c / sum)).collect();
        // Rotated by a number of turns over all frames.
        let turn = |turns: f64| Complex64::cis(-TAU * turns / n as f64);
        let own = powers(&windowed, &[turn(0.0)])[0];
        let counted = z.iter().zip(&weights).map(|(z, weight)| z * weight).sum::<Complex64>().norm_sqr();
        let last = ((LEAKAGE_RANGE_HZ * n as f64 * hop_secs) as usize).min(n / 2);
        let near: Vec<f64> = (LOBE_TURNS..=last).flat_map(|turns| [turns as f64, -(turns as f64)]).collect();
        let beside = powers(&windowed, &near.iter().map(|turns| turn(*turns)).collect::<Vec<_>>());
        let is_leak = |(turns, beside): (&f64, f64)| {
            let leaks = |share: f64| MIN_LEAKAGE_RATIO * beside * share > counted;
            beside > LEAKAGE_RATIO * own && powers(&weights, &[turn(-turns)]).into_iter().any(leaks)
        };
        self.stands_out = !near.iter().zip(beside).any(is_leak);
    }
}

impl Lines {
    /// Fits the lines of every channel and, alternately, the phase, starting from `track`, with which the frames were
    /// demodulated. Without `is_tracked` the frequency is constant. With `is_strict`, lines that may be leakage from a
    /// neighbouring tone are excluded.
    pub fn new(channels: &[Frames], grid: &FrameGrid, track: &PhaseTrack, wanted: LineFitOptions) -> Lines {
        let LineFitOptions { count, is_tracked, is_strict, .. } = wanted;
        let step = track.mean_step();
        // Phases relative to a steady fundamental.
        let own: Vec<f64> = track.knots.iter().enumerate().map(|(n, knot)| knot[0] - step * n as f64).collect();
        let mut phase = own.clone();
        let mut knots = track.knots.clone();
        let noises: Vec<Vec<Vec<f64>>> =
            channels.iter().map(|frames| (1..=count).map(|k| frames.noise(k)).collect()).collect();
        let mut lines: Vec<Vec<HumLine>> =
            channels.iter().map(|frames| (1..=count).map(|k| HumLine::new(frames, k)).collect()).collect();
        for round in 0..ROUNDS {
            let mut push = vec![[0.0; 2]; grid.n_frames];
            for ((frames, lines), noises) in channels.iter().zip(&mut lines).zip(&noises) {
                for ((k, line), noise) in (1..).zip(lines).zip(noises) {
                    let z = turned(frames.line(k), k, &phase, &own);
                    line.fit(&z, noise, grid.hop_secs(), wanted.wander(round));
                    if is_strict && round + 1 == ROUNDS {
                        line.measure_neighbours(&z, grid.hop_secs());
                    }
                    if line.is_there() {
                        add_push(&mut push, &z, line, k);
                    }
                }
            }
            if round + 1 == ROUNDS {
                break;
            }
            let towards = |(phase, [push, info]): (&f64, &[f64; 2])| {
                phase + if *info > 0.0 { (push / info).clamp(-MAX_PHASE_STEP, MAX_PHASE_STEP) } else { 0.0 }
            };
            let measured: Vec<f64> = phase.iter().zip(&push).map(towards).collect();
            let certainty: Vec<f64> = push.iter().map(|[_, info]| 2.0 * info).collect();
            let walk = if is_tracked { (DRIFT * step).powi(2) * grid.hop_secs() } else { 0.0 };
            let smooth = smoothed_phase(&measured, &certainty, walk, (MEAN_DRIFT * step).powi(2));
            phase = smooth.iter().map(|[phase, _]| *phase).collect();
            knots = smooth.iter().enumerate().map(|(n, [p, dp])| [p + step * n as f64, dp + step]).collect();
        }
        Lines { channels: lines, track: PhaseTrack { knots } }
    }

    /// The log-likelihood gain of all present lines in each frame.
    pub fn gains(&self) -> Vec<f64> {
        let mut sum = vec![0.0; self.track.knots.len()];
        for line in self.channels.iter().flatten().filter(|line| line.is_there()) {
            sum.iter_mut().zip(&line.gain).for_each(|(sum, gain)| *sum += gain);
        }
        sum
    }
}

/// Frames of the multiple `k`, rotated from the phases `own`, with which they were demodulated, to `phase`.
fn turned(z: &[Complex64], k: usize, phase: &[f64], own: &[f64]) -> Vec<Complex64> {
    let off = phase.iter().zip(own).map(|(phase, own)| k as f64 * (phase - own));
    z.iter().zip(off).map(|(z, off)| z * Complex64::cis(-off)).collect()
}

/// Adds the first derivative and the negative second derivative (the information) of a line's log likelihood with
/// respect to the phase of the fundamental, both halved. Their ratio is the line's phase correction.
fn add_push(push: &mut [[f64; 2]], z: &[Complex64], line: &HumLine, k: usize) {
    for (((push, z), a), certainty) in push.iter_mut().zip(z).zip(&line.amplitude).zip(&line.certainty) {
        push[0] += k as f64 * certainty * (a.conj() * z).im;
        push[1] += (k * k) as f64 * certainty * a.norm_sqr();
    }
}

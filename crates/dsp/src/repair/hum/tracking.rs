//! The frequency of a hum over time: the path with the highest gain of lines, with a cost on bends.

use super::frames::{FrameGrid, Frames};
use super::rotated::powers;
use rustfft::num_complex::Complex64;
use std::f64::consts::TAU;

/// Gain of one line in one block above which it is compressed logarithmically: a single loud tone of other origin
/// cannot decide the path, but the best frequency for a loud line still has the highest gain.
const LOG_GAIN_KNEE: f64 = 20.0;
/// Increase of the counted gain per factor of e above the knee.
const LOG_GAIN_SLOPE: f64 = 2.0;
/// Number of candidate frequencies on each side of the fundamental.
const HZ_SIDE: usize = 30;
const N_HZ: usize = 2 * HZ_SIDE + 1;
/// Step between frequencies, relative to the fundamental.
const STEP: f64 = 4e-4;
/// Number of slopes on each side of zero; neighbouring slopes differ by a step per second.
const SLOPE_SIDE: usize = 9;
/// Cost of changing the slope of a path by one slope index, and of deviating from a path of that slope by one frequency
/// step.
const SLOPE_COST: f64 = 0.5;
const STEP_COST: f64 = 0.5;
/// Maximum deviation of a fundamental from the centre, relative to it.
pub(super) const REACH: f64 = HZ_SIDE as f64 * STEP;
/// Power floor: 160 dB below full scale.
pub(super) const FLOOR: f64 = 1e-16;

/// The blocks of frames in which gains are computed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blocks {
    /// Length of a block in seconds, within which the frequency is linear.
    pub secs: f64,
    /// Number of multiples used: higher ones are more precise, but ambiguous.
    pub n_lines: usize,
    /// Whether the frequency may rise or fall within a block.
    pub is_sloped: bool,
}

/// Gains of the lines at frequencies near a fundamental in each block, relative to noise.
pub(super) struct Gains {
    /// `blocks[b][slope * N_HZ + i]` is the gain in block `b` with a slope, at the `i`-th frequency.
    blocks: Vec<Vec<f64>>,
    /// Length and step of blocks, in frames.
    length: usize,
    stride: usize,
    hop_secs: f64,
    f0_hz: f64,
    slope_side: usize,
}

impl Gains {
    /// Computes the gains from the frames of all channels, which were made at the steady frequency `f0_hz`: the
    /// logarithm of the likelihood of a tone of any amplitude and phase in noise of a known level, over that of noise
    /// alone.
    pub fn new(channels: &[Frames], grid: &FrameGrid, f0_hz: f64, how: Blocks) -> Gains {
        let hop_secs = grid.hop_secs();
        let length = ((how.secs / hop_secs).round() as usize).clamp(4, grid.n_frames);
        let stride = (length / 2).max(1);
        let slope_side = if how.is_sloped { SLOPE_SIDE } else { 0 };
        let n_blocks = (grid.n_frames - length) / stride + 1;
        let mut gains = Gains { blocks: Vec::new(), length, stride, hop_secs, f0_hz, slope_side };
        gains.blocks = vec![vec![0.0; N_HZ * (2 * slope_side + 1)]; n_blocks];
        for frames in channels {
            for k in 1..=how.n_lines.min(frames.count()) {
                gains.add(frames, k);
            }
        }
        gains
    }

    /// Adds the gains of one line.
    fn add(&mut self, frames: &Frames, k: usize) {
        let (line, certainty) = (frames.line(k), first_certainty(frames, k));
        let (turns, middle) = (TAU * k as f64, (self.length - 1) as f64 / 2.0);
        let turn = |i| Complex64::cis(-turns * self.offset_hz(i) * self.hop_secs);
        let turns_of_hz: Vec<Complex64> = (0..N_HZ).map(turn).collect();
        // How far each slope bends the phase within a block.
        let bend = |slope: f64, n: usize| {
            let secs = (n as f64 - middle) * self.hop_secs;
            Complex64::cis(-turns * slope * secs * secs / 2.0)
        };
        let bends_of = |s: usize| (0..self.length).map(|n| bend(self.slope(s), n)).collect();
        let bends: Vec<Vec<Complex64>> = (0..=2 * self.slope_side).map(bends_of).collect();
        for (b, gains) in self.blocks.iter_mut().enumerate() {
            let under = b * self.stride..b * self.stride + self.length;
            let sum: f64 = certainty[under.clone()].iter().sum();
            for (bends, gains) in bends.iter().zip(gains.chunks_exact_mut(N_HZ)) {
                let straight = |(i, bend): (usize, &Complex64)| line[i] * certainty[i] * bend;
                let straight: Vec<Complex64> = under.clone().zip(bends).map(straight).collect();
                for (power, gain) in powers(&straight, &turns_of_hz).iter().zip(gains) {
                    *gain += counted(power / sum.max(1e-300));
                }
            }
        }
    }

    /// Offset of the `i`-th frequency from the fundamental, in hertz.
    fn offset_hz(&self, i: usize) -> f64 {
        (i as f64 - HZ_SIDE as f64) * STEP * self.f0_hz
    }

    /// The `s`-th slope, in hertz per second.
    fn slope(&self, s: usize) -> f64 {
        (s as f64 - self.slope_side as f64) * STEP * self.f0_hz
    }

    /// The steady frequency with the highest gain, and the gain.
    pub fn steadiest(&self) -> (f64, f64) {
        let gain = |i: usize| self.blocks.iter().map(|gains| gains[self.slope_side * N_HZ + i]).sum::<f64>();
        let all = (0..N_HZ).map(|i| (self.f0_hz + self.offset_hz(i), gain(i)));
        all.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((self.f0_hz, 0.0))
    }

    /// The frequency at each frame along the best path: each block is a line with its own slope, and neighbouring lines
    /// are crossfaded from one block centre to the next.
    pub fn path_hz(&self, n_frames: usize) -> Vec<f64> {
        let path = self.best_path();
        let middle = (self.length - 1) as f64 / 2.0;
        let of_block = |block: usize, from_first: f64| {
            let (slope, i) = (path[block] / N_HZ, path[block] % N_HZ);
            let secs = (from_first - (block * self.stride) as f64) * self.hop_secs;
            self.f0_hz + self.offset_hz(i) + self.slope(slope) * secs
        };
        let at_frame = |frame: usize| {
            let from_first = frame as f64 - middle;
            let block = (from_first / self.stride as f64).clamp(0.0, (path.len() - 1) as f64);
            let (a, part) = (block as usize, block.fract());
            let [a, b] = [a, (a + 1).min(path.len() - 1)].map(|block| of_block(block, from_first));
            a + part * (b - a)
        };
        (0..n_frames).map(at_frame).collect()
    }

    /// The best path (Viterbi 1967): for each block the state `slope * N_HZ + i`, with the indices of slope and
    /// frequency.
    fn best_path(&self) -> Vec<usize> {
        let mut best = self.blocks[0].clone();
        let mut from: Vec<Vec<usize>> = Vec::new();
        for gains in &self.blocks[1..] {
            let before: Vec<(usize, f64)> = (0..best.len()).map(|state| self.before(state, &best)).collect();
            best = before.iter().zip(gains).map(|((_, before), gain)| before + gain).collect();
            from.push(before.into_iter().map(|(state, _)| state).collect());
        }
        let mut at = (0..best.len()).max_by(|&a, &b| best[a].total_cmp(&best[b])).unwrap_or(0);
        let mut path = vec![at];
        for from in from.iter().rev() {
            at = from[at];
            path.push(at);
        }
        path.reverse();
        path
    }

    /// The best state of the previous block, and its gain minus the cost of the transition.
    fn before(&self, state: usize, best: &[f64]) -> (usize, f64) {
        let (slope, i) = (state / N_HZ, state % N_HZ);
        let secs = self.stride as f64 * self.hop_secs;
        let mut max = (state, f64::NEG_INFINITY);
        for before in slope.saturating_sub(1)..(slope + 2).min(2 * self.slope_side + 1) {
            let straight = i as f64 - ((slope + before) as f64 / 2.0 - self.slope_side as f64) * secs;
            for j in (straight.floor() as i64 - 1).max(0)..=(straight.ceil() as i64 + 1).min(N_HZ as i64 - 1) {
                let cost = STEP_COST * (j as f64 - straight).abs() + SLOPE_COST * slope.abs_diff(before) as f64;
                let from = before * N_HZ + j as usize;
                if best[from] - cost > max.1 {
                    max = (from, best[from] - cost);
                }
            }
        }
        max
    }
}

/// The gain, compressed logarithmically above the knee.
fn counted(gain: f64) -> f64 {
    gain.min(LOG_GAIN_KNEE) + LOG_GAIN_SLOPE * (gain.max(LOG_GAIN_KNEE) / LOG_GAIN_KNEE).ln()
}

/// Inverse variance of each frame of a line, before anything is known about the hum: from the power midway between it
/// and its neighbours, plus its own power in excess of the quietest twentieth of its frames, which a steady hum cannot
/// cause.
pub(super) fn first_certainty(frames: &Frames, k: usize) -> Vec<f64> {
    let power: Vec<f64> = frames.line(k).iter().map(|z| z.norm_sqr()).collect();
    let twentieth = power.len() / 20;
    let quiet = *power.clone().select_nth_unstable_by(twentieth, f64::total_cmp).1;
    let noise = frames.noise(k);
    power.iter().zip(noise).map(|(power, noise)| 1.0 / ((power - quiet).max(0.0) + noise + FLOOR)).collect()
}

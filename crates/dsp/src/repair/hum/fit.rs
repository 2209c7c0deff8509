//! The hum of a passage: the phase of its fundamental and the amplitude of each line in each channel, with their drift.

use super::decimate::{Decimated, factor_for};
use super::frames::{FrameGrid, Frames, PhaseTrack};
use super::lines::{HumLine, LineFitOptions, Lines};
use super::tracking::{Blocks, Gains};
use rayon::prelude::*;
use rustfft::num_complex::Complex64;

/// Minimum log-likelihood gain of a drifting fundamental over a steady one.
const DRIFT_MARGIN: f64 = 8.0;
/// Number of frames between two knots of an amplitude.
const KNOT_FRAMES: usize = 4;
/// Minimum number of frames for a fit.
pub(super) const MIN_FRAMES: usize = 12;
/// Paths that differ by at most this fraction of the fundamental everywhere count as the same.
const MAX_PATH_DEVIATION: f64 = 3e-4;
/// Block length in seconds and number of lines for each initial estimate of the path; any single one fails on some
/// sounds.
const FIRST_PATHS: [(f64, usize); 6] = [(2.0, 8), (2.0, 12), (1.5, 8), (1.5, 12), (3.0, 8), (3.0, 4)];

/// The hum to fit in a passage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HumOptions {
    /// The fundamental, accurate to about 1 %.
    pub f0_hz: f64,
    /// Number of multiples, including the fundamental itself.
    pub count: usize,
    /// Whether the fundamental may drift.
    pub is_tracked: bool,
    /// Whether to exclude lines that may be leakage from a louder tone a few hertz away.
    pub is_strict: bool,
    /// Whether a hum is known to be present. If so, lines are assumed to be steadier, and those that are only likely
    /// are removed, too.
    pub is_known: bool,
}

/// The hum of a passage.
#[derive(Debug, Clone)]
pub struct HumFit {
    grid: FrameGrid,
    /// Decimation factor.
    factor: usize,
    track: PhaseTrack,
    /// Amplitudes by channel and multiple, at every `KNOT_FRAMES`-th frame; empty for missing lines.
    lines: Vec<Vec<Vec<Complex64>>>,
    /// Multiples certainly present, ascending.
    multiples: Vec<usize>,
    gains: Vec<f64>,
}

impl HumFit {
    /// Fits the channels of a passage, all of equal length; `None` if it is too short.
    pub fn new(channels: &[Vec<f32>], rate_hz: f64, wanted: HumOptions) -> Option<HumFit> {
        let HumOptions { f0_hz, count, is_tracked, is_strict, is_known } = wanted;
        let factor = factor_for(rate_hz, (count as f64 + 1.0) * f0_hz);
        let sounds: Vec<Decimated> = channels.iter().map(|channel| Decimated::new(channel, factor)).collect();
        let n_samples = sounds.first()?.samples.len();
        let grid = FrameGrid::new(n_samples, rate_hz / factor as f64, f0_hz, MIN_FRAMES)?;
        let frames = |track: &PhaseTrack| -> Vec<Frames> {
            sounds.iter().map(|sound| Frames::new(sound, &grid, track, count)).collect()
        };
        let first = frames(&PhaseTrack::along(&vec![f0_hz; grid.n_frames], &grid));
        // The first path is the steady one.
        let tried = paths(&first, &grid, f0_hz, is_tracked).into_par_iter().enumerate().map(|(i, path)| {
            let track = PhaseTrack::along(&path, &grid);
            let wanted = LineFitOptions { count, is_tracked: i > 0, is_strict, is_known };
            // Only the track of this fit is used, and `is_strict` does not affect it.
            let near = Lines::new(&frames(&track), &grid, &track, LineFitOptions { is_strict: false, ..wanted }).track;
            let lines = Lines::new(&frames(&near), &grid, &near, wanted);
            (lines.gains().iter().sum::<f64>() + if i == 0 { DRIFT_MARGIN } else { 0.0 }, lines)
        });
        let tried: Vec<(f64, Lines)> = tried.collect();
        let (_, lines) = tried.into_iter().rev().max_by(|a, b| a.0.total_cmp(&b.0))?;
        let gains = lines.gains();
        let is_sure = |k: &usize| lines.channels.iter().any(|lines| lines[k - 1].is_there());
        let multiples = (1..=count).filter(is_sure).collect();
        let knots = |line: &HumLine| knots_of(line, is_known);
        let knots = lines.channels.iter().map(|lines| lines.iter().map(knots).collect()).collect();
        Some(HumFit { grid, factor, track: lines.track, lines: knots, multiples, gains })
    }

    /// Writes the hum of a channel into `out`, starting at sample `first` of the passage.
    pub fn write(&self, channel: usize, first: usize, out: &mut [f64]) {
        for (i, sample) in out.iter_mut().enumerate() {
            let frame = self.grid.frame_at((first + i) as f64 / self.factor as f64);
            let turn = Complex64::cis(self.track.at(frame));
            let knot = (frame / KNOT_FRAMES as f64).max(0.0);
            let (a, part) = (knot as usize, knot.fract());
            let mut power = Complex64::new(1.0, 0.0);
            let mut sum = 0.0;
            for line in &self.lines[channel] {
                power *= turn;
                if let Some(last) = line.len().checked_sub(1) {
                    let [a, b] = [a, a + 1].map(|knot| line[knot.min(last)]);
                    sum += ((a + (b - a) * part) * power).re;
                }
            }
            *sample = 2.0 * sum;
        }
    }

    /// Multiples certainly present in any channel, ascending.
    pub fn multiples(&self) -> &[usize] {
        &self.multiples
    }

    /// The fundamental in hertz at each frame.
    pub fn track_hz(&self) -> Vec<f64> {
        self.track.steps_hz(&self.grid)
    }

    /// The power of all lines in the first and in the last quarter of the passage.
    pub fn powers(&self) -> [f64; 2] {
        let mut powers = [0.0; 2];
        for line in self.lines.iter().flatten() {
            let quarter = line.len().div_ceil(4);
            for (power, part) in powers.iter_mut().zip([&line[..quarter], &line[line.len() - quarter..]]) {
                *power += part.iter().map(|a| a.norm_sqr()).sum::<f64>();
            }
        }
        powers
    }

    /// The mean power of the hum in each channel, relative to a full-scale sine.
    pub fn mean_powers(&self) -> Vec<f64> {
        let of_line = |line: &Vec<Complex64>| {
            let power: f64 = line.iter().map(|a| a.norm_sqr()).sum();
            4.0 * power / line.len().max(1) as f64
        };
        self.lines.iter().map(|lines| lines.iter().map(of_line).sum()).collect()
    }

    /// The mean fundamental in hertz.
    pub fn mean_hz(&self) -> f64 {
        let hz = self.track_hz();
        hz.iter().sum::<f64>() / hz.len() as f64
    }

    /// Removes all lines.
    pub fn clear(&mut self) {
        self.lines.iter_mut().flatten().for_each(Vec::clear);
        self.multiples.clear();
    }

    /// The log-likelihood gain of each frame.
    pub fn gains(&self) -> &[f64] {
        &self.gains
    }

    /// Seconds from one frame to the next.
    pub fn hop_secs(&self) -> f64 {
        self.grid.hop_secs()
    }
}

/// Initial estimates of the frequency at each frame: the steady one first, then others without duplicates.
fn paths(channels: &[Frames], grid: &FrameGrid, f0_hz: f64, is_tracked: bool) -> Vec<Vec<f64>> {
    let of = |secs, n_lines, is_sloped| Gains::new(channels, grid, f0_hz, Blocks { secs, n_lines, is_sloped });
    let mut paths = vec![vec![of(2.0, 8, false).steadiest().0; grid.n_frames]];
    for (secs, n_lines) in FIRST_PATHS.into_iter().filter(|_| is_tracked) {
        let path = of(secs, n_lines, true).path_hz(grid.n_frames);
        let is_apart =
            |other: &Vec<f64>| other.iter().zip(&path).any(|(a, b)| (a - b).abs() > MAX_PATH_DEVIATION * f0_hz);
        if paths.iter().skip(1).all(is_apart) {
            paths.push(path);
        }
    }
    paths
}

/// The amplitudes of a line at its knots, scaled to the part that is signal rather than noise; empty unless the line is
/// certainly present, or likely in a known hum.
fn knots_of(line: &HumLine, is_known: bool) -> Vec<Complex64> {
    if !(line.is_there() || is_known && line.is_likely()) {
        return Vec::new();
    }
    let part = line.certain_part();
    line.amplitude.iter().step_by(KNOT_FRAMES).map(|a| a * part).collect()
}

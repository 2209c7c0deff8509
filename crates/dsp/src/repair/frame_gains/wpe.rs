//! Reverberation predicted between linked channels, bin by bin: weighted prediction error (Nakatani, Yoshioka,
//! Kinoshita, Miyoshi and Juang, 2010).

use super::MIN_POWER;
use super::frames::FrameCells;
use rayon::prelude::*;
use rustfft::num_complex::{Complex32, Complex64};

/// Number of frames from a cell back to the latest frame that predicts it, and the number of predicting frames.
const N_DELAY: usize = 3;
const N_TAPS: usize = 10;
/// Minimum power of a frame, relative to the mean of its bin.
const MIN_FRAME_POWER: f64 = 1e-10;
/// Regularisation added to the diagonal, relative to its mean.
const REGULARISATION: f64 = 1e-8;

/// Predicts each cell of some channels from earlier cells of all of them, for all bins.
#[derive(Debug, Clone)]
pub struct MultichannelPrediction {
    bins: Vec<BinFilter>,
    n_channels: usize,
    /// For each bin its cells in the last frames, newest first, with the channels of a frame adjacent.
    past: Vec<Vec<Complex64>>,
}

/// The coefficients of one bin, `[channel][earlier cell]`, conjugated.
#[derive(Debug, Clone, Default)]
struct BinFilter(Vec<Vec<Complex64>>);

/// Fits a prediction to a sound that is passed frame by frame in each of several rounds.
pub struct PredictionFit {
    prediction: MultichannelPrediction,
    sums: Vec<BinSums>,
}

/// The weighted products of one bin.
struct BinSums {
    /// Lower limit of the power of a frame; the inverse of that power is the weight of the frame.
    floor: f64,
    /// Correlations of earlier cells with each other, row by row up to the diagonal.
    among: Vec<Complex64>,
    /// Correlations of earlier cells with the current cell of each channel.
    with: Vec<Complex64>,
}

impl MultichannelPrediction {
    /// Number of fitting rounds.
    pub const N_ROUNDS: usize = 3;
    /// Number of earlier frames that affect a frame.
    pub const N_FRAMES_BEFORE: usize = N_DELAY + N_TAPS - 1;

    fn none(n_channels: usize, n_bins: usize) -> MultichannelPrediction {
        let past = vec![vec![Complex64::default(); n_channels * Self::N_FRAMES_BEFORE]; n_bins];
        MultichannelPrediction { bins: vec![BinFilter::default(); n_bins], n_channels, past }
    }

    /// The next frame without its predicted part.
    pub fn next(&mut self, frame: &FrameCells) -> FrameCells {
        let mut left = frame.clone();
        for (bin, (filter, past)) in self.bins.iter().zip(&mut self.past).enumerate() {
            let predicting = &past[(N_DELAY - 1) * self.n_channels..];
            for (channel, cells) in left.iter_mut().enumerate() {
                let predicted = filter.predicted(channel, predicting);
                cells[bin] -= Complex32::new(predicted.re as f32, predicted.im as f32);
            }
            push(past, frame, bin);
        }
        left
    }
}

/// Pushes a frame's cells in front of earlier ones.
fn push(past: &mut [Complex64], frame: &FrameCells, bin: usize) {
    past.rotate_right(frame.len());
    for (past, channel) in past.iter_mut().zip(frame) {
        *past = Complex64::new(f64::from(channel[bin].re), f64::from(channel[bin].im));
    }
}

impl BinFilter {
    fn predicted(&self, channel: usize, past: &[Complex64]) -> Complex64 {
        let coefficients = self.0.get(channel).map(Vec::as_slice).unwrap_or_default();
        coefficients.iter().zip(past).map(|(coefficient, past)| coefficient * past).sum()
    }
}

impl PredictionFit {
    /// A fit for channels with known mean powers, by bin.
    pub fn new(n_channels: usize, mean_powers: &[f64]) -> PredictionFit {
        let n = n_channels * N_TAPS;
        let sums = |power: &f64| BinSums {
            floor: MIN_FRAME_POWER * power + MIN_POWER,
            among: vec![Complex64::default(); n * (n + 1) / 2],
            with: vec![Complex64::default(); n * n_channels],
        };
        PredictionFit {
            prediction: MultichannelPrediction::none(n_channels, mean_powers.len()),
            sums: mean_powers.iter().map(sums).collect(),
        }
    }

    /// Adds the next frames of the sound to the sums of the current round.
    pub fn push(&mut self, frames: &[FrameCells]) {
        let MultichannelPrediction { bins, n_channels, past } = &mut self.prediction;
        let n_channels = *n_channels;
        let work = bins.par_iter().zip(past).zip(&mut self.sums).enumerate();
        work.for_each(|(bin, ((filter, past), sums))| {
            for frame in frames {
                let predicting = &past[(N_DELAY - 1) * n_channels..];
                sums.add(filter, predicting, frame, bin);
                push(past, frame, bin);
            }
        });
    }

    /// Solves for the prediction once all frames of a round have been added; the next round starts from it.
    pub fn solve(&mut self) {
        let n_channels = self.prediction.n_channels;
        self.prediction.bins.par_iter_mut().zip(&mut self.sums).for_each(|(filter, sums)| {
            *filter = sums.filter(n_channels);
            sums.among.fill(Complex64::default());
            sums.with.fill(Complex64::default());
        });
        self.prediction.past.iter_mut().for_each(|past| past.fill(Complex64::default()));
    }

    /// The latest solution of the prediction.
    pub fn finish(self) -> MultichannelPrediction {
        self.prediction
    }
}

impl BinSums {
    fn add(&mut self, filter: &BinFilter, past: &[Complex64], frame: &FrameCells, bin: usize) {
        let cell = |channel: &Vec<Complex32>| Complex64::new(channel[bin].re.into(), channel[bin].im.into());
        let left = |(number, channel)| (cell(channel) - filter.predicted(number, past)).norm_sqr();
        let power = frame.iter().enumerate().map(left).sum::<f64>() / frame.len() as f64;
        let weight = 1.0 / power.max(self.floor);
        let mut start = 0;
        for (row, value) in past.iter().enumerate() {
            let weighted = value * weight;
            let products = &mut self.among[start..=start + row];
            products.iter_mut().zip(past).for_each(|(sum, other)| *sum += weighted * other.conj());
            start += row + 1;
            let with = &mut self.with[row * frame.len()..(row + 1) * frame.len()];
            with.iter_mut().zip(frame).for_each(|(sum, channel)| *sum += weighted * cell(channel).conj());
        }
    }

    /// The least-squares solution, by Cholesky decomposition; an empty filter if the matrix is not positive definite.
    fn filter(&self, n_channels: usize) -> BinFilter {
        let n = self.with.len() / n_channels;
        let row = |i: usize| i * (i + 1) / 2;
        let mean = (0..n).map(|i| self.among[row(i) + i].re).sum::<f64>() / n as f64;
        let mut lower = self.among.clone();
        for i in 0..n {
            lower[row(i) + i] += REGULARISATION * mean + MIN_POWER;
            for j in 0..=i {
                let products = (0..j).map(|k| lower[row(i) + k] * lower[row(j) + k].conj());
                let rest = lower[row(i) + j] - products.sum::<Complex64>();
                lower[row(i) + j] = match i == j {
                    true if rest.re > 0.0 => rest.re.sqrt().into(),
                    true => return BinFilter::default(),
                    false => rest / lower[row(j) + j].re,
                };
            }
        }
        let solved = |channel: usize| {
            let mut x: Vec<Complex64> = (0..n).map(|i| self.with[i * n_channels + channel]).collect();
            for i in 0..n {
                let sum = (0..i).map(|k| lower[row(i) + k] * x[k]).sum::<Complex64>();
                x[i] = (x[i] - sum) / lower[row(i) + i].re;
            }
            for i in (0..n).rev() {
                let sum = (i + 1..n).map(|k| lower[row(k) + i].conj() * x[k]).sum::<Complex64>();
                x[i] = (x[i] - sum) / lower[row(i) + i].re;
            }
            x.iter().map(Complex64::conj).collect()
        };
        BinFilter((0..n_channels).map(solved).collect())
    }
}

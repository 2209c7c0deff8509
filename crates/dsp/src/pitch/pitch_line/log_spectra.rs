//! Input of the network: spectrograms with rows on a logarithmic frequency axis.

use super::{MAX, N_ROWS, STEP_SAMPLES, WINDOWS};
use crate::base::Result;
use crate::dsp::numeric::network::{LayerFrames, WeightReader};
use crate::dsp::transforms::fft_plans::{FftPlans, RealFfts};
use rayon::prelude::*;
use rustfft::num_complex::Complex32;

/// Added to magnitudes before the logarithm.
const LOG_OFFSET: f32 = 1e-8;

/// Window and filter bank of one spectrogram.
#[derive(Debug)]
struct Bank {
    window: Vec<f32>,
    rows: Vec<BinRow>,
}

/// A row of a spectrogram: weights of adjacent bins.
#[derive(Debug)]
struct BinRow {
    first_bin: usize,
    weights: Vec<f32>,
}

/// Computes all three spectrograms.
#[derive(Debug)]
pub(super) struct LogSpectra {
    banks: Vec<Bank>,
    plans: FftPlans,
}

impl LogSpectra {
    /// Reads the filter banks.
    pub fn read(weights: &mut WeightReader<'_>) -> Result<LogSpectra> {
        let banks = WINDOWS.map(|n| Bank::read(n, weights)).into_iter().collect::<Result<_>>()?;
        Ok(LogSpectra { banks, plans: FftPlans::default() })
    }

    /// The three spectrograms as channels of frames whose centres are a step apart. `samples` extend from half the
    /// longest window before the centre of the first frame to half of it after the centre of the last.
    pub fn make(&self, samples: &[f32], n_frames: usize) -> LayerFrames {
        let n_channels = self.banks.len();
        let mut values = vec![0.0; n_frames * N_ROWS * n_channels];
        let ffts: Vec<RealFfts> = self.banks.iter().map(|bank| self.plans.get(bank.window.len())).collect();
        values.par_chunks_mut(N_ROWS * n_channels).enumerate().for_each(|(frame, values)| {
            let around = &samples[frame * STEP_SAMPLES..][..MAX];
            for (channel, (bank, ffts)) in self.banks.iter().zip(&ffts).enumerate() {
                bank.fill(around, ffts, values.iter_mut().skip(channel).step_by(n_channels));
            }
        });
        LayerFrames::new([N_ROWS, n_channels], values)
    }
}

impl Bank {
    fn read(n: usize, weights: &mut WeightReader<'_>) -> Result<Bank> {
        let [firsts, counts] = [weights.tensor(&[N_ROWS])?, weights.tensor(&[N_ROWS])?];
        let counts: Vec<usize> = counts.into_iter().map(|count| count as usize).collect();
        let all = weights.tensor(&[counts.iter().sum()])?;
        let mut rest = &all[..];
        let mut rows = Vec::with_capacity(N_ROWS);
        for (first, count) in firsts.into_iter().zip(counts) {
            let (of_row, behind) = rest.split_at(count);
            rest = behind;
            // A damaged file may name bins that do not exist.
            let first_bin = (first as usize).min((n / 2 + 1).saturating_sub(count));
            rows.push(BinRow { first_bin, weights: of_row.to_vec() });
        }
        let turn = std::f64::consts::TAU / n as f64;
        let window = (0..n).map(|i| (0.5 - 0.5 * (turn * i as f64).cos()) as f32).collect();
        Ok(Bank { window, rows })
    }

    /// Fills the rows of a frame from the [`MAX`] samples around its centre.
    fn fill<'a>(&self, around: &[f32], ffts: &RealFfts, rows: impl Iterator<Item = &'a mut f32>) {
        let n = self.window.len();
        let own = &around[(MAX - n) / 2..][..n];
        let mut windowed: Vec<f32> = own.iter().zip(&self.window).map(|(x, w)| x * w).collect();
        let mut spectrum = vec![Complex32::default(); n / 2 + 1];
        // Cannot fail: the buffers have the plan's lengths.
        ffts.forward.process(&mut windowed, &mut spectrum).ok();
        for (value, row) in rows.zip(&self.rows) {
            let bins = spectrum.get(row.first_bin..).unwrap_or_default();
            let sum: f32 = bins.iter().zip(&row.weights).map(|(bin, weight)| bin.norm() * weight).sum();
            *value = (sum + LOG_OFFSET).ln();
        }
    }
}

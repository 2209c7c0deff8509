//! Timbre of a sound: means and standard deviations of its mel-frequency cepstral coefficients (MFCC).

use super::mel_levels::N_MELS;

/// Number of coefficients, 1 to 20; coefficient 0, the level, is omitted.
pub const N_MFCC: usize = 20;

/// Statistics over all frames.
#[derive(Debug, Clone, PartialEq)]
pub struct MfccDescriptors {
    /// Mean of each coefficient.
    pub mfcc_mean: [f64; N_MFCC],
    /// Population standard deviation of each coefficient.
    pub mfcc_std: [f64; N_MFCC],
}

/// Accumulates the coefficients of frames.
#[derive(Debug, Clone)]
pub struct MfccMeter {
    /// The orthonormal DCT-II, one row per coefficient.
    rows: Vec<[f64; N_MELS]>,
    n_frames: u64,
    /// Running means, and sums of squared deviations.
    means: [f64; N_MFCC],
    squares: [f64; N_MFCC],
}

impl Default for MfccMeter {
    fn default() -> MfccMeter {
        let scale = (2.0 / N_MELS as f64).sqrt();
        let row = |index: usize| {
            let turn = std::f64::consts::PI * (index + 1) as f64 / N_MELS as f64;
            std::array::from_fn(|mel| scale * (turn * (mel as f64 + 0.5)).cos())
        };
        MfccMeter { rows: (0..N_MFCC).map(row).collect(), n_frames: 0, means: [0.0; N_MFCC], squares: [0.0; N_MFCC] }
    }
}

impl MfccMeter {
    /// Processes the mel levels of the next frame, in dB.
    pub fn push(&mut self, levels: &[f64]) {
        self.n_frames += 1;
        let sums = self.means.iter_mut().zip(&mut self.squares);
        for (row, (mean, squares)) in self.rows.iter().zip(sums) {
            let value: f64 = row.iter().zip(levels).map(|(weight, level)| weight * level).sum();
            let apart = value - *mean;
            *mean += apart / self.n_frames as f64;
            *squares += apart * (value - *mean);
        }
    }

    /// The result; `None` if there were no frames.
    pub fn finish(&self) -> Option<MfccDescriptors> {
        let deviation = |squares: f64| (squares / self.n_frames as f64).sqrt();
        (self.n_frames > 0).then(|| MfccDescriptors { mfcc_mean: self.means, mfcc_std: self.squares.map(deviation) })
    }
}

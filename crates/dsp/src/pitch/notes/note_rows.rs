//! The constant-Q rows of the network's input: every octave uses the same kernels, on the sound at half the sample rate
//! of the octave above.

use super::{STEP_SAMPLES, WINDOW_FRAMES};
use crate::base::Result;
use crate::dsp::numeric::network::{Activation, GroupedProduct, LayerFrames, WeightReader};

/// Number of rows, from 27.5 Hz upwards.
pub(super) const N_ROWS: usize = 309;
/// Number of rows per octave.
const PER_OCTAVE: usize = 36;
const N_OCTAVES: usize = 9;
/// Number of samples of a kernel, and of the low-pass filter.
const N_TAPS: usize = 256;
/// Number of output samples of the low-pass filter computed side by side.
const LANES: usize = 8;
/// Number of zeros before and after the sound to be halved.
const PADDING_SAMPLES: usize = 127;
/// Value added to powers before the logarithm.
const MIN_POWER: f32 = 1e-10;

/// The kernels and the filter.
#[derive(Debug)]
pub(super) struct NoteRows {
    /// The real parts of an octave's kernels, then their imaginary parts.
    kernels: GroupedProduct,
    low_pass: GroupedProduct,
    /// A factor for each row.
    levels: Vec<f32>,
}

impl NoteRows {
    /// Reads the weights.
    pub fn read(weights: &mut WeightReader<'_>) -> Result<NoteRows> {
        let parts = [weights.tensor(&[PER_OCTAVE, N_TAPS])?, weights.tensor(&[PER_OCTAVE, N_TAPS])?].concat();
        let filter = weights.tensor(&[N_TAPS])?;
        let levels = weights.tensor(&[N_ROWS])?;
        let kernel = |_: usize, tap: usize, output: usize| parts[output * N_TAPS + tap];
        let shifted = |_: usize, tap: usize, output: usize| {
            tap.checked_sub(2 * output).and_then(|tap| filter.get(tap)).copied().unwrap_or(0.0)
        };
        let n_taken = N_TAPS + 2 * (LANES - 1);
        Ok(NoteRows {
            kernels: GroupedProduct::new([1, N_TAPS, 2 * PER_OCTAVE], kernel, None, Activation::None),
            low_pass: GroupedProduct::new([1, n_taken, LANES], shifted, None, Activation::None),
            levels,
        })
    }

    /// The rows of a window as a single channel: levels in decibels, scaled from 0 for the lowest to 1 for the highest.
    pub fn make(&self, window: &[f32]) -> LayerFrames {
        let mut rows = LayerFrames::zeros(WINDOW_FRAMES, [N_ROWS, 1]);
        let mut sound = window.to_vec();
        for octave in 0..N_OCTAVES {
            if octave > 0 {
                sound = self.halved(&sound);
            }
            self.fill_octave(&sound, octave, &mut rows);
        }
        scale(rows.values_mut());
        rows
    }

    /// Low-pass filters a sound and halves its sample rate.
    fn halved(&self, sound: &[f32]) -> Vec<f32> {
        let n_made = (sound.len() + 2 * PADDING_SAMPLES - N_TAPS) / 2 + 1;
        let n_blocks = n_made.div_ceil(LANES);
        let n_taken = self.low_pass.n_all_inputs();
        let mut around = vec![0.0; (n_blocks - 1) * 2 * LANES + n_taken];
        let n_kept = sound.len().min(around.len() - PADDING_SAMPLES);
        around[PADDING_SAMPLES..PADDING_SAMPLES + n_kept].copy_from_slice(&sound[..n_kept]);
        let blocks: Vec<f32> =
            (0..n_blocks).flat_map(|block| &around[block * 2 * LANES..][..n_taken]).copied().collect();
        let mut made = vec![0.0; n_blocks * LANES];
        self.low_pass.apply(&blocks, &mut made);
        made.truncate(n_made);
        made
    }

    /// Fills the rows of an octave, counted from the highest, with magnitudes; the lowest octave has fewer.
    fn fill_octave(&self, sound: &[f32], octave: usize, rows: &mut LayerFrames) {
        let n = sound.len();
        // Mirrored at the first and the last sample.
        let half = N_TAPS / 2;
        let before = (1..=half).rev().map(|at| sound[at]);
        let behind = (1..=half).map(|at| sound[n - 1 - at]);
        let around: Vec<f32> = before.chain(sound.iter().copied()).chain(behind).collect();
        let step = STEP_SAMPLES >> octave;
        let frames: Vec<f32> =
            (0..WINDOW_FRAMES).flat_map(|frame| &around[frame * step..][..N_TAPS]).copied().collect();
        let mut products = vec![0.0; WINDOW_FRAMES * 2 * PER_OCTAVE];
        self.kernels.apply(&frames, &mut products);
        let n_cut = N_OCTAVES * PER_OCTAVE - N_ROWS;
        let first = (N_OCTAVES - 1 - octave) * PER_OCTAVE;
        for (frame, parts) in products.chunks_exact(2 * PER_OCTAVE).enumerate() {
            let (real, imaginary) = parts.split_at(PER_OCTAVE);
            for (at, (real, imaginary)) in real.iter().zip(imaginary).enumerate() {
                if let Some(row) = (first + at).checked_sub(n_cut) {
                    let [real, imaginary] = [real, imaginary].map(|part| part * self.levels[row]);
                    rows.values_mut()[frame * N_ROWS + row] = (real * real + imaginary * imaginary).sqrt();
                }
            }
        }
    }
}

/// Converts magnitudes to decibels, scaled to 0 to 1; all 0 if all are equal.
fn scale(magnitudes: &mut [f32]) {
    let [mut lowest, mut highest] = [f32::INFINITY, f32::NEG_INFINITY];
    for value in magnitudes.iter_mut() {
        *value = 10.0 * ((*value * *value + MIN_POWER).ln() * std::f32::consts::LOG10_E);
        (lowest, highest) = (lowest.min(*value), highest.max(*value));
    }
    let range = highest - lowest;
    for value in magnitudes {
        *value = if range > 0.0 { (*value - lowest) / range } else { 0.0 };
    }
}

//! A-weighted levels of frames.

use super::frames::SpeechCells;
use super::{FRAME_SAMPLES, N_BINS, RATE_HZ};

/// Added to a power before the logarithm.
const MIN_POWER: f64 = 1e-30;

/// A-weighted levels of frames (IEC 61672). The weighting removes a DC offset and strongly attenuates mains hum.
pub struct WeightedLevel {
    /// Weight of the power of each bin.
    weights: Vec<f64>,
}

/// Squared A-weights of the bins of a frame of `FRAME_SAMPLES` samples at `RATE_HZ`.
impl Default for WeightedLevel {
    fn default() -> WeightedLevel {
        let hz = |bin: usize| bin as f64 * RATE_HZ / FRAME_SAMPLES as f64;
        WeightedLevel { weights: (0..N_BINS).map(|bin| a_weight(hz(bin)).powi(2)).collect() }
    }
}

impl WeightedLevel {
    /// The level of a frame in dB, from the mean power of all channels. The reference for 0 dB is arbitrary, since only
    /// differences matter.
    pub fn db(&self, channels: &[SpeechCells]) -> f32 {
        let power = |cells: &SpeechCells| -> f64 {
            cells.iter().zip(&self.weights).map(|(cell, weight)| f64::from(cell.norm_sqr()) * weight).sum()
        };
        let mean = channels.iter().map(power).sum::<f64>() / channels.len().max(1) as f64;
        (10.0 * (mean + MIN_POWER).log10()) as f32
    }
}

/// The A-weighting of an amplitude at a frequency; 0.794 at 1,000 Hz.
fn a_weight(hz: f64) -> f64 {
    let square = hz * hz;
    let [low, middle, upper, high] = [20.6f64, 107.7, 737.9, 12_194.0].map(|corner| corner * corner);
    high * square * square / ((square + low) * ((square + middle) * (square + upper)).sqrt() * (square + high))
}

//! The shape of the spectrum, and the fraction of silence.

use super::analysis::{FrameReading, counted, hz_from_bin};
use super::statistics::{deviation, mean};

/// Fraction of the magnitude below the roll-off.
const ROLLOFF_SHARE: f64 = 0.85;
/// Value to which smaller powers of bins are raised for the flatness.
const MIN_POWER: f64 = 1e-10;

/// Descriptors over the frames that are not silent, or over all frames if all are silent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpectrumDescriptors {
    /// Fraction of silent frames.
    pub silence_ratio: f64,
    /// Mean spectral centroid of the frames, weighted by magnitude.
    pub centroid_hz: Option<f64>,
    /// Standard deviation of the centroid.
    pub centroid_std_hz: Option<f64>,
    /// Mean bandwidth of the frames around their centroid, `sqrt(sum S (f - centre)^2 / sum S)` for the magnitude `S`.
    pub bandwidth_hz: Option<f64>,
    /// Mean roll-off of the frames: the frequency below which 85 % of the magnitude lies.
    pub rolloff_hz: Option<f64>,
    /// Mean ratio of the geometric to the arithmetic mean of the power: 1 for white noise, near 0 for a tone.
    pub flatness: Option<f64>,
}

/// Collects the measurements of frames.
#[derive(Debug, Clone, Default)]
pub struct SpectrumMeter {
    is_loud: Vec<bool>,
    centroids: Vec<f64>,
    bandwidths: Vec<f64>,
    rolloffs: Vec<f64>,
    flatness: Vec<f64>,
}

impl SpectrumMeter {
    /// Processes the next frame.
    pub fn push(&mut self, frame: &FrameReading<'_>) {
        let sum: f64 = frame.magnitude.iter().sum();
        let moment: f64 = frame.magnitude.iter().enumerate().map(|(bin, value)| hz_from_bin(bin) * value).sum();
        let wanted = ROLLOFF_SHARE * sum;
        let mut below = 0.0;
        let rolloff = frame.magnitude.iter().position(|value| {
            below += value;
            below >= wanted
        });
        let n_bins = frame.power.len() as f64;
        let arithmetic = frame.power.iter().map(|power| power.max(MIN_POWER)).sum::<f64>() / n_bins;
        self.is_loud.push(frame.is_loud);
        let mean_hz = |sum_hz: f64| if sum > 0.0 { sum_hz / sum } else { 0.0 };
        let centroid = mean_hz(moment);
        let spread =
            frame.magnitude.iter().enumerate().map(|(bin, value)| (hz_from_bin(bin) - centroid).powi(2) * value);
        self.centroids.push(centroid);
        self.bandwidths.push(mean_hz(spread.sum()).sqrt());
        self.rolloffs.push(hz_from_bin(rolloff.unwrap_or(0)));
        self.flatness.push(geometric_mean(frame.power) / arithmetic);
    }

    /// The result; `None` if there were no frames.
    pub fn finish(&self) -> Option<SpectrumDescriptors> {
        let n_frames = self.is_loud.len();
        let n_silent = self.is_loud.iter().filter(|is_loud| !**is_loud).count();
        let [centroids, bandwidths, rolloffs, flatness] =
            [&self.centroids, &self.bandwidths, &self.rolloffs, &self.flatness]
                .map(|values| counted(values, &self.is_loud));
        (n_frames > 0).then(|| SpectrumDescriptors {
            silence_ratio: n_silent as f64 / n_frames as f64,
            centroid_hz: mean(&centroids),
            centroid_std_hz: deviation(&centroids),
            bandwidth_hz: mean(&bandwidths),
            rolloff_hz: mean(&rolloffs),
            flatness: mean(&flatness),
        })
    }
}

/// The geometric mean of powers, raised to at least [`MIN_POWER`], with one logarithm per sixteen powers: their product
/// can neither underflow nor overflow.
fn geometric_mean(power: &[f64]) -> f64 {
    let logs = power.chunks(16).map(|part| part.iter().map(|power| power.max(MIN_POWER)).product::<f64>().ln());
    (logs.sum::<f64>() / power.len() as f64).exp()
}

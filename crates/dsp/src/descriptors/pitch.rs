//! Pitch of a sound, fraction of voiced frames, and stability of the pitch.

use super::analysis::{RATE_HZ, STEP_SAMPLES};
use super::statistics::{deviation, median};
use crate::dsp::pitch::yin::Yin;

/// Number of samples per frame: the compared window, followed by at least a period of the lowest pitch.
pub const PITCH_FRAME_SAMPLES: usize = 4_096;
/// Length of the window that is compared with its delayed copies, in samples.
const WINDOW: usize = 2_048;
/// Range of pitches in hertz, from below a piano's lowest A to its highest notes.
const RANGE_HZ: [f64; 2] = [25.0, 5_000.0];
/// Aperiodicity below which a frame is voiced.
const VOICED: f64 = 0.2;

/// Pitch of the voiced frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PitchDescriptors {
    /// Median fundamental frequency of the voiced frames.
    pub f0_hz: Option<f64>,
    /// Fraction of voiced frames among those that are not silent.
    pub voiced_ratio: Option<f64>,
    /// `1 / (1 + deviation in semitones)` over the voiced frames.
    pub pitch_stability: Option<f64>,
}

/// Measures the pitch frame by frame.
pub struct PitchMeter {
    yin: Yin,
    n_silent: u64,
    /// Pitches of the voiced frames, separately for loud and silent ones.
    voiced_hz: [Vec<f64>; 2],
    n_loud: u64,
}

impl Default for PitchMeter {
    fn default() -> PitchMeter {
        let yin = Yin::new(f64::from(RATE_HZ), [PITCH_FRAME_SAMPLES, WINDOW, STEP_SAMPLES], RANGE_HZ);
        PitchMeter { yin, n_silent: 0, voiced_hz: [Vec::new(), Vec::new()], n_loud: 0 }
    }
}

impl PitchMeter {
    /// Processes the [samples](PITCH_FRAME_SAMPLES) around the centre of the next frame, given whether it is loud
    /// enough to count.
    pub fn push(&mut self, samples: &[f32], is_loud: bool) {
        let count = if is_loud { &mut self.n_loud } else { &mut self.n_silent };
        *count += 1;
        // Silent frames count only where there are no others.
        if !is_loud && self.n_loud > 0 {
            self.yin.skip();
            return;
        }
        if let Some(reading) = self.yin.read(samples).filter(|reading| reading.aperiodicity < VOICED) {
            self.voiced_hz[usize::from(!is_loud)].push(reading.hz);
        }
    }

    /// The result; `None` if there were no frames.
    pub fn finish(&self) -> Option<PitchDescriptors> {
        let [loud, silent] = &self.voiced_hz;
        let (hz, n_frames) = if self.n_loud > 0 { (loud, self.n_loud) } else { (silent, self.n_silent) };
        let semitones: Vec<f64> = hz.iter().map(|hz| 12.0 * hz.log2()).collect();
        (n_frames > 0).then(|| PitchDescriptors {
            f0_hz: median(hz),
            voiced_ratio: Some(hz.len() as f64 / n_frames as f64),
            pitch_stability: deviation(&semitones).map(|deviation| 1.0 / (1.0 + deviation)),
        })
    }
}

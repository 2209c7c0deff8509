//! Mel levels in dB, like librosa's `power_to_db` of its default mels; the input for rhythm and MFCC.

use super::analysis::{FRAME_SAMPLES, N_BINS, RATE_HZ};
use crate::dsp::mels::mel::{MelBank, MelNorm, MelParams, MelScale};

/// Number of mels per frame.
pub const N_MELS: usize = 128;
/// Floor of the power of a mel.
const MIN_POWER: f32 = 1e-10;
/// Floor of the levels, in dB below the loudest of the whole sound.
const RANGE_DB: f64 = 80.0;

/// Converts spectra to levels. The loudest mel of the sound must be known before the first level can be computed: see
/// [`note`](MelLevels::note).
#[derive(Debug, Clone)]
pub struct MelLevels {
    bank: MelBank,
    power: Vec<f32>,
    mels: Vec<f32>,
    loudest: f32,
    levels: Vec<f64>,
}

/// The filter bank: librosa's default.
pub(super) fn bank() -> MelBank {
    let max_hz = f64::from(RATE_HZ) / 2.0;
    let params = MelParams { n_mels: N_MELS, scale: MelScale::Slaney, norm: MelNorm::Slaney, min_hz: 0.0, max_hz };
    MelBank::new(&params, FRAME_SAMPLES, f64::from(RATE_HZ))
}

impl Default for MelLevels {
    fn default() -> MelLevels {
        MelLevels {
            bank: bank(),
            power: vec![0.0; N_BINS],
            mels: vec![0.0; N_MELS],
            loudest: MIN_POWER,
            levels: vec![0.0; N_MELS],
        }
    }
}

impl MelLevels {
    /// Records the loudest mel of a frame. Every frame must be recorded before the first level is computed.
    pub fn note(&mut self, power: &[f64]) {
        self.apply(power);
        self.loudest = loudest(self.loudest, &self.mels);
    }

    /// As [`note`](MelLevels::note), given the mels of frames.
    pub fn note_mels(&mut self, mels: &[f32]) {
        self.loudest = loudest(self.loudest, mels);
    }

    /// The levels of a frame in dB, low mels first.
    pub fn levels(&mut self, power: &[f64]) -> &[f64] {
        self.apply(power);
        self.levels_of_mels()
    }

    /// As [`levels`](MelLevels::levels), given the mels of a frame.
    pub fn levels_of(&mut self, mels: &[f32]) -> &[f64] {
        self.mels.copy_from_slice(mels);
        self.levels_of_mels()
    }

    fn levels_of_mels(&mut self) -> &[f64] {
        let db = |power: f32| 10.0 * f64::from(power.max(MIN_POWER)).log10();
        let floor = db(self.loudest) - RANGE_DB;
        self.levels.iter_mut().zip(&self.mels).for_each(|(level, &power)| *level = db(power).max(floor));
        &self.levels
    }

    fn apply(&mut self, power: &[f64]) {
        self.power.iter_mut().zip(power).for_each(|(out, &power)| *out = power as f32);
        self.bank.apply(&self.power, &mut self.mels);
    }
}

fn loudest(before: f32, mels: &[f32]) -> f32 {
    mels.iter().copied().fold(before, f32::max)
}

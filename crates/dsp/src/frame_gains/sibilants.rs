//! Sibilants: frames whose high band stands out of the level of the voice.

use super::band_reduction::BandReduction;
use super::frames::GainFrames;
use super::smoothed;
use crate::dsp::descriptors::median;

/// Which sibilants are lowered, and by how much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SibilantSearch {
    /// The band of sibilants, in hertz.
    pub band_hz: [f64; 2],
    /// From how far above the level of the voice on they are lowered, in dB.
    pub threshold_db: f64,
    /// Part of the level above the threshold by which they are lowered.
    pub ratio: f64,
    /// The most by which they are lowered, in dB.
    pub most_db: f64,
}

impl SibilantSearch {
    /// Seconds of a frame.
    pub const FRAME_SECS: f64 = 1024.0 / 48_000.0;
    /// The band of a voice, in hertz.
    const VOICE_HZ: [f64; 2] = [150.0, 3500.0];
    /// How far below the loudest frame the voice still counts, in dB.
    const VOICE_RANGE_DB: f64 = 25.0;
    /// From how far below the voice on the band of sibilants counts as one, in dB.
    const KNEE_DB: f64 = 6.0;
    /// Where gains set in and where they are whole, in parts of the band's lower end.
    const RAMP: [f64; 2] = [0.85, 1.05];

    /// The bands whose levels it compares, in hertz.
    pub fn bands_hz(&self) -> [[f64; 2]; 2] {
        [self.band_hz, Self::VOICE_HZ]
    }

    /// What is lowered, by the levels of both bands in each frame; `None` where there is no voice to compare with.
    pub fn reduction(&self, frames: &GainFrames, levels_db: &[Vec<f64>]) -> Option<BandReduction> {
        let loudest = levels_db.iter().map(|levels| levels[1]).fold(f64::MIN, f64::max);
        let is_voice = |levels: &&Vec<f64>| levels[1] > levels[0] && levels[1] > loudest - Self::VOICE_RANGE_DB;
        let voice: Vec<f64> = levels_db.iter().filter(is_voice).map(|levels| levels[1]).collect();
        let voice_db = median(&voice)?;
        let down = |levels: &Vec<f64>| {
            let over = (levels[0] - voice_db - self.threshold_db) * self.ratio;
            let is_sibilant = (levels[0] - levels[1] + Self::KNEE_DB) / Self::KNEE_DB;
            over.clamp(0.0, self.most_db) * is_sibilant.clamp(0.0, 1.0)
        };
        let down_db: Vec<f64> = levels_db.iter().map(down).collect();
        let [begin, end] = Self::RAMP;
        let low_hz = self.band_hz[0];
        Some(BandReduction::new(frames, smoothed(&down_db), |hz| (hz / low_hz - begin) / (end - begin)))
    }
}

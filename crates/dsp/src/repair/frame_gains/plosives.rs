//! Plosives: short bursts of breath at the lowest frequencies.

use super::band_reduction::BandReduction;
use super::frames::GainFrames;
use crate::dsp::descriptors::median;

/// Settings for detecting plosives, which are attenuated to the usual level of their band.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlosiveSearch {
    /// Upper limit of the band of plosives, in hertz.
    pub below_hz: f64,
    /// Threshold above the usual level, in dB.
    pub over_db: f64,
}

impl PlosiveSearch {
    /// Frame length in seconds.
    pub const FRAME_SECS: f64 = 2048.0 / 48_000.0;
    /// The band of the voice, whose level a plosive must exceed, in hertz.
    const VOICE_HZ: [f64; 2] = [200.0, 2000.0];
    /// Maximum duration of a plosive.
    const MAX_SECS: f64 = 0.25;
    /// Width of the gain's fade-out in hertz.
    const FADE_HZ: f64 = 50.0;
    /// Level in dB below which frames do not count for the usual level.
    const SILENCE_DB: f64 = -100.0;

    /// The plosive band and the voice band, whose levels are compared, in hertz.
    pub fn bands_hz(&self) -> [[f64; 2]; 2] {
        [[0.0, self.below_hz], Self::VOICE_HZ]
    }

    /// The reduction, from the levels of both bands in each frame; `None` for silence.
    pub fn reduction(&self, frames: &GainFrames, levels_db: &[Vec<f64>]) -> Option<BandReduction> {
        let low = levels_db.iter().map(|levels| levels[0]);
        let usual_db = median(&low.filter(|low_db| *low_db > Self::SILENCE_DB).collect::<Vec<_>>())?;
        let is_hit = |levels: &Vec<f64>| levels[0] > usual_db + self.over_db && levels[0] > levels[1];
        let max_frames = (Self::MAX_SECS / frames.step_secs()) as usize;
        let mut down_db = vec![0.0; levels_db.len()];
        let mut start = 0;
        for run in levels_db.chunk_by(|a, b| is_hit(a) == is_hit(b)) {
            let end = start + run.len();
            if run.first().is_some_and(is_hit) && run.len() <= max_frames {
                // One more frame on each side, for the onset and the end.
                for at in start.saturating_sub(1)..(end + 1).min(levels_db.len()) {
                    down_db[at] = (levels_db[at][0] - usual_db).max(0.0);
                }
            }
            start = end;
        }
        Some(BandReduction::new(frames, down_db, |hz| 1.0 - (hz - self.below_hz) / Self::FADE_HZ))
    }
}

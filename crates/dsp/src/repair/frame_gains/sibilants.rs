//! Sibilants: frames whose high band exceeds the level of the voice.

use super::band_reduction::BandReduction;
use super::frames::GainFrames;
use super::smoothed;
use crate::dsp::descriptors::{median, quantile};
use std::ops::Range;

/// Settings for detecting and attenuating sibilants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SibilantSearch {
    /// The band of sibilants, in hertz.
    pub band_hz: [f64; 2],
    /// Threshold above the level of the voice, in dB.
    pub threshold_db: f64,
    /// Fraction of the excess over the threshold that is removed.
    pub ratio: f64,
    /// Maximum attenuation, in dB.
    pub max_db: f64,
}

/// Excess of the sibilants over the level of the voice.
#[derive(Debug, Clone, PartialEq)]
pub struct SibilantExcess {
    /// Excess that the loudest tenth of their frames reach, in dB.
    pub usual_db: f64,
    /// Excess of the loudest frame, in dB.
    pub max_db: f64,
    /// The frames of each sibilant that is louder than a limit, ascending.
    pub runs: Vec<Range<usize>>,
}

impl SibilantSearch {
    /// Frame length in seconds.
    pub const FRAME_SECS: f64 = 1024.0 / 48_000.0;
    /// The band of a voice, in hertz.
    pub const VOICE_HZ: [f64; 2] = [150.0, 3500.0];
    /// Range below the loudest frame that counts as voice, in dB.
    const VOICE_RANGE_DB: f64 = 25.0;
    /// Width of the soft knee in dB: as the sibilant band of a frame rises from this much below its voice band to the
    /// same level, the reduction rises from none to all.
    const KNEE_DB: f64 = 6.0;
    /// Frequency range in which the reduction fades in, as fractions of the band's lower limit.
    const RAMP: [f64; 2] = [0.85, 1.05];
    /// Minimum number of frames of a sibilant. Shorter runs are clicks, which appear only in the frames that contain
    /// them.
    const MIN_FRAMES: usize = 6;
    /// Quantile taken as the usual excess.
    const EXCESS_QUANTILE: f64 = 0.9;

    /// The sibilant band and the voice band, whose levels are compared, in hertz.
    pub fn bands_hz(&self) -> [[f64; 2]; 2] {
        [self.band_hz, Self::VOICE_HZ]
    }

    /// The reduction, from the levels of both bands in each frame; `None` without a voice for comparison.
    pub fn reduction(&self, frames: &GainFrames, levels_db: &[Vec<f64>]) -> Option<BandReduction> {
        let voice_db = Self::voice_db(levels_db)?;
        let down = |levels: &Vec<f64>| {
            let over = (levels[0] - voice_db - self.threshold_db) * self.ratio;
            let is_sibilant = (levels[0] - levels[1] + Self::KNEE_DB) / Self::KNEE_DB;
            over.clamp(0.0, self.max_db) * is_sibilant.clamp(0.0, 1.0)
        };
        let down_db: Vec<f64> = levels_db.iter().map(down).collect();
        let [begin, end] = Self::RAMP;
        let low_hz = self.band_hz[0];
        Some(BandReduction::new(frames, smoothed(&down_db), |hz| (hz / low_hz - begin) / (end - begin)))
    }

    /// The median level of the voice band in frames of voice, in dB; `None` if there are none.
    fn voice_db(levels_db: &[Vec<f64>]) -> Option<f64> {
        let loudest = levels_db.iter().map(|levels| levels[1]).fold(f64::MIN, f64::max);
        let is_voice = |levels: &&Vec<f64>| levels[1] > levels[0] && levels[1] > loudest - Self::VOICE_RANGE_DB;
        let voice: Vec<f64> = levels_db.iter().filter(is_voice).map(|levels| levels[1]).collect();
        median(&voice)
    }

    /// Excess of sibilants over the voice in the frames for which `is_counted` is true, and the frames of each sibilant
    /// that exceeds the voice by more than `over_db` at least once; `None` without voice or sibilants.
    pub fn excess(levels_db: &[Vec<f64>], over_db: f64, is_counted: impl Fn(usize) -> bool) -> Option<SibilantExcess> {
        let voice_db = Self::voice_db(levels_db)?;
        let is_sibilant = |at: usize| levels_db[at][0] > levels_db[at][1] && is_counted(at);
        let (mut all, mut runs) = (Vec::new(), Vec::new());
        let mut start = 0;
        while start < levels_db.len() {
            let end = (start..levels_db.len()).find(|at| !is_sibilant(*at)).unwrap_or(levels_db.len());
            if end - start >= Self::MIN_FRAMES {
                let above: Vec<f64> = levels_db[start..end].iter().map(|levels| levels[0] - voice_db).collect();
                if above.iter().any(|above_db| *above_db > over_db) {
                    runs.push(start..end);
                }
                all.extend(above);
            }
            start = end + 1;
        }
        all.sort_unstable_by(f64::total_cmp);
        Some(SibilantExcess { usual_db: quantile(&all, Self::EXCESS_QUANTILE)?, max_db: *all.last()?, runs })
    }
}

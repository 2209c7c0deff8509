//! A timbre measured in a recording: its partials' levels over time.

use super::MAX_PARTIALS;
use crate::base::{Error, ErrorKind, Result};

/// Duration for which a recording is never stretched in time, so that its attack is preserved.
const ATTACK_SECS: f64 = 0.15;

/// Maximum size of level tracks in bytes.
const MAX_BYTES: usize = 1 << 20;

/// Minimum level.
pub(super) const FLOOR_DB: f32 = -100.0;

/// Fall of the spectral envelope above the highest partial.
const FALL_DB_PER_OCTAVE: f64 = 12.0;

/// The partials of a recorded tone.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredTimbre {
    f0_hz: f64,
    step_secs: f64,
    ratios: Vec<f64>,
    /// One row per partial, of equal length; decibels.
    levels_db: Vec<Vec<f32>>,
    /// Maximum over time of the root of the partials' summed squared amplitudes.
    peak: f64,
}

impl MeasuredTimbre {
    /// Partials at ascending `ratios` to `f0_hz`, each with its level in decibels (0 is a full-scale sine) at every
    /// `step_secs` from the start. Levels are rounded to 0.1 dB and are at least -100 dB.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit) for shapes or values outside their limits.
    pub fn new(f0_hz: f64, step_secs: f64, ratios: Vec<f64>, levels_db: Vec<Vec<f32>>) -> Result<MeasuredTimbre> {
        let refuse = |what: &str| Err(Error::new(ErrorKind::Limit, what));
        if !(f0_hz > 0.0 && f0_hz <= 20_000.0) {
            return refuse("f0 is outside 0 (exclusive) to 20000 Hz");
        }
        if !(step_secs > 0.0 && step_secs <= 1.0) {
            return refuse("the step is outside 0 (exclusive) to 1 second");
        }
        if !(1..=MAX_PARTIALS).contains(&ratios.len()) || levels_db.len() != ratios.len() {
            return refuse("there must be 1 to 128 ratios and a list of levels for each");
        }
        let is_ratio = |ratio: &f64| *ratio > 0.0 && *ratio <= MAX_PARTIALS as f64;
        if !ratios.iter().all(is_ratio) || ratios.windows(2).any(|pair| pair[0] >= pair[1]) {
            return refuse("ratios must ascend and lie between 0 (exclusive) and 128");
        }
        let n_steps = levels_db[0].len();
        if n_steps == 0 || levels_db.iter().any(|levels| levels.len() != n_steps) {
            return refuse("all lists of levels must have the same length, at least 1");
        }
        if ratios.len() * n_steps * size_of::<f32>() > MAX_BYTES {
            return refuse("the levels take more than 1 MB");
        }
        if levels_db.iter().flatten().any(|level| !level.is_finite() || *level > 100.0) {
            return refuse("levels must be at most 100 dB");
        }
        let rounded = |level: f32| ((level.max(FLOOR_DB) * 10.0).round() / 10.0).max(FLOOR_DB);
        let levels_db: Vec<Vec<f32>> =
            levels_db.into_iter().map(|levels| levels.into_iter().map(rounded).collect()).collect();
        let power =
            |step: usize| levels_db.iter().map(|levels| 10f64.powf(f64::from(levels[step]) / 10.0)).sum::<f64>();
        let peak = (0..n_steps).map(power).fold(0.0, f64::max).sqrt();
        Ok(MeasuredTimbre { f0_hz, step_secs, ratios, levels_db, peak })
    }

    /// The maximum number of levels per partial, for a number of partials.
    pub(super) fn max_steps(n_partials: usize) -> usize {
        MAX_BYTES / size_of::<f32>() / n_partials.max(1)
    }

    /// The fundamental in the recording.
    pub fn f0_hz(&self) -> f64 {
        self.f0_hz
    }

    /// Time from one level to the next.
    pub fn step_secs(&self) -> f64 {
        self.step_secs
    }

    /// Frequencies as multiples of the fundamental, ascending.
    pub fn ratios(&self) -> &[f64] {
        &self.ratios
    }

    /// Levels over time in decibels, a list for each partial.
    pub fn levels_db(&self) -> &[Vec<f32>] {
        &self.levels_db
    }

    /// The maximum over time of the level of all partials together, in decibels. A score with this level plays the
    /// timbre as loud as the recording.
    pub fn peak_db(&self) -> f64 {
        20.0 * self.peak.log10()
    }

    /// Length of the recording in seconds.
    pub fn secs(&self) -> f64 {
        (self.levels_db[0].len() - 1) as f64 * self.step_secs
    }

    /// Amplitudes of all partials at the loudest moment, where their total power is that of a sine of amplitude 1.
    pub(super) fn loudest(&self) -> Vec<f64> {
        let power =
            |step: usize| self.levels_db.iter().map(|levels| 10f64.powf(f64::from(levels[step]) / 10.0)).sum::<f64>();
        let n_steps = self.levels_db[0].len();
        let step = (0..n_steps).max_by(|a, b| power(*a).total_cmp(&power(*b))).unwrap_or(0);
        self.levels_db.iter().map(|levels| self.amplitude(f64::from(levels[step]))).collect()
    }

    /// Time in the recording when a note of `note_secs`, including its release, is `secs` old; `None` after its end.
    pub(super) fn time_at(&self, secs: f64, note_secs: f64, is_stretched: bool) -> Option<f64> {
        let recorded = self.secs();
        if !is_stretched {
            return (secs <= recorded).then_some(secs);
        }
        let is_long = recorded > ATTACK_SECS && note_secs > ATTACK_SECS;
        let time = if secs <= ATTACK_SECS || !is_long {
            secs
        } else {
            ATTACK_SECS + (secs - ATTACK_SECS) * (recorded - ATTACK_SECS) / (note_secs - ATTACK_SECS)
        };
        Some(time.min(recorded))
    }

    /// Levels of all partials in decibels at a time in the recording.
    pub(super) fn levels_at(&self, time_secs: f64, levels: &mut [f64]) {
        let last = self.levels_db[0].len() - 1;
        let place = (time_secs / self.step_secs).clamp(0.0, last as f64);
        let (step, next) = (place.floor() as usize, (place.floor() as usize + 1).min(last));
        let fraction = place - step as f64;
        for (level, track) in levels.iter_mut().zip(&self.levels_db) {
            let (a, b) = (f64::from(track[step]), f64::from(track[next]));
            *level = a + (b - a) * fraction;
        }
    }

    /// The spectral envelope at a frequency, in decibels, through `levels` as returned by
    /// [`levels_at`](MeasuredTimbre::levels_at).
    pub(super) fn envelope_db(&self, levels: &[f64], hz: f64) -> f64 {
        let ratio = hz / self.f0_hz;
        let after = self.ratios.partition_point(|known| *known <= ratio);
        let Some(before) = after.checked_sub(1) else { return levels[0] };
        let from = self.ratios[before];
        match self.ratios.get(after) {
            Some(to) => {
                let fraction = (ratio / from).log2() / (to / from).log2();
                levels[before] + (levels[after] - levels[before]) * fraction
            }
            None => levels[before] - FALL_DB_PER_OCTAVE * (ratio / from).log2(),
        }
    }

    /// The amplitude of a level in decibels, scaled so that the loudest moment has the power of a sine of amplitude 1.
    pub(super) fn amplitude(&self, level_db: f64) -> f64 {
        10f64.powf(level_db / 20.0) / self.peak
    }
}

//! The timbre of a voice.

use super::{MAX_PARTIALS, MeasuredTimbre};
use crate::base::shown_number;
use std::sync::Arc;

/// Partials, envelopes and motion of a voice. Times are in seconds; features that are 0 or none are off.
#[derive(Debug, Clone, PartialEq)]
pub struct Timbre {
    /// 1 to 128 partials; replaced by those of [`measured`](Timbre::measured), if present.
    pub partials: Vec<TimbrePartial>,
    /// Voices per note, 1 to 9, spread in pitch and over the channels.
    pub unison: u32,
    /// The outer unison voices' distance in pitch from the note, 0 to 100 cents.
    pub detune_cents: f64,
    /// The outer unison voices' distance in pan from the note, 0 to 1.
    pub spread: f64,
    /// The envelope of the level.
    pub adsr: Adsr,
    /// Time in which a partial of ratio 1 and life 1 decays by 60 dB; 0 is no decay.
    pub decay_secs: f64,
    /// A partial's decay time is divided by its ratio to this power.
    pub damp: f64,
    /// The low-pass filter.
    pub cutoff: Option<Cutoff>,
    /// The vibrato.
    pub vibrato: Option<Vibrato>,
    /// Darkening of soft notes: levels fall by the ratio to the power of `bright (1 - velocity)`.
    pub bright: f64,
    /// Inharmonicity of a stiff string.
    pub stretch: f64,
    /// Whether oscillators start at random phases, or all at 0.
    pub random_phase: bool,
    /// Noise around each partial, 0 to 1.
    pub breath: f64,
    /// Levels over time that were measured in a recording, in place of the partials' levels, decay and cutoff.
    pub measured: Option<Arc<MeasuredTimbre>>,
    /// How far a measured timbre's levels stay at their frequencies (1) rather than move with the pitch (0).
    pub formants: f64,
    /// Whether a measured timbre is stretched in time to end with the note, or ends when the recording did.
    pub stretch_time: bool,
}

/// One partial.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimbrePartial {
    /// Frequency as a multiple of the note's, above 0, at most 128.
    pub ratio: f64,
    /// Linear amplitude relative to the others.
    pub level: f64,
    /// Factor on the decay time.
    pub life: f64,
}

/// Attack, decay, sustain and release.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adsr {
    /// Duration of the rise.
    pub attack_secs: f64,
    /// Time in which the level falls by 99.9 % of its distance to [`sustain`](Adsr::sustain).
    pub decay_secs: f64,
    /// Level that is held, 0 to 1.
    pub sustain: f64,
    /// Duration from the note's end to silence.
    pub release_secs: f64,
}

/// A low-pass filter that moves from one multiple of the note's frequency to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cutoff {
    /// Ratio of the cutoff to the note's frequency at the start.
    pub start: f64,
    /// The ratio it approaches.
    pub end: f64,
    /// Time constant of the approach.
    pub secs: f64,
    /// Order of the Butterworth response, 1 to 8.
    pub order: u32,
}

/// A sinusoidal modulation of pitch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vibrato {
    /// Amplitude in cents.
    pub cents: f64,
    /// Frequency.
    pub hz: f64,
    /// Delay from the note's start.
    pub delay_secs: f64,
    /// Fade-in time of its amplitude.
    pub fade_secs: f64,
}

impl Default for Timbre {
    /// A single sine; the default of omitted fields.
    fn default() -> Timbre {
        Timbre {
            partials: vec![TimbrePartial { ratio: 1.0, level: 1.0, life: 1.0 }],
            unison: 1,
            detune_cents: 0.0,
            spread: 0.0,
            adsr: Adsr { attack_secs: 0.01, decay_secs: 0.1, sustain: 1.0, release_secs: 0.1 },
            decay_secs: 0.0,
            damp: 0.0,
            cutoff: None,
            vibrato: None,
            bright: 0.7,
            stretch: 0.0,
            random_phase: false,
            breath: 0.0,
            measured: None,
            formants: 0.0,
            stretch_time: true,
        }
    }
}

impl Timbre {
    /// Number of oscillators of one voice.
    pub fn n_partials(&self) -> usize {
        self.measured.as_ref().map_or(self.partials.len(), |measured| measured.ratios().len())
    }

    /// Number of oscillators of one note, if its channels are not rendered separately.
    pub fn n_oscillators(&self) -> usize {
        self.unison as usize * self.n_partials()
    }

    /// The frequency of partial `k` as a multiple of the note's, with inharmonicity.
    pub fn ratio(&self, k: usize) -> f64 {
        let ratio = self.measured.as_ref().map_or_else(|| self.partials[k].ratio, |measured| measured.ratios()[k]);
        if self.stretch > 0.0 {
            ratio * ((1.0 + self.stretch * ratio * ratio) / (1.0 + self.stretch)).sqrt()
        } else {
            ratio
        }
    }

    /// The first `max` partials, for display and previews: frequencies as multiples of the note's, and amplitudes at
    /// velocity 1, where 1 is the note's level. Of a measured timbre, at its loudest moment.
    pub fn outline(&self, max: usize) -> Vec<(f64, f64)> {
        let levels: Vec<f64> = match &self.measured {
            Some(measured) => measured.loudest(),
            None => {
                let power: f64 = self.partials.iter().map(|partial| partial.level * partial.level).sum();
                self.partials.iter().map(|partial| partial.level / power.sqrt()).collect()
            }
        };
        levels.into_iter().enumerate().take(max).map(|(k, level)| (self.ratio(k), level)).collect()
    }

    /// An out-of-range field: its name in JSON, and a message; `None` if all are valid.
    pub fn problem(&self) -> Option<(&'static str, String)> {
        let outside = |field: &'static str, value: f64, low: f64, high: f64| {
            (!(low..=high).contains(&value))
                .then(|| (field, format!("{} is outside {low} to {high}", shown_number(value))))
        };
        if !(1..=MAX_PARTIALS).contains(&self.n_partials()) {
            let n = self.n_partials();
            return Some(("partials", format!("{n} partials are outside 1 to {MAX_PARTIALS}")));
        }
        if let Some(problem) = self.partials.iter().find_map(partial_problem) {
            return Some(("partials", problem));
        }
        if self.measured.is_none() && !self.partials.iter().any(|partial| partial.level > 0.0) {
            return Some(("partials", "all levels are 0".into()));
        }
        let (adsr, cutoff, vibrato) = (&self.adsr, self.cutoff.as_ref(), self.vibrato.as_ref());
        outside("unison", f64::from(self.unison), 1.0, 9.0)
            .or_else(|| outside("detune", self.detune_cents, 0.0, 100.0))
            .or_else(|| outside("spread", self.spread, 0.0, 1.0))
            .or_else(|| outside("adsr", adsr.attack_secs, 0.0, MAX_SECS))
            .or_else(|| outside("adsr", adsr.decay_secs, 0.0, MAX_SECS))
            .or_else(|| outside("adsr", adsr.sustain, 0.0, 1.0))
            .or_else(|| outside("adsr", adsr.release_secs, 0.0, MAX_SECS))
            .or_else(|| outside("decay", self.decay_secs, 0.0, MAX_SECS))
            .or_else(|| outside("damp", self.damp, 0.0, 4.0))
            .or_else(|| outside("cutoff", cutoff?.start, MIN_CUTOFF, MAX_CUTOFF))
            .or_else(|| outside("cutoff", cutoff?.end, MIN_CUTOFF, MAX_CUTOFF))
            .or_else(|| outside("cutoff", cutoff?.secs, 0.0, MAX_SECS))
            .or_else(|| outside("cutoff", f64::from(cutoff?.order), 1.0, 8.0))
            .or_else(|| outside("vibrato", vibrato?.cents, 0.0, 1200.0))
            .or_else(|| outside("vibrato", vibrato?.hz, 0.0, 100.0))
            .or_else(|| outside("vibrato", vibrato?.delay_secs, 0.0, MAX_SECS))
            .or_else(|| outside("vibrato", vibrato?.fade_secs, 0.0, MAX_SECS))
            .or_else(|| outside("bright", self.bright, 0.0, 4.0))
            .or_else(|| outside("stretch", self.stretch, 0.0, 1.0))
            .or_else(|| outside("breath", self.breath, 0.0, 1.0))
            .or_else(|| outside("formants", self.formants, 0.0, 1.0))
    }
}

/// Maximum of each time of a timbre, in seconds.
const MAX_SECS: f64 = 30.0;
const MIN_CUTOFF: f64 = 0.001;
const MAX_CUTOFF: f64 = 1000.0;
const MAX_LEVEL: f64 = 1e6;
const MAX_DECAY_SECS: f64 = 100.0;

fn partial_problem(partial: &TimbrePartial) -> Option<String> {
    let TimbrePartial { ratio, level, life } = *partial;
    if !(ratio > 0.0 && ratio <= MAX_PARTIALS as f64) {
        return Some(format!("the ratio {} is outside 0 (exclusive) to {MAX_PARTIALS}", shown_number(ratio)));
    }
    if !(0.0..=MAX_LEVEL).contains(&level) {
        return Some(format!("the level {} is outside 0 to {MAX_LEVEL}", shown_number(level)));
    }
    (!(life > 0.0 && life <= MAX_DECAY_SECS))
        .then(|| format!("the life {} is outside 0 (exclusive) to {MAX_DECAY_SECS}", shown_number(life)))
}

//! One note: its place in time, and its pitch and level curves.

use super::{Adsr, BLOCK, Timbre};
use std::f64::consts::{PI, TAU};

/// ln 1000: an exponential that falls by 60 dB.
const FALL: f64 = 6.907_755;

/// The shortest fade of a vibrato.
const MIN_FADE_SECS: f64 = 0.001;

/// A note of a score.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreNote {
    /// MIDI number, with fractions.
    pub pitch: f64,
    /// Start of the note from the score's beginning.
    pub start_secs: f64,
    /// Duration from its start to its release.
    pub duration_secs: f64,
    /// Velocity, above 0, at most 1.
    pub velocity: f64,
    /// Pan, from -1, left, to 1, right.
    pub pan: f64,
    /// Index into the score's timbres.
    pub timbre: usize,
    /// Pitch over the time from the note's start, `[seconds, MIDI number]`, linear between points and held beyond. If
    /// there are points, [`pitch`](ScoreNote::pitch) is not used.
    pub glide: Vec<[f64; 2]>,
    /// Factor on the level over the time from the note's start, as `glide`, 0 to [`MAX_GAIN`](ScoreNote::MAX_GAIN); 1
    /// without points.
    pub pressure: Vec<[f64; 2]>,
    /// Factors on the left and the right channel over the time from the note's start, `[seconds, left, right]`, as
    /// `pressure`; 1 without points. In mono they are not used.
    pub sides: Vec<[f64; 3]>,
}

impl ScoreNote {
    /// The largest factor of `pressure` and `sides`.
    pub const MAX_GAIN: f64 = 2.0;

    /// Whether its channel gains change while it sounds, so that each channel is rendered separately.
    pub fn wanders(&self) -> bool {
        self.sides.windows(2).any(|pair| pair[0][1..] != pair[1][1..])
    }

    /// Number of voices per unison part in stereo: one for each channel if the channel gains change, else one.
    pub(super) fn n_sides(&self) -> usize {
        if self.wanders() { 2 } else { 1 }
    }

    /// The factor on a channel, 0 left or 1 right, at a time from its start.
    pub(super) fn side_at(&self, channel: usize, secs: f64) -> f64 {
        along_value(&self.sides, 1 + channel, secs).unwrap_or(1.0)
    }

    /// The sample at which it starts.
    pub fn first_sample(&self, rate_hz: f64) -> u64 {
        (self.start_secs * rate_hz + 0.5).floor() as u64
    }

    /// Blocks of [`BLOCK`] samples until its release has ended.
    pub fn n_blocks(&self, timbre: &Timbre, rate_hz: f64) -> usize {
        let samples = ((self.duration_secs + timbre.adsr.release_secs) * rate_hz + 0.5).floor();
        (samples.max(1.0) as usize).div_ceil(BLOCK)
    }

    /// Pitch at a time from its start, without vibrato, as a MIDI number.
    pub fn pitch_at(&self, secs: f64) -> f64 {
        along(&self.glide, secs).unwrap_or(self.pitch)
    }

    /// The lowest pitch of the note, without vibrato.
    pub fn lowest_pitch(&self) -> f64 {
        let lowest = self.glide.iter().map(|point| point[1]).fold(f64::INFINITY, f64::min);
        if lowest.is_finite() { lowest } else { self.pitch }
    }

    /// The fundamental at a time from its start, vibrato included, in hertz.
    pub(super) fn hz_at(&self, timbre: &Timbre, tuning_hz: f64, secs: f64) -> f64 {
        let mut pitch = self.pitch_at(secs);
        if let Some(vibrato) = &timbre.vibrato {
            let fade = ((secs - vibrato.delay_secs) / vibrato.fade_secs.max(MIN_FADE_SECS)).clamp(0.0, 1.0);
            pitch += vibrato.cents / 100.0 * fade * (TAU * vibrato.hz * secs).sin();
        }
        tuning_hz * ((pitch - 69.0) / 12.0).exp2()
    }

    /// Envelope times pressure at a time from its start; exactly 0 from the end of the release on.
    pub(super) fn level_at(&self, timbre: &Timbre, secs: f64) -> f64 {
        timbre.adsr.level_at(self.duration_secs, secs) * along(&self.pressure, secs).unwrap_or(1.0)
    }
}

impl Adsr {
    /// The level at a time from the start of a note that is held for `duration_secs`; exactly 0 from the end of the
    /// release on.
    pub fn level_at(&self, duration_secs: f64, secs: f64) -> f64 {
        if secs < duration_secs {
            return self.held_at(secs);
        }
        let released = (secs - duration_secs) / self.release_secs;
        // At the end of a note with a release of 0 s, `released` is NaN, and the level 0.
        if released < 1.0 { self.held_at(duration_secs) * ((-FALL * released).exp() - 0.001) / 0.999 } else { 0.0 }
    }

    /// The level before the release.
    fn held_at(&self, secs: f64) -> f64 {
        if secs < self.attack_secs {
            (1.0 - (PI * secs / self.attack_secs).cos()) / 2.0
        } else if self.decay_secs > 0.0 {
            self.sustain + (1.0 - self.sustain) * (-FALL * (secs - self.attack_secs) / self.decay_secs).exp()
        } else {
            self.sustain
        }
    }
}

/// The value of a curve of `[seconds, value]`: linear between points, held beyond; `None` without points.
pub(super) fn along(points: &[[f64; 2]], secs: f64) -> Option<f64> {
    along_value(points, 1, secs)
}

/// As [`along`], for the value at index `value` of each point.
fn along_value<const N: usize>(points: &[[f64; N]], value: usize, secs: f64) -> Option<f64> {
    let after = points.partition_point(|point| point[0] <= secs);
    match (after.checked_sub(1).map(|before| points[before]), points.get(after)) {
        (Some(before), Some(after)) => {
            Some(before[value] + (after[value] - before[value]) * (secs - before[0]) / (after[0] - before[0]))
        }
        (Some(only), None) => Some(only[value]),
        (None, only) => only.map(|only| only[value]),
    }
}

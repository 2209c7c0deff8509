//! The beat grid of a sound: positions of its bars and beats.

use crate::base::{Error, ErrorKind, Result};

/// A steady tempo, the number of beats per bar, and the start of the first bar. It is independent of the sound: no edit
/// moves it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BeatGrid {
    tempo_bpm: f64,
    beats_a_bar: u32,
    first_bar_secs: f64,
}

impl BeatGrid {
    /// Minimum and maximum tempo, in beats per minute.
    pub const TEMPO_BPM: [f64; 2] = [20.0, 400.0];
    /// Minimum and maximum number of beats per bar.
    pub const BEATS_PER_BAR: [u32; 2] = [1, 16];
    /// Range of the start of the first bar, in seconds: within a day.
    pub const FIRST_BAR_SECS: [f64; 2] = [0.0, 86_400.0];

    /// A grid with these parameters.
    ///
    /// # Errors
    /// [`Limit`](ErrorKind::Limit) for a parameter outside its range, or not finite.
    pub fn new(tempo_bpm: f64, beats_a_bar: u32, first_bar_secs: f64) -> Result<BeatGrid> {
        let refuse = |what: String| Err(Error::new(ErrorKind::Limit, what));
        let [slowest, fastest] = BeatGrid::TEMPO_BPM;
        if !(slowest..=fastest).contains(&tempo_bpm) {
            return refuse(format!("the tempo must be {slowest} to {fastest} beats per minute"));
        }
        let [min, max] = BeatGrid::BEATS_PER_BAR;
        if !(min..=max).contains(&beats_a_bar) {
            return refuse(format!("a bar must have {min} to {max} beats"));
        }
        let [first, last] = BeatGrid::FIRST_BAR_SECS;
        if !(first..=last).contains(&first_bar_secs) {
            return refuse(format!("the first bar must begin {first} to {last} s after the start"));
        }
        Ok(BeatGrid { tempo_bpm, beats_a_bar, first_bar_secs })
    }

    /// Beats per minute.
    pub fn tempo_bpm(&self) -> f64 {
        self.tempo_bpm
    }

    /// Number of beats per bar.
    pub fn beats_a_bar(&self) -> u32 {
        self.beats_a_bar
    }

    /// Start of the first bar, in seconds.
    pub fn first_bar_secs(&self) -> f64 {
        self.first_bar_secs
    }

    /// The time at a number of beats after the start of the first bar, in seconds.
    pub fn secs_at(&self, beats: f64) -> f64 {
        self.first_bar_secs + beats * 60.0 / self.tempo_bpm
    }

    /// The time `secs` in beats after the start of the first bar; negative before it.
    pub fn beats_at(&self, secs: f64) -> f64 {
        (secs - self.first_bar_secs) * self.tempo_bpm / 60.0
    }

    /// The time of the grid line nearest to `secs`, in seconds, with one line every `step_beats` beats.
    pub fn nearest_secs(&self, secs: f64, step_beats: f64) -> f64 {
        self.secs_at((self.beats_at(secs) / step_beats).round() * step_beats)
    }
}

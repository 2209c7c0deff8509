//! Tap tempo.

use crate::document::BeatGrid;

/// A pause of at least this between taps starts a new series.
const PAUSE_SECS: f64 = 2.0;
/// Number of most recent intervals used.
const MAX_INTERVALS: usize = 12;
/// Maximum deviation of an interval from a multiple of the median interval, as a fraction of the median.
const TOLERANCE: f64 = 0.25;

/// Times of the most recent taps, in seconds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BeatTaps(Vec<f64>);

impl BeatTaps {
    /// Adds a tap at a time in seconds. Returns the tempo so far in beats per minute, limited to the range of a grid;
    /// `None` for the first tap of a series.
    pub fn tap(&mut self, at_secs: f64) -> Option<f64> {
        if self.0.last().is_some_and(|last| !(0.0..PAUSE_SECS).contains(&(at_secs - last))) {
            self.0.clear();
        }
        self.0.push(at_secs);
        if self.0.len() > MAX_INTERVALS + 1 {
            self.0.remove(0);
        }
        self.tempo_bpm()
    }

    /// Number of taps used.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no taps.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Tempo from the mean interval between taps. An interval close to a multiple of the median counts as that number
    /// of beats, since taps were missed; other irregular intervals are ignored.
    fn tempo_bpm(&self) -> Option<f64> {
        let intervals: Vec<f64> = self.0.windows(2).map(|pair| pair[1] - pair[0]).filter(|secs| *secs > 0.0).collect();
        let mut sorted = intervals.clone();
        sorted.sort_by(f64::total_cmp);
        let usual_secs = sorted.get(sorted.len() / 2)?;
        let counted = intervals.iter().filter_map(|secs| {
            let n_beats = (secs / usual_secs).round();
            let is_near = n_beats >= 1.0 && (secs / usual_secs - n_beats).abs() <= TOLERANCE;
            is_near.then_some((secs, n_beats))
        });
        let (secs, n_beats) = counted.fold((0.0, 0.0), |(secs, n), (interval, more)| (secs + interval, n + more));
        let [slowest, fastest] = BeatGrid::TEMPO_BPM;
        (n_beats > 0.0).then(|| (60.0 * n_beats / secs).clamp(slowest, fastest))
    }
}

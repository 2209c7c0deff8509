//! The hum of a sound of any length, passage by passage.

use super::fit::HumFit;

/// Length of a passage in seconds.
pub const PASSAGE_SECS: f64 = 30.0;
/// Context fitted with a passage on each side of it, in seconds.
pub const MARGIN_SECS: f64 = 4.0;
/// Length of the crossfade from one passage's hum to the next one's.
const CROSSFADE_SECS: f64 = 1.0;
/// Maximum change of a hum's power from its first to its last quarter; notes change more.
const MAX_CHANGE_DB: f64 = 9.0;
/// Minimum number of lines that must be present among the lowest `LOW_LINES`, since any single tone of music is near a
/// multiple of some fundamental.
const MIN_LOW_LINES: usize = 2;
const LOW_LINES: usize = 3;
/// Frequency above which the fundamental itself must be present, since several tones of music are often near multiples
/// of some higher frequency.
const LOW_HZ: f64 = 66.0;
/// Minimum fraction of seconds in which a hum must have a gain.
const MIN_HUM_SHARE: f64 = 0.65;

/// The hum of a passage, and the range of its fit.
#[derive(Debug, Clone)]
pub struct HumPassage {
    /// The first sample that was fitted, counted from the start of the range.
    pub first: u64,
    /// Start of the passage; before it the previous one applies.
    pub start: u64,
    /// The fitted hum.
    pub fit: HumFit,
}

/// The hum of a range of sound.
#[derive(Debug, Clone)]
pub struct Hum {
    /// Passages in order, without gaps.
    pub passages: Vec<HumPassage>,
    /// Samples per second.
    pub rate_hz: f64,
}

/// Measurements of a hum.
#[derive(Debug, Clone, PartialEq)]
pub struct HumFigures {
    /// The mean fundamental in hertz.
    pub f0_hz: f64,
    /// Maximum deviation of the fundamental from `f0_hz`, in hertz.
    pub drift_hz: f64,
    /// Multiples of the fundamental that are present, ascending.
    pub multiples: Vec<usize>,
    /// Mean power of all lines in the channel where they are loudest, in dB relative to a full-scale sine.
    pub level_db: f64,
}

/// Half the width of the band around a line of a hum, in hertz.
const LINE_HZ: f64 = 6.0;

impl HumFigures {
    /// The band of each of its lines, low and high in hertz, widened by its drift.
    pub fn bands_hz(&self) -> impl Iterator<Item = [f64; 2]> {
        self.multiples.iter().map(|&k| {
            let (hz, half) = (k as f64 * self.f0_hz, LINE_HZ + k as f64 * self.drift_hz);
            [hz - half, hz + half]
        })
    }

    /// A short description: `50.03 Hz, 11 harmonics, -34 dB`.
    pub fn described(&self) -> String {
        let harmonics = match self.multiples.len() {
            1 => "1 harmonic".to_owned(),
            n => format!("{n} harmonics"),
        };
        format!("{:.2} Hz, {harmonics}, {:.0} dB", self.f0_hz, self.level_db)
    }
}

impl Hum {
    /// Writes the hum of a channel into `out`, starting at sample `first` of the range.
    pub fn write(&self, channel: usize, first: u64, out: &mut [f64]) {
        out.fill(0.0);
        let end = first + out.len() as u64;
        let half = (CROSSFADE_SECS / 2.0 * self.rate_hz) as u64;
        let mut own = Vec::new();
        for (i, passage) in self.passages.iter().enumerate() {
            let fade_in = (i > 0).then_some(passage.start);
            let fade_out = self.passages.get(i + 1).map(|next| next.start);
            let from = fade_in.map_or(first, |at| first.max(at - half.min(at)));
            let to = fade_out.map_or(end, |at| end.min(at + half));
            if from >= to {
                continue;
            }
            own.resize((to - from) as usize, 0.0);
            passage.fit.write(channel, (from - passage.first) as usize, &mut own);
            let rising =
                |sample: u64, at: u64| ((sample as f64 - at as f64) / (2.0 * half as f64) + 0.5).clamp(0.0, 1.0);
            for (sample, hum) in (from..to).zip(&own) {
                let part = fade_in.map_or(1.0, |at| rising(sample, at)) - fade_out.map_or(0.0, |at| rising(sample, at));
                out[(sample - first) as usize] += part * hum;
            }
        }
    }

    /// The figures; `None` if the fit is not a hum: too weak, too short, a fading note, or single tones. `min_gain`
    /// is the minimum log-likelihood gain per second.
    pub fn figures(&self, min_gain: f64) -> Option<HumFigures> {
        let per_second: Vec<f64> = self.passages.iter().flat_map(|passage| seconds_of(&passage.fit)).collect();
        let n_secs = per_second.len() as f64;
        let n_explained = per_second.iter().filter(|gain| **gain > 0.0).count() as f64;
        if per_second.iter().sum::<f64>() < min_gain * n_secs || n_explained < MIN_HUM_SHARE * n_secs {
            return None;
        }
        let figures = self.known_figures();
        let (first, last) = (self.passages.first()?.fit.powers()[0], self.passages.last()?.fit.powers()[1]);
        let n_low = figures.multiples.iter().filter(|k| **k <= LOW_LINES).count();
        let is_low = n_low >= MIN_LOW_LINES && (figures.f0_hz < LOW_HZ || figures.multiples[0] == 1);
        (is_low && (10.0 * (first / last).log10()).abs() <= MAX_CHANGE_DB).then_some(figures)
    }

    /// The figures, without testing whether the fit is a hum.
    pub fn known_figures(&self) -> HumFigures {
        let (octave, multiples) = in_lowest_terms(self.multiples());
        let hz: Vec<f64> =
            self.passages.iter().flat_map(|passage| passage.fit.track_hz()).map(|hz| octave * hz).collect();
        let f0_hz = hz.iter().sum::<f64>() / hz.len() as f64;
        let drift_hz = hz.iter().fold(0.0, |max: f64, hz| max.max((hz - f0_hz).abs()));
        HumFigures { f0_hz, drift_hz, multiples, level_db: 10.0 * self.max_power().max(1e-30).log10() }
    }

    /// The mean power of the hum in the channel in which it is loudest, relative to a full-scale sine.
    fn max_power(&self) -> f64 {
        let of_passages: Vec<Vec<f64>> = self.passages.iter().map(|passage| passage.fit.mean_powers()).collect();
        let n_channels = of_passages.first().map_or(0, Vec::len);
        let of_channel = |channel: usize| of_passages.iter().map(|powers| powers[channel]).sum::<f64>();
        (0..n_channels).map(of_channel).fold(0.0, f64::max) / of_passages.len().max(1) as f64
    }

    /// The multiples present in any passage, ascending.
    pub fn multiples(&self) -> Vec<usize> {
        let mut all: Vec<usize> =
            self.passages.iter().flat_map(|passage| passage.fit.multiples().iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Reduces multiples: if only even ones are present, as from a rectifier, they are multiples of twice the fundamental.
/// Returns the factor and the reduced multiples.
fn in_lowest_terms(multiples: Vec<usize>) -> (f64, Vec<usize>) {
    if multiples.is_empty() || multiples.iter().any(|k| k % 2 == 1) {
        return (1.0, multiples);
    }
    (2.0, multiples.into_iter().map(|k| k / 2).collect())
}

/// The log-likelihood gain of a fit in each second.
fn seconds_of(fit: &HumFit) -> Vec<f64> {
    let n = ((1.0 / fit.hop_secs()).round() as usize).max(1);
    fit.gains().chunks_exact(n).map(|gains| gains.iter().sum()).collect()
}

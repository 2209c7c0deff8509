//! Hum in a sound: found in a few passages, then fitted passage by passage.

use crate::base::{Error, ErrorKind, Progress, Result};
use crate::dsp::repair::hum::{
    Hum, HumFigures, HumFit, HumOptions, HumPassage, MARGIN_SECS, PASSAGE_SECS, hum_fundamentals,
};
use crate::edits::selected_sound::SelectedSound;
use crate::engine::Plans;
use crate::{Channels, Signal, Snapshot};
use std::ops::Range;

/// Maximum number of passages, each [`SEARCH_PASSAGE_SECS`] long, in which the fundamental is searched.
const MAX_PASSAGES: u64 = 3;
const SEARCH_PASSAGE_SECS: f64 = 20.0;
/// Maximum number of candidate fundamentals that are fitted.
const MAX_FITTED: usize = 3;
/// Ratio of the ends of a frequency range below which the fundamental counts as known.
const KNOWN_RATIO: f64 = 1.1;
/// Mains frequencies, and the maximum relative deviation of a mains hum's fundamental from their multiples.
const MAINS_HZ: [f64; 2] = [50.0, 60.0];
const MAINS_TOLERANCE: f64 = 0.015;
/// Factor by which the power explained by a fundamental that is not mains hum must exceed that explained by mains hum:
/// the beat of a drum loop has lines near any frequency.
const OFF_MAINS_FACTOR: f64 = 2.0;

/// Range of a hum's fundamental.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HumRange {
    /// Mains frequencies: 49.5 to 50.5 or 59.4 to 60.6 Hz. No note of equal temperament lies there, and only lines not
    /// explained by a neighbouring tone count.
    Mains,
    /// From one frequency to another, in hertz.
    Within([f64; 2]),
}

/// A search for hum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HumSearch {
    /// Range of its fundamental.
    pub f0: HumRange,
    /// Number of multiples of the fundamental to use, including the fundamental itself.
    pub count: usize,
    /// Whether the fundamental may drift.
    pub is_tracked: bool,
    /// Minimum gain in log likelihood per second of a model with hum over one without.
    pub min_gain: f64,
}

impl HumSearch {
    /// Frequency ranges of 50 and 60 Hz mains, in hertz.
    pub const MAINS_HZ: [[f64; 2]; 2] = [[49.5, 50.5], [59.4, 60.6]];
    /// Range of mains frequencies in hertz, including those of tapes that ran too fast or too slow.
    pub const NEAR_MAINS_HZ: [f64; 2] = [45.0, 65.0];
    /// Range of fundamentals in hertz, up to the mains of aircraft.
    pub const F0_HZ: [f64; 2] = [40.0, 400.0];
    /// Minimum duration of sound in which a hum can be distinguished from a note, in seconds.
    pub const MIN_SECS: f64 = 2.0;
    /// Default of [`count`](HumSearch::count).
    pub const DEFAULT_N_HARMONICS: usize = 16;
    /// Default of [`min_gain`](HumSearch::min_gain).
    pub const MIN_GAIN: f64 = 5.0;

    /// Mains hum that may drift.
    pub const DEFAULT: HumSearch = HumSearch {
        f0: HumRange::Mains,
        count: HumSearch::DEFAULT_N_HARMONICS,
        is_tracked: true,
        min_gain: HumSearch::MIN_GAIN,
    };

    /// Frequency ranges in hertz, in groups: the ranges of a group are searched together, and the next group only if
    /// nothing was found. A range near mains comes first.
    fn ranges(&self) -> Vec<Vec<[f64; 2]>> {
        let HumRange::Within(range) = self.f0 else { return vec![Self::MAINS_HZ.to_vec()] };
        let near = [range[0].max(Self::NEAR_MAINS_HZ[0]), range[1].min(Self::NEAR_MAINS_HZ[1])];
        match near[0] < near[1] && near != range {
            true => vec![vec![near], vec![range]],
            false => vec![vec![range]],
        }
    }

    /// Whether the range is so narrow that the fundamental counts as known.
    fn is_known(&self) -> bool {
        matches!(self.f0, HumRange::Within([low, high]) if high < KNOWN_RATIO * low)
    }

    /// Whether a fitted fundamental is acceptable: within the ranges of mains, or any if the search has a range of its
    /// own.
    fn holds(&self, hz: f64) -> bool {
        match self.f0 {
            HumRange::Mains => Self::MAINS_HZ.iter().any(|[low, high]| (*low..=*high).contains(&hz)),
            HumRange::Within(_) => true,
        }
    }
}

/// The hum in a range of time; `None` if there is none, or the sound is shorter than
/// [`MIN_SECS`](HumSearch::MIN_SECS).
///
/// # Errors
/// [`Script`](ErrorKind::Script) for channels that do not exist, [`Cancelled`](ErrorKind::Cancelled), and read errors
/// of the source.
pub fn find_hum(
    snapshot: &Snapshot,
    secs: Option<[f64; 2]>,
    channels: &Channels,
    search: &HumSearch,
    progress: &Progress,
) -> Result<Option<HumFigures>> {
    let signals = Signal::of(channels, snapshot.n_channels())?;
    let sample = |secs: f64| (secs * snapshot.sample_rate_hz()).round().clamp(0.0, snapshot.n_samples() as f64) as u64;
    let range = secs.map_or(0..snapshot.n_samples(), |[start, end]| sample(start)..sample(end).max(sample(start)));
    let plans = Plans::default();
    let sound = SelectedSound::all_of(snapshot, signals, range, &plans, progress);
    if is_too_short(&sound) {
        return Ok(None);
    }
    let Some((f0_hz, figures)) = fundamental(&sound, search)? else { return Ok(None) };
    let hum = fitted(&sound, search, f0_hz)?;
    Ok(Some(hum.figures(0.0).unwrap_or(figures)))
}

/// The hum of a sound; `None` if there is none.
///
/// # Errors
/// [`Script`](ErrorKind::Script) for a sound shorter than [`MIN_SECS`](HumSearch::MIN_SECS), and as [`find_hum`].
pub(crate) fn hum_of(sound: &SelectedSound<'_>, search: &HumSearch) -> Result<Option<Hum>> {
    if is_too_short(sound) {
        let secs = HumSearch::MIN_SECS;
        let what = format!("hum cannot be told from a note in less than {secs} s of sound; select a longer range");
        return Err(Error::new(ErrorKind::Script, what));
    }
    match fundamental(sound, search)? {
        Some((f0_hz, _)) => fitted(sound, search, f0_hz).map(Some),
        None => Ok(None),
    }
}

fn is_too_short(sound: &SelectedSound<'_>) -> bool {
    let range = sound.range();
    ((range.end - range.start) as f64) < HumSearch::MIN_SECS * sound.snapshot.sample_rate_hz()
}

fn wanted(search: &HumSearch, f0_hz: f64, is_found: bool) -> HumOptions {
    let is_strict = search.f0 == HumRange::Mains;
    // A tone searched in a given range may be a note, or intermittent.
    let is_known = is_found && is_strict;
    HumOptions { f0_hz, count: search.count, is_tracked: search.is_tracked, is_strict, is_known }
}

/// The fundamental with the largest gain of log likelihood in any of the examined passages, in hertz, and its figures
/// there; `None` if there is no hum.
fn fundamental(sound: &SelectedSound<'_>, search: &HumSearch) -> Result<Option<(f64, HumFigures)>> {
    let (range, rate_hz) = (sound.range(), sound.snapshot.sample_rate_hz());
    let n_samples = range.end - range.start;
    let look = (SEARCH_PASSAGE_SECS * rate_hz) as u64;
    let n_looks = n_samples.div_ceil(look).min(MAX_PASSAGES);
    let length = look.min(n_samples);
    let at = |i: u64| range.start + (n_samples - length) * i / (n_looks - 1).max(1);
    let looks: Vec<Vec<Vec<f32>>> =
        (0..n_looks).map(|i| channels_of(sound, at(i)..at(i) + length)).collect::<Result<_>>()?;
    let min_gain = search.min_gain * (sound.n_signals() as f64).sqrt();
    let together = search.ranges();
    let n_ranges = together.iter().map(Vec::len).sum::<usize>() as u64;
    let mut counter = Counter { progress: sound.progress, done: 0, total: 2 * n_ranges * n_looks * MAX_FITTED as u64 };
    for ranges in together {
        let mut best: Option<(f64, f64, HumFigures)> = None;
        for (channels, range_hz) in looks.iter().flat_map(|look| ranges.iter().map(move |range| (look, *range))) {
            let tried = hum_fundamentals(channels, rate_hz, range_hz);
            for i in 0..MAX_FITTED {
                counter.step()?;
                let Some((f0_hz, _)) = tried.get(i).copied() else { continue };
                let Some(fit) = HumFit::new(channels, rate_hz, wanted(search, f0_hz, false)) else { continue };
                if !search.holds(fit.mean_hz()) {
                    continue;
                }
                let times = evidence_wanted(f0_hz, range_hz);
                let gain = fit.gains().iter().sum::<f64>() / times;
                let hum = Hum { passages: vec![HumPassage { first: 0, start: 0, fit }], rate_hz };
                let figures = match search.is_known() {
                    true => Some(hum.known_figures()).filter(|figures| !figures.multiples.is_empty()),
                    false => hum.figures(times * min_gain),
                };
                if let Some(figures) = figures
                    && best.as_ref().is_none_or(|(_, max, _)| gain > *max)
                {
                    best = Some((f0_hz, gain, figures));
                }
            }
        }
        if let Some((f0_hz, _, figures)) = best {
            // If only even multiples are present, the fundamental is twice as high.
            let f0_hz = if figures.f0_hz > 1.5 * f0_hz { figures.f0_hz } else { f0_hz };
            return Ok(Some((f0_hz, figures)));
        }
    }
    Ok(None)
}

/// Factor by which a fundamental must exceed the required gain of log likelihood. Mains hum is preferred: the factor is
/// above 1 if the range contains mains frequencies and the fundamental is not near a multiple of one.
fn evidence_wanted(f0_hz: f64, range_hz: [f64; 2]) -> f64 {
    let is_meant = MAINS_HZ.iter().any(|hz| (range_hz[0]..=range_hz[1]).contains(hz));
    let is_near = |mains_hz: &f64| {
        let nearest_hz = (f0_hz / mains_hz).round().max(1.0) * mains_hz;
        (f0_hz / nearest_hz - 1.0).abs() <= MAINS_TOLERANCE
    };
    if is_meant && !MAINS_HZ.iter().any(is_near) { OFF_MAINS_FACTOR } else { 1.0 }
}

/// Progress of a search, which takes the first half of the total.
struct Counter<'a> {
    progress: &'a Progress,
    done: u64,
    total: u64,
}

impl Counter<'_> {
    fn step(&mut self) -> Result<()> {
        self.progress.step(self.done, self.total)?;
        self.done += 1;
        Ok(())
    }
}

/// Fits the hum of the whole sound around a known fundamental. Passages whose fitted fundamental lies outside the
/// search range are left without hum.
fn fitted(sound: &SelectedSound<'_>, search: &HumSearch, f0_hz: f64) -> Result<Hum> {
    let (range, rate_hz) = (sound.range(), sound.snapshot.sample_rate_hz());
    let n_samples = range.end - range.start;
    let n_passages = ((n_samples as f64 / rate_hz / PASSAGE_SECS).round() as u64).max(1);
    let margin = (MARGIN_SECS * rate_hz) as u64;
    let mut passages = Vec::new();
    for i in 0..n_passages {
        // The search took the first half.
        sound.progress.step(n_passages + i, 2 * n_passages)?;
        let [start, end] = [i, i + 1].map(|i| n_samples * i / n_passages);
        let (first, end) = (start.saturating_sub(margin), (end + margin).min(n_samples));
        let channels = channels_of(sound, range.start + first..range.start + end)?;
        let too_short = || Error::new(ErrorKind::Internal, "a passage is too short for its hum to be fitted");
        let mut fit = HumFit::new(&channels, rate_hz, wanted(search, f0_hz, true)).ok_or_else(too_short)?;
        if !search.holds(fit.mean_hz()) && !search.holds(fit.mean_hz() / 2.0) {
            fit.clear();
        }
        passages.push(HumPassage { first, start, fit });
    }
    Ok(Hum { passages, rate_hz })
}

/// The samples of all signals in a range.
fn channels_of(sound: &SelectedSound<'_>, samples: Range<u64>) -> Result<Vec<Vec<f32>>> {
    (0..sound.n_signals()).map(|signal| sound.read(signal, samples.clone())).collect()
}

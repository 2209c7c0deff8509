//! The levels at which a sound is clipped.

use crate::dsp::numeric::vectors::vectorized;

/// Minimum run of samples at the peak that indicates clipping.
const MIN_RUN: u32 = 3;
/// Minimum number of such runs: an unclipped wave may contain a few flat peaks by chance.
const MIN_RUNS: u64 = 3;
/// Maximum distance of clipped samples from the peak: for integers in quantisation steps, to allow for dither; for
/// floats and lossy formats as a fraction of the peak.
const FLAT_STEPS: f64 = 2.1;
const FLAT: f64 = 1e-6;

/// Number of histogram bins from 0 to the peak.
const BINS: usize = 200;
/// Bins in which a pile of samples may start.
const PEAK_START_BINS: std::ops::Range<usize> = 30..199;
/// Number of bins in a pile, and the range of bins with which it is compared, as distances below its start.
const PEAK_BINS: usize = 6;
const BASELINE_BINS: [usize; 2] = [18, 5];
/// Maximum width of a pile in bins, and the maximum number of samples beyond it as a fraction of the pile.
const MAX_PEAK_END: usize = 12;
const MAX_SHARE_BEYOND: f64 = 0.25;
/// Minimum height of a pile relative to the bins below it.
const MIN_PEAK_RATIO: f64 = 3.0;

/// The clipping levels of one channel: samples at or beyond them are clipped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClipLevels {
    /// Positive level; infinite if no peak is clipped.
    pub above: f32,
    /// Negative level; negative infinity if no trough is clipped.
    pub below: f32,
}

impl ClipLevels {
    /// Whether a sample is clipped.
    #[inline(always)]
    pub fn is_clipped(self, sample: f32) -> bool {
        sample >= self.above || sample <= self.below
    }

    /// Limits the restored value of a clipped sample, so that it is at its clipping level or beyond.
    #[inline(always)]
    pub fn allow(self, clipped: f32, restored: f32) -> f32 {
        if clipped >= self.above { restored.max(self.above) } else { restored.min(self.below) }
    }

    /// The larger of the finite levels, as a magnitude; 0 if neither is finite.
    pub fn largest(self) -> f32 {
        let finite = [self.above, -self.below].into_iter().filter(|level| level.is_finite());
        finite.fold(0.0, f32::max)
    }

    /// The levels times a factor.
    #[must_use]
    pub fn scaled(self, factor: f32) -> ClipLevels {
        ClipLevels { above: self.above * factor, below: self.below * factor }
    }

    /// Number of clipped samples.
    pub fn count(self, samples: &[f32]) -> u64 {
        count(samples, self.above, self.below)
    }
}

vectorized! {
    fn count(samples: &[f32], above: f32, below: f32) -> u64 {
        samples.iter().map(|&x| u64::from((x >= above) | (x <= below))).sum()
    }
}

/// How a level was detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DetectedBy {
    /// From runs of samples at the peak.
    Runs,
    /// From samples that pile up below the peak: the sound was encoded, resampled or filtered after clipping.
    Pile,
}

/// The detected clipping levels of one channel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DetectedLevels {
    /// The levels.
    pub levels: ClipLevels,
    /// How they were detected; `Pile` if either of them was.
    pub by: DetectedBy,
}

/// The largest and the smallest sample of a channel, from pieces in any order.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClipPeaks([f32; 2]);

impl ClipPeaks {
    /// Includes further samples.
    pub fn add(&mut self, samples: &[f32]) {
        let [high, low] = samples.iter().fold(self.0, |[high, low], &x| [high.max(x), low.min(x)]);
        self.0 = [high, low];
    }
}

/// Detects the levels of a channel from all of its samples in order, once its peaks are known.
#[derive(Debug, Clone)]
pub struct ClipDetector {
    sides: [SideDetector; 2],
}

/// Detects clipped peaks, or troughs.
#[derive(Debug, Clone)]
struct SideDetector {
    peak: f64,
    tolerance: f64,
    run: u32,
    n_runs: u64,
    histogram: [u64; BINS],
}

impl ClipDetector {
    /// A detector for samples stored as integers of `bits` bits; `None` for floats and lossy formats.
    pub fn new(peaks: ClipPeaks, bits: Option<u32>) -> ClipDetector {
        let step = bits.map(|bits| 2f64.powi(1 - bits.min(32) as i32));
        let side = |peak: f32| {
            let peak = f64::from(peak);
            let tolerance = step.map_or(FLAT * peak, |step| FLAT_STEPS * step);
            SideDetector { peak, tolerance, run: 0, n_runs: 0, histogram: [0; BINS] }
        };
        ClipDetector { sides: [side(peaks.0[0]), side(-peaks.0[1])] }
    }

    /// Processes the next samples.
    pub fn add(&mut self, samples: &[f32]) {
        for (side, sign) in self.sides.iter_mut().zip([1.0, -1.0]) {
            samples.iter().for_each(|&sample| side.add(sign * f64::from(sample)));
        }
    }

    /// The levels; `None` if the sound is not clipped.
    pub fn detected(&self) -> Option<DetectedLevels> {
        let [above, below] = [0, 1].map(|side: usize| self.sides[side].level());
        let by = above.iter().chain(&below).map(|(_, by)| *by).max()?;
        let level = |side: Option<(f64, DetectedBy)>| side.map_or(f64::INFINITY, |(level, _)| level) as f32;
        Some(DetectedLevels { levels: ClipLevels { above: level(above), below: -level(below) }, by })
    }
}

impl SideDetector {
    fn add(&mut self, q: f64) {
        if q <= 0.0 || self.peak <= 0.0 {
            self.run = 0;
            return;
        }
        self.run = if q >= self.peak - self.tolerance { self.run + 1 } else { 0 };
        if self.run == MIN_RUN {
            self.n_runs += 1;
        }
        let bin = (q / self.peak * BINS as f64) as usize;
        self.histogram[bin.min(BINS - 1)] += 1;
    }

    fn level(&self) -> Option<(f64, DetectedBy)> {
        if self.n_runs >= MIN_RUNS {
            let level = self.peak - 2.0 * self.tolerance;
            // In a sound barely louder than its quantisation steps, every sample would count as clipped.
            return (level > 0.0).then_some((level, DetectedBy::Runs));
        }
        let count = |bins: std::ops::Range<usize>| self.histogram[bins].iter().sum::<u64>() as f64;
        let pile = |bin: usize| {
            let end = (bin + PEAK_BINS).min(BINS);
            let top = count(bin..end) / (end - bin) as f64;
            let below =
                count(bin - BASELINE_BINS[0]..bin - BASELINE_BINS[1]) / (BASELINE_BINS[0] - BASELINE_BINS[1]) as f64;
            let pile_end = (bin + MAX_PEAK_END).min(BINS);
            let ends = count(pile_end..BINS) <= MAX_SHARE_BEYOND * count(bin..pile_end);
            (ends, top / (below + 1.0))
        };
        let piles = PEAK_START_BINS
            .map(|bin| (bin, pile(bin)))
            .filter(|(_, (ends, height))| *ends && *height >= MIN_PEAK_RATIO);
        let (bin, _) = piles.max_by(|(_, (_, a)), (_, (_, b))| a.total_cmp(b))?;
        Some((bin as f64 * self.peak / BINS as f64, DetectedBy::Pile))
    }
}

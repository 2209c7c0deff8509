//! Hum: a steady low tone and its prominent multiples, throughout the sound.

/// Number of the three lowest lines that must be present; with fewer, the tone is taken for a musical note.
const MIN_LINES: usize = 2;
/// Maximum number of lines used to find the fundamental, from the lowest on.
const LOW_LINES: usize = 8;
/// Maximum difference in harmonic number between successive lines; lines after a wider gap are not part of the hum.
const MAX_GAP_LINES: usize = 5;
/// Maximum distance of a line from the multiple of the fundamental, in bins.
const FIT_BINS: f64 = 0.4;
/// Number of bins on each side used as a line's surroundings; the nearest ones belong to the line.
const CONTEXT_BINS: usize = 12;
const OWN_BINS: usize = 3;

/// Typical level of each bin: the lower quartile over the frames.
#[derive(Debug, Clone, Default)]
pub struct HumSpectrum {
    /// Levels in decibels, from 0 Hz on.
    pub levels_db: Vec<f64>,
    /// Distance between neighbouring bins, in hertz.
    pub hz_per_bin: f64,
}

impl HumSpectrum {
    /// The spectrum of frame-major magnitudes.
    pub fn new(magnitudes: &[f32], n_bins: usize, hz_per_bin: f64) -> HumSpectrum {
        let n_frames = magnitudes.len() / n_bins.max(1);
        let level = |bin: usize| {
            let mut values: Vec<f32> = magnitudes.iter().skip(bin).step_by(n_bins).copied().collect();
            let low = *values.select_nth_unstable_by(n_frames / 4, f32::total_cmp).1;
            20.0 * f64::from(low).max(1e-9).log10()
        };
        let levels_db = if n_frames == 0 { Vec::new() } else { (0..n_bins).map(level).collect() };
        HumSpectrum { levels_db, hz_per_bin }
    }

    /// Prominence, in decibels above the median around it, and interpolated frequency, in hertz, of the loudest bin
    /// within one and a half bins of `hz`. The prominence is 0 if that bin is not a peak. `None` near the ends.
    fn line(&self, hz: f64) -> Option<(f64, f64)> {
        let at = hz / self.hz_per_bin;
        let (low, high) = ((at - 1.5).ceil().max(1.0) as usize, (at + 1.5).floor() as usize);
        if high + 2 >= self.levels_db.len() || low > high {
            return None;
        }
        let top = (low..=high).max_by(|&a, &b| self.levels_db[a].total_cmp(&self.levels_db[b]))?;
        if self.levels_db[top - 1] > self.levels_db[top] || self.levels_db[top + 1] > self.levels_db[top] {
            return Some((0.0, hz));
        }
        let below = top.saturating_sub(CONTEXT_BINS)..top.saturating_sub(OWN_BINS);
        let above = top + OWN_BINS + 1..(top + CONTEXT_BINS + 1).min(self.levels_db.len());
        let mut around: Vec<f64> = below.chain(above).map(|bin| self.levels_db[bin]).collect();
        if around.is_empty() {
            return None;
        }
        let middle = around.len() / 2;
        let median = *around.select_nth_unstable_by(middle, f64::total_cmp).1;
        let [a, b, c] = [top - 1, top, top + 1].map(|bin| self.levels_db[bin]);
        let curvature = a - 2.0 * b + c;
        let offset = if curvature < 0.0 { (0.5 * (a - c) / curvature).clamp(-0.5, 0.5) } else { 0.0 };
        Some((b - median, (top as f64 + offset) * self.hz_per_bin))
    }
}

/// The frequencies of a hum's lines, ascending; empty without hum. Lines are multiples `1 ..= count` of the fundamental
/// that are prominent by at least `prominence_db`. The fundamental is the frequency in `f0_hz` with the most prominent
/// low lines. Two of its first three lines must be present, since any single musical tone is near a multiple of some
/// fundamental.
pub fn hum_lines(spectrum: &HumSpectrum, f0_hz: [f64; 2], count: usize, prominence_db: f64) -> Vec<f64> {
    // The lines found at multiples of `f0`: each with its multiple, frequency and prominence.
    let lines = |f0: f64, max: usize| -> Vec<(usize, f64, f64)> {
        let found = (1..=max).map_while(|k| Some((k, spectrum.line(k as f64 * f0)?)));
        let fits = |&(k, (prominence, at)): &(usize, (f64, f64))| {
            prominence >= prominence_db && (at - k as f64 * f0).abs() < FIT_BINS * spectrum.hz_per_bin
        };
        found.filter(fits).map(|(k, (prominence, at))| (k, at, prominence)).collect()
    };
    // Prominences are capped, so that one loud tone of another origin does not suffice; the low lines identify the hum.
    let score = |f0: f64| lines(f0, count.min(LOW_LINES)).iter().map(|(_, _, db)| db.min(30.0)).sum::<f64>();
    let step = spectrum.hz_per_bin / (4.0 * LOW_LINES as f64);
    let n = ((f0_hz[1] - f0_hz[0]) / step).ceil().max(0.0) as usize;
    let candidates = (0..=n).map(|i| (f0_hz[0] + i as f64 * step).min(f0_hz[1]));
    let Some(best) = candidates.map(|f0| (f0, score(f0))).max_by(|a, b| a.1.total_cmp(&b.1)) else { return Vec::new() };
    // Refines the fundamental by least squares, in which higher lines weigh more: first with the low lines, then with
    // all.
    let mut f0 = best.0;
    for max in [count.min(LOW_LINES), count] {
        let found = lines(f0, max);
        let squares: f64 = found.iter().map(|(k, _, _)| (k * k) as f64).sum();
        if squares > 0.0 {
            f0 = found.iter().map(|(k, at, _)| *k as f64 * at).sum::<f64>() / squares;
        }
    }
    let mut found = lines(f0, count);
    if let Some(end) = found.windows(2).position(|pair| pair[1].0 - pair[0].0 > MAX_GAP_LINES) {
        found.truncate(end + 1);
    }
    let n_lowest = found.iter().filter(|(k, _, _)| *k <= 3).count();
    if n_lowest < MIN_LINES { Vec::new() } else { found.iter().map(|(k, _, _)| *k as f64 * f0).collect() }
}

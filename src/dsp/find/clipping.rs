//! Clipping: runs of samples at the largest value there is.

use std::ops::Range;

/// A wave rests so long at its top only when it was cut off.
const LEAST_RUN: usize = 3;

/// The largest and the smallest sample of some.
pub fn peak(samples: &[f32]) -> [f32; 2] {
    samples.iter().fold([0.0f32; 2], |[high, low], &sample| [high.max(sample), low.min(sample)])
}

/// Runs of three samples and more that are at least `level` times as large as the largest, or as the smallest, of the
/// whole sound; ascending and disjoint. `peak` is that of the whole sound. Where nothing was cut off a wave's top is
/// round: a run counts only if its samples differ by less than `1 - level` of the peak.
pub fn clipped_runs(samples: &[f32], peak: [f32; 2], level: f64) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let [high, low] = peak.map(|peak| (f64::from(peak) * level) as f32);
    let is_cut = |sample: f32| (peak[0] > 0.0 && sample >= high) || (peak[1] < 0.0 && sample <= low);
    let mut i = 0;
    while i < samples.len() {
        if !is_cut(samples[i]) {
            i += 1;
            continue;
        }
        let is_high = samples[i] > 0.0;
        let n = samples[i..].iter().take_while(|&&sample| is_cut(sample) && (sample > 0.0) == is_high).count();
        if n >= LEAST_RUN {
            runs.push(i..i + n);
        }
        i += n;
    }
    runs
}

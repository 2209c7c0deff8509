//! Clipping: runs of samples at the maximum value.

use std::ops::Range;

/// Minimum run of samples at the top of a wave that indicates clipping.
const MIN_RUN: usize = 3;

/// Maximum difference between the samples of a flat run: `FLAT_STEPS` quantisation steps plus `FLAT` times their level.
const FLAT_STEPS: f32 = 2.5;
const FLAT: f32 = 1e-6;
/// Minimum ratio of the drop beside a clipped run to the drop beside the top of a parabola of the same width.
const MIN_CURVATURE_RATIO: f32 = 1.5;

/// The positive and the negative peak of `samples`; 0 without samples of that sign.
pub fn peak(samples: &[f32]) -> [f32; 2] {
    samples.iter().fold([0.0f32; 2], |[high, low], &sample| [high.max(sample), low.min(sample)])
}

/// Clipped runs, ascending and disjoint: at least three samples of nearly equal level, at or beyond `level` times the
/// positive or the negative `peak`, which is that of the whole sound. The round top of an unclipped wave is not a
/// clipped run: beside a clipped run the level drops faster than beside the top of a parabola of the same width.
pub fn clipped_runs(samples: &[f32], peak: [f32; 2], level: f64) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let [high, low] = peak.map(|peak| (f64::from(peak) * level) as f32);
    let is_near = |sample: f32| (peak[0] > 0.0 && sample >= high) || (peak[1] < 0.0 && sample <= low);
    let step = finest_step(samples);
    let mut i = 0;
    while i < samples.len() {
        if !is_near(samples[i]) {
            i += 1;
            continue;
        }
        let is_high = samples[i] > 0.0;
        let n = samples[i..].iter().take_while(|&&sample| is_near(sample) && (sample > 0.0) == is_high).count();
        add_flat_runs(samples, i..i + n, step, &mut runs);
        i += n;
    }
    runs
}

/// The smallest nonzero difference between neighbouring samples, as an estimate of the quantisation step.
fn finest_step(samples: &[f32]) -> f32 {
    let steps = samples.windows(2).map(|pair| (pair[1] - pair[0]).abs());
    steps.filter(|step| *step > 0.0).fold(f32::MAX, f32::min)
}

/// Adds the flat runs among samples that are all near the top, or the bottom.
fn add_flat_runs(samples: &[f32], near: Range<usize>, step: f32, runs: &mut Vec<Range<usize>>) {
    let mut start = near.start;
    while start < near.end {
        // Rounding and dither spread a constant height over two steps.
        let wide = FLAT_STEPS * step.min(samples[start].abs()) + FLAT * samples[start].abs();
        let (mut min, mut max, mut end) = (samples[start], samples[start], start + 1);
        while end < near.end && max.max(samples[end]) - min.min(samples[end]) <= wide {
            (min, max) = (min.min(samples[end]), max.max(samples[end]));
            end += 1;
        }
        if end - start >= MIN_RUN && is_cut_off(samples, start..end, max - min + step) {
            runs.push(start..end);
        }
        start = end;
    }
}

/// Whether the second samples before and after a run are much farther below it than those of a parabola of which as
/// many samples lie within `height` of the top.
fn is_cut_off(samples: &[f32], run: Range<usize>, height: f32) -> bool {
    let n = run.len() as f32;
    let round = height * ((n + 3.0) / (n - 1.0)).powi(2);
    let top = samples[run.start].abs();
    let below = |at: Option<usize>| at.and_then(|at| samples.get(at)).map(|x| top - x * samples[run.start].signum());
    let sides = [below(run.start.checked_sub(2)), below(Some(run.end + 1))];
    let n_sides = sides.iter().flatten().count();
    n_sides > 0 && sides.iter().flatten().sum::<f32>() / n_sides as f32 > MIN_CURVATURE_RATIO * round
}

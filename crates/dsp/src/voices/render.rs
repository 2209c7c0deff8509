//! Renders samples from control points on the CPU. Twin: `shaders/voices.wgsl`.

use super::control::{ControlPoint, VoiceRun};
use super::{BLOCK, sine};
use crate::dsp::numeric::vectors::vectorized;

/// Samples of an oscillator computed in parallel.
const LANES: usize = 16;

/// Relative position of each sample in its block.
const FRACTIONS: [f32; BLOCK] = {
    let mut fractions = [0.0; BLOCK];
    let mut i = 0;
    while i < BLOCK {
        fractions[i] = i as f32 / BLOCK as f32;
        i += 1;
    }
    fractions
};

vectorized! {
    /// Adds voices to the samples from `first` on of their chunk. `right` is empty for one channel.
    pub(super) fn render_voices(
        voices: &[VoiceRun],
        points: &[ControlPoint],
        first: usize,
        left: &mut [f32],
        right: &mut [f32],
    ) {
        for voice in voices {
            let n = voice.partials as usize;
            let end_of_voice = i64::from(voice.first) + (BLOCK * (voice.rows as usize - 1)) as i64;
            let from = (first as i64).max(i64::from(voice.first));
            let end = ((first + left.len()) as i64).min(end_of_voice);
            let points = &points[voice.offset as usize..][..voice.n_points()];
            let mut at = from;
            while at < end {
                // Counted from the voice's first edge.
                let sample = (at - i64::from(voice.first)) as usize;
                let block = sample / BLOCK;
                let begin = sample % BLOCK;
                let stop = BLOCK.min(begin + (end - at) as usize);
                let rows = &points[block * n..(block + 2) * n];
                let sums = block_sums(&rows[..n], &rows[n..], begin / LANES, stop.div_ceil(LANES));
                let out = (at - first as i64) as usize;
                let sums = &sums[begin..stop];
                add(&mut left[out..][..sums.len()], sums, voice.gain[0]);
                if !right.is_empty() {
                    add(&mut right[out..][..sums.len()], sums, voice.gain[1]);
                }
                at += sums.len() as i64;
            }
        }
    }
}

#[inline(always)]
fn add(out: &mut [f32], sums: &[f32], gain: f32) {
    for (out, sum) in out.iter_mut().zip(sums) {
        *out += gain * sum;
    }
}

/// The sums over a block's oscillators, in order, in the groups of samples `first_group..end_group`.
#[inline(always)]
fn block_sums(row: &[ControlPoint], next_row: &[ControlPoint], first_group: usize, end_group: usize) -> [f32; BLOCK] {
    let mut sums = [0.0f32; BLOCK];
    for (point, next) in row.iter().zip(next_row) {
        // Skipping a silent oscillator leaves the sum bit-identical.
        if point.level != 0.0 || next.level != 0.0 {
            add_oscillator(point, next.level, first_group, end_group, &mut sums);
        }
    }
    sums
}

/// Adds one oscillator. Phases advance from group to group by additions, since baseline x86-64 has no vector
/// multiplication of integers; they are bit-identical to the formula's.
#[inline(always)]
fn add_oscillator(
    point: &ControlPoint,
    next_level: f32,
    first_group: usize,
    end_group: usize,
    sums: &mut [f32; BLOCK],
) {
    let mut phase = [0u32; LANES];
    let mut advance = [0u32; LANES];
    let skipped = (first_group * LANES) as u32;
    for lane in 0..LANES {
        let i = skipped.wrapping_add(lane as u32);
        let of_slope = point.slope.wrapping_mul(i.wrapping_mul(i.wrapping_sub(1)) / 2);
        phase[lane] = point.phase.wrapping_add(point.step.wrapping_mul(i)).wrapping_add(of_slope);
        let grown = point.slope.wrapping_mul((LANES as u32).wrapping_mul(i).wrapping_add(120));
        advance[lane] = point.step.wrapping_mul(LANES as u32).wrapping_add(grown);
    }
    let growth = point.slope.wrapping_mul((LANES * LANES) as u32);
    let rise = next_level - point.level;
    let samples = first_group * LANES..end_group * LANES;
    let fractions = FRACTIONS[samples.clone()].chunks_exact(LANES);
    for (sums, fractions) in sums[samples].chunks_exact_mut(LANES).zip(fractions) {
        for lane in 0..LANES {
            sums[lane] += (point.level + rise * fractions[lane]) * sine(phase[lane]);
            phase[lane] = phase[lane].wrapping_add(advance[lane]);
            advance[lane] = advance[lane].wrapping_add(growth);
        }
    }
}

//! The attacks of hits that share windows with another: their high frequencies are removed before stretching, and added
//! back at their mapped onset, sample by sample, since one window cannot represent two onsets that move apart.

use super::ReadInput;
use super::time_map::MappedOnset;
use crate::base::Result;
use std::f64::consts::PI;
use std::ops::Range;

/// Cutoff above which attacks are extracted.
const HIGH_HZ: f64 = 1_500.0;
/// Half the length of the low-pass filter.
const FILTER_SECS: f64 = 0.0015;
/// Fade-in times before an onset, and fade-out times after it.
const IN_SECS: [f64; 2] = [0.005, 0.002];
const OUT_SECS: [f64; 2] = [0.010, 0.030];

/// The attacks of a sound that are extracted and added back.
pub(super) struct AttackParts {
    /// In the order of their onsets.
    parts: Vec<AttackPart>,
    /// The low-pass filter: its centre and the values on one side, the outermost last.
    low: Vec<f32>,
    fade_in: [i64; 2],
}

/// An attack, and the samples after its onset at which its fade-out begins and ends.
struct AttackPart {
    onset: MappedOnset,
    fade_out: [i64; 2],
}

impl AttackParts {
    /// The attacks of those onsets (ascending) that are closer to a neighbour than two windows of `window` samples,
    /// before or after stretching.
    pub(super) fn new(onsets: &[MappedOnset], window: usize, rate_hz: f64) -> AttackParts {
        let samples = |secs: f64| (secs * rate_hz).round() as i64;
        let gap = |a: &MappedOnset, b: &MappedOnset| (b.input - a.input).min(b.output - a.output);
        let [lead, _] = IN_SECS.map(samples);
        let part = |at: usize| {
            let before = at.checked_sub(1).map(|before| gap(&onsets[before], &onsets[at]));
            let after = onsets.get(at + 1).map(|after| gap(&onsets[at], after));
            let nearest = before.into_iter().chain(after).min()?;
            let room = after.map_or(i64::MAX, |after| (after - lead).max(1));
            let [full, end] = OUT_SECS.map(samples);
            let end = end.min(room);
            let is_crowded = nearest < 2 * window as i64;
            is_crowded.then_some(AttackPart { onset: onsets[at], fade_out: [full.min(end / 2), end] })
        };
        let half = samples(FILTER_SECS).max(1);
        let low = low_pass(half as usize, HIGH_HZ / rate_hz);
        AttackParts { parts: (0..onsets.len()).filter_map(part).collect(), low, fade_in: IN_SECS.map(samples) }
    }

    /// Reads the input without the attacks.
    pub(super) fn read_without(&self, first: i64, n: usize, read: &mut ReadInput<'_>) -> Result<Vec<Vec<f32>>> {
        let mut input = read(first, n)?;
        for (part, samples) in self.within(first..first + n as i64, |onset| onset.input) {
            let to = (samples.start - first) as usize;
            self.add(part, samples, -1.0, read, to, &mut input)?;
        }
        Ok(input)
    }

    /// Adds the attacks to samples of the output, the first of which is sample `first`.
    pub(super) fn put(&self, first: i64, output: &mut [Vec<f32>], read: &mut ReadInput<'_>) -> Result<()> {
        let n = output.first().map_or(0, Vec::len) as i64;
        for (part, samples) in self.within(first..first + n, |onset| onset.output) {
            let to = (samples.start - first) as usize;
            let moved = part.onset.input - part.onset.output;
            self.add(part, samples.start + moved..samples.end + moved, 1.0, read, to, output)?;
        }
        Ok(())
    }

    /// The attacks that overlap a range of samples, each with its samples in the range.
    fn within(
        &self,
        range: Range<i64>,
        place: impl Fn(&MappedOnset) -> i64,
    ) -> impl Iterator<Item = (&AttackPart, Range<i64>)> {
        let longest = self.parts.iter().map(|part| part.fade_out[1]).max().unwrap_or(0);
        let first = self.parts.partition_point(|part| place(&part.onset) + longest <= range.start);
        let near = self.parts[first..].iter().map(move |part| (part, place(&part.onset)));
        let near = near.take_while({
            let end = range.end + self.fade_in[0];
            move |(_, at)| *at < end
        });
        near.filter_map(move |(part, at)| {
            let samples = (at - self.fade_in[0]).max(range.start)..(at + part.fade_out[1]).min(range.end);
            (!samples.is_empty()).then_some((part, samples))
        })
    }

    /// Adds an attack's high frequencies, times `sign`, to `sums` from index `to` on. `samples` is a range of the
    /// input.
    fn add(
        &self,
        part: &AttackPart,
        samples: Range<i64>,
        sign: f32,
        read: &mut ReadInput<'_>,
        to: usize,
        sums: &mut [Vec<f32>],
    ) -> Result<()> {
        let half = self.low.len() - 1;
        let n = (samples.end - samples.start) as usize;
        let input = read(samples.start - half as i64, n + 2 * half)?;
        for (channel, sums) in input.iter().zip(sums) {
            for (k, sum) in sums[to..to + n].iter_mut().enumerate() {
                let middle = k + half;
                let sides = (1..=half).map(|d| self.low[d] * (channel[middle - d] + channel[middle + d]));
                let low = self.low[0] * channel[middle] + sides.sum::<f32>();
                *sum += sign * self.share(part, samples.start + k as i64) * (channel[middle] - low);
            }
        }
        Ok(())
    }

    /// Fraction of the high frequencies extracted at a sample of the input.
    fn share(&self, part: &AttackPart, at: i64) -> f32 {
        let ramp = |from: i64, to: i64, at: i64| {
            let part = ((at - from) as f64 / (to - from).max(1) as f64).clamp(0.0, 1.0);
            (0.5 - 0.5 * (PI * part).cos()) as f32
        };
        let since = at - part.onset.input;
        ramp(-self.fade_in[0], -self.fade_in[1], since) * (1.0 - ramp(part.fade_out[0], part.fade_out[1], since))
    }
}

/// A symmetric low-pass filter of `2 half + 1` values with sum 1, and with its cutoff in cycles per sample: the centre
/// value and those on one side.
fn low_pass(half: usize, cycles: f64) -> Vec<f32> {
    let value = |d: usize| {
        let window = 0.5 + 0.5 * (PI * d as f64 / (half + 1) as f64).cos();
        let sinc = if d == 0 { 2.0 * cycles } else { (2.0 * PI * cycles * d as f64).sin() / (PI * d as f64) };
        window * sinc
    };
    let values: Vec<f64> = (0..=half).map(value).collect();
    let sum = values[0] + 2.0 * values[1..].iter().sum::<f64>();
    values.iter().map(|value| (value / sum) as f32).collect()
}

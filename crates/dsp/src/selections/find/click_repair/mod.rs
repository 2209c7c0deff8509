//! Clicks: short runs of samples that, once interpolated from their surroundings, leave hardly any prediction error.
//!
//! Each block of some 25 ms has an autoregressive model. A run `u` of unknown samples that is interpolated by least
//! squares lowers the energy of the prediction errors by `m' B^-1 m`, where `m` is the matched filter's output over the
//! run and `B` the Toeplitz matrix of the filter's autocorrelation: this is the log likelihood ratio of damage there,
//! and its maximum over all runs near a peak of `m` gives the extent of a click. Two criteria separate damage from
//! excitation. The errors of a click are those of an additive pulse, so interpolation removes nearly all of them; a
//! pulse of the voice or an attack drives the sound that follows, so much of its error remains. And a click stands
//! alone: its improvement is compared to the energy of the errors before and after it, which repeated pulses, and
//! strokes that ring on, raise.
//!
//! Sources: Godsill and Rayner, *Digital Audio Restoration*, Springer 1998, chapters 5 and 9; Vaseghi and Rayner,
//! "Detection and suppression of impulsive noise in speech communication systems", IEE Proc. 137(1), 1990 (matched
//! filter); Janssen, Veldhuis and Vries, IEEE TASSP 34(2), 1986 (interpolation).

mod model;

use model::{Factor, Model, ORDER};
use std::ops::Range;

/// Length of a block, and its minimum number of samples.
const BLOCK_SECS: f64 = 0.025;
const MIN_BLOCK: usize = 4 * ORDER;
/// Maximum length of a click; longer runs are left alone as wanted sound.
const MAX_SECS: f64 = 64.0 / 44_100.0;
/// Minimum and maximum of that length in samples, for low and high sample rates.
const MAX_SAMPLES: [usize; 2] = [64, 128];
/// Maximum number of samples between runs that form one click.
const MAX_GAP_IN_CLICK: usize = 4;
/// Distances on both sides of a click within which the energy of errors is measured: a short one for attacks, a long
/// one for the pulses of a voice.
const CONTEXT_SECS: [f64; 2] = [0.005, 0.03];
/// Median absolute value of a Gaussian variable with standard deviation 1.
const MEDIAN_OF_GAUSSIAN: f64 = 0.6745;
/// Minimum error of a click: one 16-bit step.
const MIN_CLICK_PEAK: f64 = 1.0 / 32_768.0;
/// Fraction of the threshold that the matched filter must exceed at a candidate.
const CANDIDATE: f64 = 0.5;
/// Number of samples on both sides of a peak that count as the click until its extent is known.
const PEAK_BESIDE: usize = 8;
/// Minimum improvement per sample of a run, in variances of the errors around it.
const PENALTY: f64 = 16.0;
/// Factor of the threshold: minimum ratio of the improvement per sample of the run to the remaining errors per
/// coefficient.
const MIN_RATIO: f64 = 2.0;
/// Fraction of `MIN_RATIO` required in each pass. Since a loud click spoils the model of its block, all passes but the
/// first use models of the repaired sound.
const PASSES: [f64; 3] = [0.5, 1.0, 1.0];
/// Number of blocks on both sides of a repaired one whose models or levels depend on it.
const REACH_BLOCKS: usize = 2;

/// The runs of samples that are clicks, ascending and disjoint: interpolating them lowers the energy of the prediction
/// errors by at least `threshold` squared times the variance of the surrounding errors, and leaves little of it.
pub fn clicks_by_repair(samples: &[f32], threshold: f64, sample_rate_hz: f64) -> Vec<Range<usize>> {
    let heard: Vec<f64> = samples.iter().map(|&sample| f64::from(sample)).collect();
    let mut search = Search::new(&heard, sample_rate_hz);
    let mut found = Vec::new();
    for (pass, part) in PASSES.into_iter().enumerate() {
        found = search.pass(threshold, part);
        if found.is_empty() || pass + 1 == PASSES.len() {
            break;
        }
        search.learn_again(&found);
    }
    let mut clicks: Vec<Range<usize>> = Vec::new();
    for run in found {
        match clicks.last_mut() {
            Some(last) if run.start <= last.end + MAX_GAP_IN_CLICK => last.end = run.end,
            _ => clicks.push(run),
        }
    }
    clicks
}

/// The state of a search, with the sound divided into blocks.
struct Search<'a> {
    heard: &'a [f64],
    /// The sound with clicks interpolated by previous passes.
    repaired: Vec<f64>,
    /// The sound with clicks also interpolated by the current pass.
    next: Vec<f64>,
    blocks: Vec<Block>,
    block_samples: usize,
    longest: usize,
    /// Cumulative sums of the squared errors of `repaired`.
    energy: Vec<f64>,
    around: [usize; 2],
}

struct Block {
    model: Option<Model>,
    factor: Option<Factor>,
    /// Errors of `repaired`.
    errors: Vec<f64>,
    /// Output of the matched filter for the original sound, relative to its standard deviation for errors of 1.
    matched: Vec<f64>,
    /// Median magnitude of the errors.
    median: f64,
    /// Whether the next pass searches this block: a click is nearby, or its model or errors have changed.
    is_new: bool,
}

impl<'a> Search<'a> {
    fn new(heard: &'a [f64], sample_rate_hz: f64) -> Search<'a> {
        let block_samples = ((sample_rate_hz * BLOCK_SECS) as usize).max(MIN_BLOCK);
        let longest = ((sample_rate_hz * MAX_SECS) as usize).clamp(MAX_SAMPLES[0], MAX_SAMPLES[1]);
        let around = CONTEXT_SECS.map(|secs| (sample_rate_hz * secs) as usize);
        let (repaired, next) = (heard.to_vec(), heard.to_vec());
        let mut search =
            Search { heard, repaired, next, blocks: Vec::new(), block_samples, longest, energy: Vec::new(), around };
        search.blocks = (0..heard.len().div_ceil(block_samples)).map(|index| search.block(index)).collect();
        search.sum_up();
        search
    }

    fn range_of(&self, block: usize) -> Range<usize> {
        block * self.block_samples..((block + 1) * self.block_samples).min(self.heard.len())
    }

    fn block(&self, index: usize) -> Block {
        let range = self.range_of(index);
        let Some(model) = Model::learn(&self.repaired, range.clone()) else {
            let zeros = vec![0.0; range.len()];
            return Block {
                model: None,
                factor: None,
                errors: zeros.clone(),
                matched: zeros,
                median: 0.0,
                is_new: true,
            };
        };
        let wide = range.start..(range.end + ORDER).min(self.heard.len());
        let is_repaired = self.repaired[range.start.saturating_sub(ORDER)..wide.end]
            != self.heard[range.start.saturating_sub(ORDER)..wide.end];
        let heard = model.errors(self.heard, wide);
        let mut matched = model.matched(&heard);
        matched.truncate(range.len());
        let scale = 1.0 / model.matched_gain();
        matched.iter_mut().for_each(|value| *value = value.abs() * scale);
        let mut errors = if is_repaired { model.errors(&self.repaired, range.clone()) } else { heard };
        errors.truncate(range.len());
        let median = median(errors.iter().map(|error| error.abs()).collect());
        Block { model: Some(model), factor: None, errors, matched, median, is_new: true }
    }

    fn sum_up(&mut self) {
        let mut sum = 0.0;
        self.energy.clear();
        self.energy.push(0.0);
        for error in self.blocks.iter().flat_map(|block| &block.errors) {
            sum += error * error;
            self.energy.push(sum);
        }
    }

    /// Applies the repairs of the last pass, and updates the models near changed blocks. Only blocks near these or near
    /// a click are searched again.
    fn learn_again(&mut self, found: &[Range<usize>]) {
        let before = std::mem::replace(&mut self.repaired, self.heard.to_vec());
        let mut has_click = vec![false; self.blocks.len()];
        for run in found {
            self.repaired[run.clone()].copy_from_slice(&self.next[run.clone()]);
            has_click[run.start / self.block_samples..=(run.end - 1) / self.block_samples].fill(true);
        }
        let is_changed = |index: usize| {
            let range = self.range_of(index);
            before[range.clone()] != self.repaired[range]
        };
        let changed: Vec<bool> = (0..self.blocks.len()).map(is_changed).collect();
        for index in 0..self.blocks.len() {
            let near = index.saturating_sub(REACH_BLOCKS)..(index + REACH_BLOCKS + 1).min(changed.len());
            if changed[near.clone()].contains(&true) {
                self.blocks[index] = self.block(index);
            }
            self.blocks[index].is_new = changed[near.clone()].contains(&true) || has_click[near].contains(&true);
        }
        self.next.copy_from_slice(&self.repaired);
        self.sum_up();
    }

    /// Robust standard deviation of the errors in a block, from the medians of up to three neighbouring blocks; at
    /// least `MIN_CLICK_PEAK`.
    fn usual(&self, block: usize) -> f64 {
        let near = block.saturating_sub(1)..(block + 2).min(self.blocks.len());
        (median(self.blocks[near].iter().map(|block| block.median).collect()) / MEDIAN_OF_GAUSSIAN).max(MIN_CLICK_PEAK)
    }

    /// Searches the blocks marked `is_new` for clicks, and interpolates these in `next`.
    fn pass(&mut self, threshold: f64, part: f64) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        let usual: Vec<f64> = (0..self.blocks.len()).map(|index| self.usual(index)).collect();
        let mut surprise = Vec::with_capacity(self.heard.len());
        for (block, usual) in self.blocks.iter().zip(&usual) {
            let scale = if block.is_new { 1.0 / usual } else { 0.0 };
            surprise.extend(block.matched.iter().map(|value| value * scale));
        }
        let mut at = 0;
        while let Some(first) = (at..surprise.len()).find(|&i| surprise[i] > CANDIDATE * threshold) {
            let near = first..(first + self.longest / 2).min(surprise.len());
            let peak = near.max_by(|&a, &b| surprise[a].total_cmp(&surprise[b])).unwrap_or(first);
            at = peak + self.longest / 2;
            let after_last = found.last().map_or(0, |run| run.end);
            if peak >= after_last
                && let Some(run) = self.repair(peak, after_last, [threshold, part], usual[peak / self.block_samples])
            {
                found.push(run);
            }
        }
        found
    }

    /// Interpolates the click around a peak, starting no earlier than `from`, and returns its range; `None` if it is
    /// not a click.
    fn repair(&mut self, peak: usize, from: usize, [threshold, part]: [f64; 2], usual: f64) -> Option<Range<usize>> {
        let half = self.longest / 2;
        let span = peak.saturating_sub(half).max(from)..(peak + half).min(self.heard.len());
        if span.start < 2 * ORDER || span.end + ORDER > self.heard.len() {
            return None;
        }
        let longest = self.longest;
        let block = &mut self.blocks[peak / self.block_samples];
        let model = block.model.as_ref()?;
        let factor = block.factor.get_or_insert_with(|| Factor::new(model, longest));
        // The original samples within the span, repaired samples around it.
        let first = span.start - ORDER;
        let mut samples = self.next[first..span.end + ORDER].to_vec();
        samples[ORDER..ORDER + span.len()].copy_from_slice(&self.heard[span.clone()]);
        let errors = model.errors(&samples, ORDER..samples.len());
        let matched = model.matched(&errors);
        let matched = &matched[..span.len()];
        if matched.iter().all(|value| value.abs() < CANDIDATE * threshold * usual * model.matched_gain()) {
            return None;
        }
        let mut variance = usual.powi(2).max(around(
            &self.energy,
            &(peak.saturating_sub(PEAK_BESIDE)..peak + PEAK_BESIDE),
            self.around,
        ));
        let (mut run, mut gain) = factor.best_run(matched, PENALTY * variance);
        let within = |run: &Range<usize>| span.start + run.start..span.start + run.end;
        let outside = usual.powi(2).max(around(&self.energy, &within(&run), self.around));
        if outside != variance {
            variance = outside;
            (run, gain) = factor.best_run(matched, PENALTY * variance);
            variance = usual.powi(2).max(around(&self.energy, &within(&run), self.around));
        }
        let before: f64 = errors[run.start..run.end + ORDER].iter().map(|error| error * error).sum();
        let left = (before - gain).max(0.0) + MIN_CLICK_PEAK * MIN_CLICK_PEAK;
        let ratio = gain / run.len() as f64 / (left / ORDER as f64);
        if gain < threshold.powi(2) * variance || ratio < part * MIN_RATIO * threshold {
            return None;
        }
        let place = within(&run);
        let corrections = factor.corrections(&matched[run]);
        for (at, correction) in place.clone().zip(corrections) {
            self.next[at] = self.heard[at] - correction;
        }
        Some(place)
    }
}

/// The largest mean energy of the errors before and after a run, within either of two distances. The run's own errors,
/// which extend [`ORDER`] samples beyond it, are left out.
fn around(energy: &[f64], run: &Range<usize>, reaches: [usize; 2]) -> f64 {
    let last = energy.len() - 1;
    let after = (run.end + ORDER).min(last);
    let mean = |range: Range<usize>, reach: usize| {
        (energy[range.end] - energy[range.start]) / range.len().max(reach / 2).max(1) as f64
    };
    let sides = |reach: usize| {
        let before = mean(run.start.saturating_sub(reach)..run.start, reach);
        before.max(mean(after..(after + reach).min(last), reach))
    };
    reaches.into_iter().map(sides).fold(0.0, f64::max)
}

fn median(mut values: Vec<f64>) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

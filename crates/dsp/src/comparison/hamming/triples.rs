//! Exact search among pictures of three hashes each: all pairs whose summed Hamming distance is within a limit.
//!
//! Pairs are passed on as they are found, since the pairs of many similar pictures may not fit in memory. The search
//! uses runs of bits as for single hashes, or compares all pairs where that is no more work.

use super::{BitRun, MAX_RUN_SEARCH_DISTANCE, SortedByRun, runs_of_bits};
use crate::base::{Progress, Result};
use crate::dsp::numeric::vectors::vectorized;
use rayon::prelude::*;
use std::ops::Range;

/// Approximate number of pairs compared between checks for cancellation; their matches are in memory together.
const PAIRS_AT_ONCE: usize = 1 << 22;
/// Approximate number of pairs that a thread compares at a time.
const PAIRS_PER_TASK: usize = 1 << 16;
/// Number of pictures compared with a picture before the differences are tested.
const BLOCK: usize = 512;

/// Calls `take` with the indices of each pair of pictures whose three hashes differ in at most `max` bits in total,
/// the smaller index first, once per pair and in no particular order.
///
/// # Errors
/// [`Cancelled`](crate::base::ErrorKind::Cancelled).
///
/// # Panics
/// If there are more than `u32::MAX` pictures.
pub fn each_alike(
    pictures: &[[u64; 3]],
    max: u32,
    progress: &Progress,
    take: &mut dyn FnMut(usize, usize),
) -> Result<()> {
    assert!(u32::try_from(pictures.len()).is_ok(), "indices have 32 bits");
    let mut search = TripleSearch { max, progress, take };
    let all = HashColumns {
        hashes: [0, 1, 2].map(|which| pictures.iter().map(|hashes| hashes[which]).collect()),
        indices: (0..pictures.len() as u32).collect(),
    };
    // At least one of the three hashes differs in at most a third of the bits, and so agrees on a run.
    let of_one = max / 3;
    let runs = runs_of_bits((of_one as usize + 1).max(4));
    if of_one > MAX_RUN_SEARCH_DISTANCE || all.n_pairs_by(&runs) >= n_pairs(pictures.len()) {
        return search.compare(&all, std::iter::once(0..pictures.len()), &|_| true);
    }
    for (which, hashes) in all.hashes.iter().enumerate() {
        for (at, &run) in runs.iter().enumerate() {
            let sorted = SortedByRun::new(hashes, run);
            // A pair counts only at the first run on which it agrees.
            let is_first = |difference: [u64; 3]| {
                let mut places = (0..3).flat_map(|which| (0..runs.len()).map(move |at| (which, at)));
                places.find(|&(which, at)| runs[at].of(difference[which]) == 0) == Some((which, at))
            };
            search.compare(&all.in_order(&sorted.indices), sorted.buckets(), &is_first)?;
        }
    }
    Ok(())
}

/// Number of pairs among `n` items.
fn n_pairs(n: usize) -> usize {
    n * n.saturating_sub(1) / 2
}

/// The three hashes of pictures in some order, and the indices of the pictures.
struct HashColumns {
    hashes: [Vec<u64>; 3],
    indices: Vec<u32>,
}

impl HashColumns {
    /// Number of pairs that agree on a run, summed over the runs.
    fn n_pairs_by(&self, runs: &[BitRun]) -> usize {
        let of_run = |hashes: &[u64], run: BitRun| -> usize {
            let mut counts = vec![0; 1 << run.n_bits];
            hashes.iter().for_each(|&hash| counts[run.of(hash)] += 1);
            counts.into_iter().map(n_pairs).sum()
        };
        self.hashes.iter().flat_map(|hashes| runs.iter().map(move |&run| of_run(hashes, run))).sum()
    }

    fn in_order(&self, indices: &[u32]) -> HashColumns {
        let ordered = |hashes: &Vec<u64>| -> Vec<u64> { indices.iter().map(|&index| hashes[index as usize]).collect() };
        HashColumns { hashes: self.hashes.each_ref().map(ordered), indices: indices.to_vec() }
    }

    fn picture(&self, at: usize) -> [u64; 3] {
        self.hashes.each_ref().map(|hashes| hashes[at])
    }

    /// Matching pairs of a picture in `rows` and any later one before `end`.
    fn alike(
        &self,
        (rows, end): &(Range<usize>, usize),
        max: u32,
        is_counted: &(dyn Fn([u64; 3]) -> bool + Sync),
    ) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        let mut differences = [0; BLOCK];
        for row in rows.clone() {
            let one = self.picture(row);
            for first in (row + 1..*end).step_by(BLOCK) {
                let others = first..(first + BLOCK).min(*end);
                let differences = &mut differences[..others.len()];
                add_differences(self.hashes.each_ref().map(|hashes| &hashes[others.clone()]), one, differences);
                for (at, _) in others.zip(differences).filter(|(_, difference)| **difference <= max) {
                    let other = self.picture(at);
                    if is_counted([0, 1, 2].map(|which| one[which] ^ other[which])) {
                        let [a, b] = [self.indices[row], self.indices[at]];
                        found.push((a.min(b), a.max(b)));
                    }
                }
            }
        }
        found
    }
}

vectorized! {
    /// Writes the number of bits in which each picture differs from `one`.
    fn add_differences(hashes: [&[u64]; 3], one: [u64; 3], differences: &mut [u32]) {
        let [first, second, third] = hashes;
        for (difference, ((a, b), c)) in differences.iter_mut().zip(first.iter().zip(second).zip(third)) {
            *difference = (a ^ one[0]).count_ones() + (b ^ one[1]).count_ones() + (c ^ one[2]).count_ones();
        }
    }
}

/// The limit of a search, and the callback that receives its pairs.
struct TripleSearch<'a> {
    max: u32,
    progress: &'a Progress,
    take: &'a mut dyn FnMut(usize, usize),
}

impl TripleSearch<'_> {
    /// Compares all pairs within buckets.
    fn compare(
        &mut self,
        columns: &HashColumns,
        buckets: impl Iterator<Item = Range<usize>>,
        is_counted: &(dyn Fn([u64; 3]) -> bool + Sync),
    ) -> Result<()> {
        let (mut tasks, mut n_compared) = (Vec::new(), 0);
        for bucket in buckets {
            let n_rows = (PAIRS_PER_TASK / bucket.len().max(1)).max(1);
            for first in bucket.clone().step_by(n_rows) {
                let rows = first..(first + n_rows).min(bucket.end);
                n_compared += rows.len() * (bucket.end - first);
                tasks.push((rows, bucket.end));
                if n_compared >= PAIRS_AT_ONCE {
                    self.run(columns, &std::mem::take(&mut tasks), is_counted)?;
                    n_compared = 0;
                }
            }
        }
        self.run(columns, &tasks, is_counted)
    }

    fn run(
        &mut self,
        columns: &HashColumns,
        tasks: &[(Range<usize>, usize)],
        is_counted: &(dyn Fn([u64; 3]) -> bool + Sync),
    ) -> Result<()> {
        self.progress.check()?;
        let max = self.max;
        let found: Vec<(u32, u32)> =
            tasks.par_iter().flat_map_iter(|task| columns.alike(task, max, is_counted)).collect();
        found.into_iter().for_each(|(a, b)| (self.take)(a as usize, b as usize));
        Ok(())
    }
}

//! Exact search among 64-bit hashes: all pairs of hashes, or all hashes near a given one, within a Hamming distance.
//!
//! For a small distance, the 64 bits are split into more runs than bits may differ, so that two matching hashes agree
//! on at least one run; only hashes that agree on a run are compared. For a large distance, all pairs are compared, in
//! blocks that fit the cache.

mod triples;

pub use triples::each_alike;

use crate::numeric::vectors::vectorized;
use rayon::prelude::*;
use std::ops::Range;

/// Two hashes of a list and their Hamming distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HashPair {
    /// Index of the first hash.
    pub first: u32,
    /// Index of the second hash, larger than the first.
    pub second: u32,
    /// Number of bits that differ.
    pub distance: u32,
}

/// Method of searching for pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairSearch {
    /// The faster method for the distance.
    Auto,
    /// By runs of bits; distances above [`MAX_RUN_SEARCH_DISTANCE`] are searched by blocks in any case.
    Runs,
    /// Compares all pairs, in blocks.
    Blocks,
}

/// Maximum distance that is searched by runs. Beyond it runs are so short that nearly all hashes agree on one.
pub const MAX_RUN_SEARCH_DISTANCE: u32 = 7;

/// Rows and columns of a block in the matrix of all pairs.
const BLOCK: [usize; 2] = [1_024, 2_048];
/// Number of hashes tested together before they are examined individually.
const GROUP: usize = 16;
/// If more hashes than this have the same value of a run of bits, they are compared in blocks.
const LONG_RUN: usize = 4_096;

/// All pairs of hashes that differ in at most `max` bits, ordered by first and second index. Memory grows with the
/// number of pairs, so if many hashes are equal, search among the distinct ones.
///
/// # Panics
/// If there are more than `u32::MAX` hashes.
pub fn pairs_within(hashes: &[u64], max: u32, search: PairSearch) -> Vec<HashPair> {
    assert!(u32::try_from(hashes.len()).is_ok(), "indices have 32 bits");
    let by_runs = max <= MAX_RUN_SEARCH_DISTANCE && search != PairSearch::Blocks;
    let mut pairs = if by_runs { pairs_by_runs(hashes, max) } else { pairs_by_blocks(hashes, max) };
    pairs.par_sort_unstable();
    pairs
}

/// Indices of the hashes that differ from `query` in at most `max` bits, with the distances, nearest first, then by
/// index.
///
/// # Panics
/// If there are more than `u32::MAX` hashes.
pub fn near(hashes: &[u64], query: u64, max: u32) -> Vec<(u32, u32)> {
    assert!(u32::try_from(hashes.len()).is_ok(), "indices have 32 bits");
    let mut found = Vec::new();
    within(hashes, query, max, &mut |at, distance| found.push((at as u32, distance)));
    found.sort_by_key(|&(_, distance)| distance);
    found
}

/// Calls `take` for each hash within `max` bits of `query`, in order, with its index and distance.
fn within(hashes: &[u64], query: u64, max: u32, take: &mut dyn FnMut(usize, u32)) {
    let mut hits = [0u64; 64];
    // A bit for each group with a hit: 64 words of 64 groups.
    let n_at_once = hits.len() * 64 * GROUP;
    for (index, part) in hashes.chunks(n_at_once).enumerate() {
        let hits = &mut hits[..part.len().div_ceil(64 * GROUP)];
        groups_within(part, query, max, hits);
        for (word, hits) in hits.iter_mut().enumerate() {
            while *hits != 0 {
                let first = (word * 64 + hits.trailing_zeros() as usize) * GROUP;
                *hits &= *hits - 1;
                for (offset, &hash) in part[first..].iter().take(GROUP).enumerate() {
                    let distance = (hash ^ query).count_ones();
                    if distance <= max {
                        take(index * n_at_once + first + offset, distance);
                    }
                }
            }
        }
    }
}

vectorized! {
    /// Sets a bit for each group that contains a hash within `max` bits of `query`.
    fn groups_within(hashes: &[u64], query: u64, max: u32, hits: &mut [u64]) {
        for (hits, hashes) in hits.iter_mut().zip(hashes.chunks(64 * GROUP)) {
            *hits = 0;
            let groups = hashes.chunks_exact(GROUP);
            let rest = groups.remainder();
            let n_whole = hashes.len() / GROUP;
            for (bit, group) in groups.enumerate() {
                let mut min = u64::MAX;
                for &hash in group {
                    min = min.min(u64::from((hash ^ query).count_ones()));
                }
                *hits |= u64::from(min <= u64::from(max)) << bit;
            }
            let is_in_rest = rest.iter().any(|hash| (hash ^ query).count_ones() <= max);
            if is_in_rest {
                *hits |= 1 << n_whole;
            }
        }
    }
}

/// All pairs, in blocks of rows and columns.
fn pairs_by_blocks(hashes: &[u64], max: u32) -> Vec<HashPair> {
    let identity = |at: usize| at as u32;
    block_rows(hashes.len())
        .into_par_iter()
        .flat_map_iter(|rows| {
            let mut found = Vec::new();
            compare_rows(hashes, rows, max, &mut |first, second, distance| {
                found.push(HashPair { first: identity(first), second: identity(second), distance });
            });
            found
        })
        .collect()
}

/// The rows of each block.
fn block_rows(n_hashes: usize) -> Vec<Range<usize>> {
    (0..n_hashes).step_by(BLOCK[0]).map(|first| first..(first + BLOCK[0]).min(n_hashes)).collect()
}

/// Compares the hashes in `rows` with all later ones, and calls `take` for matches.
fn compare_rows(hashes: &[u64], rows: Range<usize>, max: u32, take: &mut dyn FnMut(usize, usize, u32)) {
    let mut columns = rows.start;
    while columns < hashes.len() {
        let end = (columns + BLOCK[1]).min(hashes.len());
        for row in rows.clone() {
            let from = columns.max(row + 1);
            if from < end {
                within(&hashes[from..end], hashes[row], max, &mut |at, distance| take(row, from + at, distance));
            }
        }
        columns = end;
    }
}

/// All pairs by runs; each pair is reported at the first run on which its hashes agree.
fn pairs_by_runs(hashes: &[u64], max: u32) -> Vec<HashPair> {
    let runs = runs_of_bits((max as usize + 1).max(4));
    let of_run = |index: usize| {
        let sorted = SortedByRun::new(hashes, runs[index]);
        let is_first = |difference: u64| runs[..index].iter().all(|&run| run.of(difference) != 0);
        let tasks: Vec<(Range<usize>, Range<usize>)> = sorted
            .buckets()
            .flat_map(|bucket| {
                let n_rows = if bucket.len() > LONG_RUN { BLOCK[0] } else { bucket.len().max(1) };
                let starts = bucket.clone().step_by(n_rows);
                starts.map(move |start| (start..(start + n_rows).min(bucket.end), bucket.clone())).collect::<Vec<_>>()
            })
            .collect();
        let in_task = |(rows, bucket): &(Range<usize>, Range<usize>)| {
            let mut found = Vec::new();
            let members = &sorted.hashes[bucket.clone()];
            let rows = rows.start - bucket.start..rows.end - bucket.start;
            compare_rows(members, rows, max, &mut |a, b, distance| {
                if is_first(members[a] ^ members[b]) {
                    let [a, b] = [a, b].map(|at| sorted.indices[bucket.start + at]);
                    found.push(HashPair { first: a.min(b), second: a.max(b), distance });
                }
            });
            found
        };
        tasks.par_iter().with_min_len(16).flat_map_iter(in_task).collect::<Vec<HashPair>>()
    };
    (0..runs.len()).into_par_iter().flat_map_iter(of_run).collect()
}

/// A run of adjacent bits of a hash.
#[derive(Debug, Clone, Copy)]
struct BitRun {
    shift: u32,
    n_bits: u32,
}

impl BitRun {
    fn of(self, hash: u64) -> usize {
        ((hash >> self.shift) & ((1 << self.n_bits) - 1)) as usize
    }
}

/// Splits 64 bits into `n_runs` runs, at least 4, of at most 16 bits.
fn runs_of_bits(n_runs: usize) -> Vec<BitRun> {
    let mut shift = 0;
    let run = |index: usize| {
        let n_bits = (64 / n_runs + usize::from(index < 64 % n_runs)) as u32;
        let run = BitRun { shift, n_bits };
        shift += n_bits;
        run
    };
    (0..n_runs).map(run).collect()
}

/// Hashes sorted by one run of their bits, then by index.
struct SortedByRun {
    hashes: Vec<u64>,
    indices: Vec<u32>,
    /// Start index of the hashes with each value of the run, and the total number of hashes.
    starts: Vec<usize>,
}

impl SortedByRun {
    fn new(hashes: &[u64], run: BitRun) -> SortedByRun {
        let mut starts = vec![0; (1 << run.n_bits) + 1];
        for &hash in hashes {
            starts[run.of(hash) + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let mut sorted = SortedByRun { hashes: vec![0; hashes.len()], indices: vec![0; hashes.len()], starts };
        for (index, &hash) in hashes.iter().enumerate() {
            let at = &mut next[run.of(hash)];
            sorted.hashes[*at] = hash;
            sorted.indices[*at] = index as u32;
            *at += 1;
        }
        sorted
    }

    /// Index ranges of hashes with the same value of the run, where there are at least two.
    fn buckets(&self) -> impl Iterator<Item = Range<usize>> {
        self.starts.windows(2).map(|pair| pair[0]..pair[1]).filter(|bucket| bucket.len() > 1)
    }
}

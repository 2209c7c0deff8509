//! Hamming search: exactly the pairs of brute force.

use base::{ErrorKind, Progress};
use dsp::comparison::hamming::{HashPair, MAX_RUN_SEARCH_DISTANCE, PairSearch, each_alike, near, pairs_within};
use support::random::Random;

/// All pairs by brute force.
fn brute_force(hashes: &[u64], max: u32) -> Vec<HashPair> {
    let of = |first: usize| {
        (first + 1..hashes.len()).filter_map(move |second| {
            let distance = (hashes[first] ^ hashes[second]).count_ones();
            (distance <= max).then_some(HashPair { first: first as u32, second: second as u32, distance })
        })
    };
    (0..hashes.len()).flat_map(of).collect()
}

/// Random hashes. Every third is a copy of another with up to 11 bits flipped, and the last differs from the first in
/// its lowest and highest bit.
fn planted(n: usize, seed: u64) -> Vec<u64> {
    let mut random = Random::new(seed);
    let mut hashes: Vec<u64> = (0..n).map(|_| random.bits()).collect();
    for at in (0..n).step_by(3) {
        let mut hash = hashes[random.below(n)];
        for _ in 0..random.below(12) {
            hash ^= 1 << random.below(64);
        }
        hashes[at] = hash;
    }
    if n > 2 {
        hashes[n - 1] = hashes[0] ^ 1 ^ 1 << 63;
    }
    hashes
}

#[test]
fn both_searches_find_what_brute_force_finds() {
    for (n, seed) in [(0, 1), (1, 1), (2, 1), (15, 2), (17, 3), (1_000, 4), (1_025, 5), (3_100, 6)] {
        let hashes = planted(n, seed);
        for max in [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 20, 64] {
            if max == 64 && n > 100 {
                continue;
            }
            let expected = brute_force(&hashes, max);
            for search in [PairSearch::Auto, PairSearch::Runs, PairSearch::Blocks] {
                let found = pairs_within(&hashes, max, search);
                assert!(found == expected, "{n} hashes, {max} bits, {search:?}: {} of {}", found.len(), expected.len());
            }
            if n == 3_100 && max == 5 {
                assert!(expected.len() > 100, "{} planted pairs", expected.len());
            }
        }
    }
}

/// Pairs at exactly the maximum distance are found, with random differing bits, and pairs one bit beyond it are not.
#[test]
fn pairs_at_the_very_distance_are_found_wherever_their_bits_lie() {
    let mut random = Random::new(9);
    for max in 1..=MAX_RUN_SEARCH_DISTANCE {
        for _ in 0..300 {
            let hash = random.bits();
            let mut other = hash;
            while (other ^ hash).count_ones() < max {
                other ^= 1 << random.below(64);
            }
            let beyond = loop {
                let beyond = other ^ 1 << random.below(64);
                if (beyond ^ hash).count_ones() == max + 1 {
                    break beyond;
                }
            };
            let found = pairs_within(&[hash, other], max, PairSearch::Runs);
            assert_eq!(found, [HashPair { first: 0, second: 1, distance: max }]);
            assert!(pairs_within(&[hash, beyond], max, PairSearch::Runs).is_empty());
        }
    }
}

/// All hashes agree on some runs, and there are too many to compare them without blocks.
#[test]
fn long_runs_are_searched_by_blocks() {
    let mut random = Random::new(11);
    let mut hashes: Vec<u64> =
        (0..4_500).map(|_| random.bits() & 0x0000_ffff_ffff_0000 | 0x1234_0000_0000_5678).collect();
    for at in (0..4_500).step_by(50) {
        hashes[at] = hashes[(at * 7 + 1) % 4_500] ^ 0b101 << 20;
    }
    for max in [3, 5] {
        let expected = brute_force(&hashes, max);
        assert!(expected.len() >= 80);
        assert!(pairs_within(&hashes, max, PairSearch::Runs) == expected);
    }
}

#[test]
fn hashes_near_one_come_nearest_first() {
    let hashes = planted(70_000, 21);
    for max in [0, 5, 10, 22] {
        let query = hashes[69_999] ^ 0b11;
        let of = |(at, hash): (usize, &u64)| (at as u32, (hash ^ query).count_ones());
        let mut expected: Vec<(u32, u32)> = hashes.iter().enumerate().map(of).filter(|&(_, d)| d <= max).collect();
        expected.sort_by_key(|&(at, distance)| (distance, at));
        assert_eq!(near(&hashes, query, max), expected);
    }
    assert!(near(&[], 0, 64).is_empty());
    assert_eq!(near(&[0, u64::MAX, 0], 0, 64), [(0, 0), (2, 0), (1, 64)]);
}

/// Brute force over pictures of three hashes, by the sum of distances.
fn plainly_alike(pictures: &[[u64; 3]], max: u32) -> Vec<(usize, usize)> {
    let is_alike = |a: usize, b: usize| {
        let bits = pictures[a].iter().zip(pictures[b]).map(|(a, b)| (a ^ b).count_ones());
        bits.sum::<u32>() <= max
    };
    let pairs = (0..pictures.len()).flat_map(|a| (a + 1..pictures.len()).map(move |b| (a, b)));
    pairs.filter(|&(a, b)| is_alike(a, b)).collect()
}

fn alike(pictures: &[[u64; 3]], max: u32) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    each_alike(pictures, max, &Progress::new(), &mut |a, b| found.push((a, b))).unwrap();
    found.sort_unstable();
    found
}

/// With random hashes, which are searched by runs of bits, and with one hash or all three limited to a few values, so
/// that all pairs are compared.
#[test]
fn pictures_that_are_alike_are_found_once_each() {
    for (n, seed) in [(0, 1), (1, 2), (2, 3), (40, 4), (1_200, 5)] {
        let mut random = Random::new(seed);
        // Each is random or a copy of an earlier one, with up to 29 bits flipped.
        let mut spread: Vec<[u64; 3]> = Vec::new();
        for at in 0..n {
            let new = [0; 3].map(|_| random.bits());
            let mut picture = if at > 0 && random.once_in(2) { spread[random.below(at)] } else { new };
            for _ in 0..random.below(30) {
                picture[random.below(3)] ^= 1 << random.below(64);
            }
            spread.push(picture);
        }
        let one_in_place: Vec<[u64; 3]> = spread.iter().map(|[a, d, w]| [0x1234 ^ (a & 0x0101), *d, *w]).collect();
        let all_in_place: Vec<[u64; 3]> =
            spread.iter().map(|hashes| hashes.map(|hash| 0x77 ^ (hash & 0x8421))).collect();
        for pictures in [&spread, &one_in_place, &all_in_place] {
            for max in [0, 1, 2, 3, 8, 11, 20, 23, 24, 40, 64] {
                let expected = plainly_alike(pictures, max);
                assert!(alike(pictures, max) == expected, "{n} pictures, {max} bits");
            }
        }
        assert!(n < 1_000 || plainly_alike(&spread, 20).len() > 100);
    }
}

/// The differing bits are spread as far as possible: every run of every hash but one differs.
#[test]
fn a_pair_that_agrees_on_one_run_alone_is_found() {
    let mut random = Random::new(12);
    // Enough other pictures for the search by runs of bits to be chosen.
    let others: Vec<[u64; 3]> = (0..600).map(|_| [0; 3].map(|_| random.bits())).collect();
    for _ in 0..40 {
        // At 20 bits each hash has seven runs, 21 in all; one bit is flipped in each but one.
        let first = [0; 3].map(|_| random.bits());
        let spared = random.below(21);
        let mut second = first;
        for run in (0..21).filter(|run| *run != spared) {
            let bit = (0..run % 7).map(|run| 9 + usize::from(run < 1)).sum::<usize>();
            second[run / 7] ^= 1 << bit;
        }
        let pictures = [&others[..], &[first, second]].concat();
        assert!(alike(&pictures, 20).contains(&(600, 601)));
        assert!(!alike(&pictures, 19).contains(&(600, 601)));
    }
}

#[test]
fn a_search_that_finds_very_much_can_be_cancelled() {
    let pictures: Vec<[u64; 3]> = (0..5_000).map(|at| [at, 0, at * at % 7]).collect();
    let progress = Progress::new();
    let mut n_found = 0usize;
    let mut take = |_: usize, _: usize| {
        n_found += 1;
        progress.cancel();
    };
    let error = each_alike(&pictures, 64, &progress, &mut take).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert!((1..pictures.len() * (pictures.len() - 1) / 2).contains(&n_found), "{n_found}");
}

//! Pairs of similar pictures, found on the chosen engine or the faster one.

use super::groups::distance_of;
use crate::base::{Progress, Result};
use crate::dsp::comparison::hamming;
use crate::dsp::comparison::hamming::MAX_RUN_SEARCH_DISTANCE;
use crate::library::batches::BatchEngine;
use std::time::Instant;

/// Number of pictures per block. The device compares two blocks per call, and returns all of their matches at once.
const DEVICE_BLOCK: usize = 4_096;

/// Calls `take` with the indices of pictures whose three hashes differ in at most `max` bits in total, perhaps more
/// than once per pair.
///
/// # Errors
/// Errors of a chosen device; cancelled.
pub fn each_alike(
    hashes: &[[u64; 3]],
    max: u32,
    batches: &mut BatchEngine,
    progress: &Progress,
    take: &mut dyn FnMut(usize, usize),
) -> Result<()> {
    // For small distances the CPU searches by runs of bits, and compares so few pairs that no device is faster.
    let may_gain = max / 3 > MAX_RUN_SEARCH_DISTANCE && hashes.len() >= DEVICE_BLOCK;
    if batches.is_requested() || may_gain && batches.is_worth_checking(hashes.len()) {
        on_device(hashes, max, batches, progress, take)
    } else {
        let began = Instant::now();
        hamming::each_alike(hashes, max, progress, take)?;
        batches.note_pairs_on_cpu(hashes.len(), began.elapsed());
        Ok(())
    }
}

/// Finds pairs on the device, comparing every pair of blocks.
fn on_device(
    hashes: &[[u64; 3]],
    max: u32,
    batches: &mut BatchEngine,
    progress: &Progress,
    take: &mut dyn FnMut(usize, usize),
) -> Result<()> {
    let all: Vec<usize> = (0..hashes.len()).collect();
    if all.len() <= 2 * DEVICE_BLOCK {
        return each_of(hashes, &all, max, batches, take);
    }
    let blocks: Vec<&[usize]> = all.chunks(DEVICE_BLOCK).collect();
    for (at, one) in blocks.iter().enumerate() {
        for other in &blocks[at + 1..] {
            progress.check()?;
            each_of(hashes, &[*one, *other].concat(), max, batches, take)?;
        }
    }
    Ok(())
}

/// Finds pairs among the pictures `members`, comparing one of the three hashes at a time: if two pictures differ in at
/// most `max` bits in total, at least one of their hashes differs in at most `max / 3` bits.
fn each_of(
    hashes: &[[u64; 3]],
    members: &[usize],
    max: u32,
    batches: &mut BatchEngine,
    take: &mut dyn FnMut(usize, usize),
) -> Result<()> {
    for which in 0..3 {
        let of_members: Vec<u64> = members.iter().map(|&at| hashes[at][which]).collect();
        for pair in batches.hash_pairs(&of_members, max / 3)? {
            let [a, b] = [pair.first, pair.second].map(|at| members[at as usize]);
            if distance_of(&hashes[a], &hashes[b]) <= max {
                take(a, b);
            }
        }
    }
    Ok(())
}

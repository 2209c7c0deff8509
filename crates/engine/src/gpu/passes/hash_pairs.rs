//! Compares all pairs of hashes on the device.

use crate::base::{Error, ErrorKind, Result};
use crate::dsp::comparison::hamming::HashPair;
use crate::gpu::Gpu;
use crate::gpu::batch::{Batch, Bind, uniform, words};
use crate::gpu::buffers::pool::Lease;
use crate::gpu::buffers::reads::ReadBack;
use crate::gpu::layout::HashRows;
use crate::gpu::shaders::Program;

/// Maximum number of pairs compared per submission.
const BATCH_PAIRS: usize = 1 << 27;
/// Columns and rows of a workgroup, as in the shader.
const GROUP: [usize; 2] = [256, 64];
/// Maximum number of workgroups along either side of a dispatch, on every device.
const MAX_GROUPS: usize = 65_535;
/// Minimum capacity for pairs.
const MIN_PAIR_CAPACITY: usize = 1 << 16;
/// Words per pair on the device; the last one is padding.
const PAIR_WORDS: usize = 4;

impl Gpu {
    /// Twin of [`pairs_within`](crate::dsp::comparison::hamming::pairs_within): the same pairs in the same order. Waits
    /// for the result.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] for more hashes than one dispatch can compare, [`ErrorKind::Gpu`] when the device fails.
    pub fn hash_pairs(&self, hashes: &[u64], max_distance: u32) -> Result<Vec<HashPair>> {
        if hashes.len() > GROUP[0] * MAX_GROUPS {
            let what = format!("GPU engine: {} hashes are more than one dispatch compares", hashes.len());
            return Err(Error::new(ErrorKind::Limit, what));
        }
        if hashes.len() < 2 {
            return Ok(Vec::new());
        }
        let mut pairs = self.guarded(|| {
            let halves: Vec<[u32; 2]> = hashes.iter().map(|&hash| [hash as u32, (hash >> 32) as u32]).collect();
            // One row alone always has room for all its pairs.
            let n_room = hashes.len().max(MIN_PAIR_CAPACITY);
            let search = HashSearch {
                hashes: self.uploaded(&halves)?,
                n_hashes: hashes.len(),
                max_distance,
                found: self.lease(PAIR_WORDS * n_room)?,
                n_room,
                n_found: self.lease(1)?,
            };
            let mut pairs = Vec::new();
            let max_rows = (BATCH_PAIRS / hashes.len()).clamp(1, GROUP[1] * MAX_GROUPS);
            let (mut row, mut n_rows) = (0, max_rows);
            while row < hashes.len() {
                let end = (row + n_rows).min(hashes.len());
                let n_found = self.pairs_of_rows(&search, row, end)?;
                if n_found > n_room {
                    n_rows = (end - row).div_ceil(2);
                    continue;
                }
                self.take_pairs(&search, n_found, &mut pairs)?;
                row = end;
                n_rows = (2 * n_rows).min(max_rows);
            }
            Ok(pairs)
        })?;
        pairs.sort_unstable();
        Ok(pairs)
    }

    /// Compares the hashes `first..end` with all following ones. Returns the number of pairs found, which may exceed
    /// the capacity of `search`.
    fn pairs_of_rows(&self, search: &HashSearch, first: usize, end: usize) -> Result<usize> {
        let parameters = HashRows {
            first_row: first as u32,
            end_row: end as u32,
            n_hashes: search.n_hashes as u32,
            max_distance: search.max_distance,
            n_room: search.n_room as u32,
        };
        let groups = [search.n_hashes.div_ceil(GROUP[0]), (end - first).div_ceil(GROUP[1])].map(|n| n as u32);
        let mut batch = Batch::new(self)?;
        batch.clear(&search.n_found, 1);
        batch.dispatch(
            Program::file("hash_pairs", "pairs"),
            &[
                (0, uniform(&parameters)),
                (1, words(&search.hashes, 2 * search.n_hashes)),
                (2, Bind::Buffer(&search.found, (4 * PAIR_WORDS * search.n_room) as u64)),
                (3, words(&search.n_found, 1)),
            ],
            groups,
        )?;
        batch.submit();
        let mut n_found = [0u32];
        self.read(ReadBack::Hashes, &search.n_found, 0, &mut n_found)?;
        Ok(n_found[0] as usize)
    }

    fn take_pairs(&self, search: &HashSearch, n: usize, pairs: &mut Vec<HashPair>) -> Result<()> {
        if n == 0 {
            return Ok(());
        }
        let mut found = vec![[0u32; PAIR_WORDS]; n];
        self.read(ReadBack::Hashes, &search.found, 0, &mut found)?;
        pairs.extend(found.iter().map(|&[first, second, distance, _]| HashPair { first, second, distance }));
        Ok(())
    }
}

/// Buffers and parameters of a search.
struct HashSearch {
    hashes: Lease,
    n_hashes: usize,
    max_distance: u32,
    found: Lease,
    n_room: usize,
    n_found: Lease,
}

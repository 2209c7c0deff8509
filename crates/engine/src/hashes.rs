//! Hashes of many pictures, and pairs among many hashes. Both engines return the same bits.

use super::{ComputeDevice, Engine};
use crate::base::{Result, trace};
use crate::dsp::comparison::hamming::{HashPair, PairSearch, pairs_within};
use crate::dsp::comparison::hashes::{GreyPicture, PictureHasher, PictureHashes};

/// Why some pictures' wHash is computed on the CPU.
const UNDECIDED_WHY: &str = "the two sums in the middle are equal, so the last bits of f64 decide";

impl Engine {
    /// See [`PictureHasher::hashes`]; one result per picture, in order. Blocks on the GPU, which leaves each wHash that
    /// depends on the last bits of f64 to this thread.
    ///
    /// # Errors
    /// See [`Gpu::picture_hashes`](crate::gpu::Gpu::picture_hashes); none on the CPU.
    pub fn picture_hashes(&self, hasher: &mut PictureHasher, pictures: &[&GreyPicture]) -> Result<Vec<PictureHashes>> {
        let _span = trace::span("picture hashes");
        let _notes = self.taking_notes();
        match &self.device {
            ComputeDevice::Cpu => {
                Ok(self.noted("picture_hashes", || pictures.iter().map(|picture| hasher.hashes(picture)).collect()))
            }
            ComputeDevice::Gpu(gpu) => {
                let batch = hasher.batch(pictures.iter().copied());
                let found = gpu.picture_hashes(&batch)?;
                let has_undecided = found.has_undecided();
                let mut finish = || hasher.hashes_of_batch(&batch, &found);
                Ok(if has_undecided { self.here("wavelet_hash", UNDECIDED_WHY, finish) } else { finish() })
            }
        }
    }

    /// See [`pairs_within`]. Blocks on the GPU, which compares all pairs regardless of the distance.
    ///
    /// # Errors
    /// See [`Gpu::hash_pairs`](crate::gpu::Gpu::hash_pairs); none on the CPU.
    pub fn hash_pairs(&self, hashes: &[u64], max: u32) -> Result<Vec<HashPair>> {
        let _span = trace::span("hash pairs");
        match &self.device {
            ComputeDevice::Cpu => Ok(pairs_within(hashes, max, PairSearch::Auto)),
            ComputeDevice::Gpu(gpu) => gpu.hash_pairs(hashes, max),
        }
    }
}

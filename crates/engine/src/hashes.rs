//! Hashes of many pictures, and pairs among many hashes. Both engines return the same bits.

use super::{ComputeDevice, Engine};
use crate::base::{Result, trace};
use crate::dsp::comparison::hamming::{HashPair, PairSearch, pairs_within};
use crate::dsp::comparison::hashes::{GreyPicture, PictureHasher, PictureHashes};

impl Engine {
    /// See [`PictureHasher::hashes`]; one result per picture, in order. Blocks on the GPU, which leaves wHash to this
    /// thread.
    ///
    /// # Errors
    /// See [`Gpu::picture_hashes`](crate::gpu::Gpu::picture_hashes); none on the CPU.
    pub fn picture_hashes(&self, hasher: &mut PictureHasher, pictures: &[&GreyPicture]) -> Result<Vec<PictureHashes>> {
        let _span = trace::span("picture hashes");
        match &self.device {
            ComputeDevice::Cpu => Ok(pictures.iter().map(|picture| hasher.hashes(picture)).collect()),
            ComputeDevice::Gpu(gpu) => {
                let batch = hasher.batch(pictures.iter().copied());
                let (words, pixels) = gpu.picture_hashes(&batch)?;
                Ok(hasher.hashes_of_batch(&batch, &words, &pixels))
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

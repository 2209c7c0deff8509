//! Computes perceptual hashes of many pictures on the device.

use super::stft::batches;
use crate::base::Result;
use crate::dsp::comparison::hashes::{DeviceHashes, HashBatch, ResizePass};
use crate::gpu::Gpu;
use crate::gpu::batch::{Batch, Bind, groups_of_256, uniform, words};
use crate::gpu::buffers::pool::Lease;
use crate::gpu::buffers::reads::ReadBack;
use crate::gpu::buffers::transfer::ReadPiece;
use crate::gpu::layout::{HashCount, ResizeWords};
use crate::gpu::shaders::Program;

/// Maximum number of pixels times weights per submission.
const BATCH_WORK: usize = 1 << 26;

/// All inputs of the passes except the pixels.
struct PassTables {
    places: (Lease, u64),
    weights: (Lease, usize),
}

impl Gpu {
    /// Twin of [`PictureHasher::hashes`](crate::dsp::comparison::hashes::PictureHasher::hashes), except where the last
    /// bits of f64 decide a wHash. Waits for the result.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`](crate::base::ErrorKind::Limit) for more pixels than the device's largest buffer holds,
    /// [`ErrorKind::Gpu`](crate::base::ErrorKind::Gpu) when the device fails.
    pub fn picture_hashes(&self, batch: &HashBatch) -> Result<DeviceHashes> {
        let n_pictures = batch.small.len();
        if n_pictures == 0 {
            return Ok(DeviceHashes::default());
        }
        self.guarded(|| {
            let tables = PassTables {
                places: (self.uploaded(&batch.places)?, size_of_val(&*batch.places) as u64),
                weights: (self.uploaded(&batch.weights)?, batch.weights.len()),
            };
            let pixels = (self.uploaded(&batch.pixels)?, batch.pixels.len() / 4);
            let [n_first, n_second] = batch.n_words;
            let first = (self.lease(n_first)?, n_first);
            self.resize_pictures(&batch.first_passes, batch.max_taps, &tables, &pixels, &first)?;
            let second = (self.lease(n_second)?, n_second);
            self.resize_pictures(&batch.second_passes, batch.max_taps, &tables, &first, &second)?;
            let (small, squares) = (self.uploaded(&batch.small)?, self.uploaded(&batch.squares)?);
            let (halves, wavelets) = (self.lease(4 * n_pictures)?, self.lease(3 * n_pictures)?);
            let count = HashCount { n_pictures: n_pictures as u32 };
            let mut recorded = Batch::new(self)?;
            recorded.dispatch(
                Program::file("picture_hashes", "hash_pictures"),
                &[
                    (0, uniform(&count)),
                    (1, Bind::Buffer(&small, size_of_val(&*batch.small) as u64)),
                    (2, words(&second.0, n_second)),
                    (3, words(&halves, 4 * n_pictures)),
                ],
                groups_of_256(4 * n_pictures),
            )?;
            self.hash_squares(&mut recorded, n_pictures, &squares, (&second.0, n_second), &wavelets)?;
            recorded.submit();
            let mut found = DeviceHashes {
                halves: vec![[0; 4]; n_pictures],
                wavelets: vec![[0; 3]; n_pictures],
                undecided_pixels: Vec::new(),
            };
            let what = ReadBack::Hashes;
            self.read_in_copies([
                ReadPiece { what, lease: &halves, first: 0, bytes: bytemuck::cast_slice_mut(&mut found.halves) },
                ReadPiece { what, lease: &wavelets, first: 0, bytes: bytemuck::cast_slice_mut(&mut found.wavelets) },
            ])?;
            found.undecided_pixels = self.undecided_squares(&batch.squares, &found.wavelets, &second.0)?;
            Ok(found)
        })
    }

    /// Runs one pass of every picture.
    fn resize_pictures(
        &self,
        passes: &[ResizePass],
        max_taps: usize,
        tables: &PassTables,
        from: &(Lease, usize),
        to: &(Lease, usize),
    ) -> Result<()> {
        let on_device = self.uploaded(passes)?;
        let mut recorded = Batch::new(self)?;
        for range in batches(to.1, BATCH_WORK / (4 * max_taps.max(1))) {
            let parameters = ResizeWords {
                first_word: range.start as u32,
                end_word: range.end as u32,
                n_passes: passes.len() as u32,
            };
            recorded.dispatch(
                Program::file("hash_resize", "resize_pictures"),
                &[
                    (0, uniform(&parameters)),
                    (1, Bind::Buffer(&on_device, size_of_val(passes) as u64)),
                    (2, Bind::Buffer(&tables.places.0, tables.places.1)),
                    (3, words(&tables.weights.0, tables.weights.1)),
                    (4, words(&from.0, from.1)),
                    (5, words(&to.0, to.1)),
                ],
                groups_of_256(range.len()),
            )?;
            recorded.submit();
        }
        Ok(())
    }
}

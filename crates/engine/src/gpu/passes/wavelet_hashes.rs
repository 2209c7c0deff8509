//! Computes wHash of many square pictures on the device, in integers; undecided pictures are left to the CPU.

use crate::base::Result;
use crate::dsp::comparison::hashes::HaarSquare;
use crate::gpu::Gpu;
use crate::gpu::batch::{Batch, Bind, groups, uniform, words};
use crate::gpu::buffers::pool::Lease;
use crate::gpu::buffers::reads::ReadBack;
use crate::gpu::buffers::transfer::ReadPiece;
use crate::gpu::layout::HashCount;
use crate::gpu::shaders::Program;

impl Gpu {
    /// Records the wHashes of `n` squares of `pixels`, a buffer with its number of words. Writes three words per
    /// picture to `wavelets`: the upper and lower 32 bits, and 1 if it is undecided, else 0.
    pub(super) fn hash_squares(
        &self,
        batch: &mut Batch<'_>,
        n: usize,
        squares: &Lease,
        pixels: (&Lease, usize),
        wavelets: &Lease,
    ) -> Result<()> {
        let count = HashCount { n_pictures: n as u32 };
        batch.dispatch(
            Program::file("haar", "hash_squares"),
            &[
                (0, uniform(&count)),
                (1, Bind::Buffer(squares, (n * size_of::<HaarSquare>()) as u64)),
                (2, words(pixels.0, pixels.1)),
                (3, words(wavelets, 3 * n)),
            ],
            groups(n),
        )
    }

    /// Reads the pixels of the squares whose wHash is undecided, in order. Waits for them.
    pub(super) fn undecided_squares(
        &self,
        squares: &[HaarSquare],
        wavelets: &[[u32; 3]],
        pixels: &Lease,
    ) -> Result<Vec<u8>> {
        let undecided =
            || squares.iter().zip(wavelets).filter(|(_, wavelet)| wavelet[2] != 0).map(|(square, _)| square);
        let mut read = vec![0; undecided().map(|square| square.n_pixels()).sum()];
        let mut rest = read.as_mut_slice();
        let pieces = undecided().map(|square| {
            let (bytes, after) = std::mem::take(&mut rest).split_at_mut(square.n_pixels());
            rest = after;
            ReadPiece { what: ReadBack::Hashes, lease: pixels, first: square.first_pixel as usize / 4, bytes }
        });
        self.read_in_copies(pieces)?;
        Ok(read)
    }
}

//! Perceptual hashes of pictures: aHash, dHash and wHash of 8 x 8, bit for bit as ImageHash 4.3.2 for Python computes
//! them with Pillow below 13.
//!
//! Bit 63 is the top left of the 8 x 8 square, and bits follow row by row; ImageHash prints the same 16 hexadecimal
//! digits.

mod batch;
mod bits;
mod grey_picture;
mod haar;
mod lanczos;

pub use batch::layouts;
pub use batch::{DeviceHashes, HaarSquare, HashBatch, ResizePass, SmallPictures, TapPlace};
pub use grey_picture::GreyPicture;

use bits::{SIDE_BITS, hash_from_bits};
use haar::Haar;
use lanczos::Lanczos;

/// The grey value of a colour, with Pillow's weights and rounding.
pub fn luma_from_rgb([red, green, blue]: [u8; 3]) -> u8 {
    ((19_595 * u32::from(red) + 38_470 * u32::from(green) + 7_471 * u32::from(blue) + 0x8000) >> 16) as u8
}

/// The three hashes of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PictureHashes {
    /// Which pixels are brighter than the mean.
    pub ahash: u64,
    /// Which pixels are brighter than their left neighbour.
    pub dhash: u64,
    /// Which low-frequency Haar coefficients are above the median.
    pub whash: u64,
}

impl PictureHashes {
    /// The sum of the three Hamming distances.
    pub fn distance(&self, other: &PictureHashes) -> u32 {
        (self.ahash ^ other.ahash).count_ones()
            + (self.dhash ^ other.dhash).count_ones()
            + (self.whash ^ other.whash).count_ones()
    }
}

/// Computes hashes of one picture after another, reusing memory.
#[derive(Debug, Default)]
pub struct PictureHasher {
    lanczos: Lanczos,
    haar: Haar,
}

impl PictureHasher {
    /// The hashes of a picture of any size.
    pub fn hashes(&mut self, picture: &GreyPicture) -> PictureHashes {
        let side = whash_side(picture);
        let [mean, gradient, wavelet] =
            self.lanczos.resized(picture, [[SIDE_BITS, SIDE_BITS], [SIDE_BITS + 1, SIDE_BITS], [side, side]]);
        PictureHashes { ahash: ahash(mean), dhash: dhash(gradient), whash: self.haar.whash(wavelet, side) }
    }
}

/// Side of the square used for wHash.
fn whash_side(picture: &GreyPicture) -> usize {
    (1 << picture.width().min(picture.height()).ilog2()).max(SIDE_BITS)
}

fn ahash(pixels: &[u8]) -> u64 {
    let sum: u32 = pixels.iter().map(|&pixel| u32::from(pixel)).sum();
    hash_from_bits(pixels.iter().map(|&pixel| u32::from(pixel) * (SIDE_BITS * SIDE_BITS) as u32 > sum))
}

fn dhash(pixels: &[u8]) -> u64 {
    hash_from_bits(pixels.chunks_exact(SIDE_BITS + 1).flat_map(|row| row.windows(2).map(|pair| pair[1] > pair[0])))
}

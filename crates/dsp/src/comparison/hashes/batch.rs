//! Many pictures in flat lists, for a device that resizes and hashes all of them in one batch, bit-identical to hashing
//! them individually.

use super::bits::SIDE_BITS;
use super::grey_picture::GreyPicture;
use super::lanczos::{Taps, is_tall};
use super::{PictureHasher, PictureHashes, whash_side};
use crate::dsp::kernels::StructLayout;
use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;

/// Number of pixels per four-byte word; every picture begins at a multiple of it.
const PIXELS_PER_WORD: usize = 4;

/// One resizing pass over one picture, horizontal or vertical. See `shaders/hash_resize.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct ResizePass {
    /// Index of its first output word, of four pixels each, in the output of all passes of the batch.
    pub first_word: u32,
    /// Number of pixels written.
    pub n_pixels: u32,
    /// Width of the written picture in pixels.
    pub width: u32,
    /// First pixel of its picture in the input.
    pub from_pixel: u32,
    /// Width of the picture that is read, in pixels.
    pub from_width: u32,
    /// Index of its first [`TapPlace`].
    pub first_place: u32,
    /// 1 for a horizontal pass, 0 for a vertical one.
    pub is_across: u32,
}

/// The pixels of a line that contribute to an output pixel. See `shaders/hash_resize.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct TapPlace {
    /// Index of the first pixel in the line.
    pub first: u32,
    /// Index of its first weight.
    pub weight: u32,
    /// Number of pixels.
    pub n: u32,
}

/// Indices of the first pixels of the two small pictures made from one picture. See `shaders/picture_hashes.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct SmallPictures {
    /// The picture of aHash, 8 x 8.
    pub mean: u32,
    /// The picture of dHash, 9 x 8.
    pub gradient: u32,
}

/// The square picture of a wHash. See `shaders/haar.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct HaarSquare {
    /// Its first pixel, a multiple of four.
    pub first_pixel: u32,
    /// Side in pixels, a power of two from 8.
    pub side: u32,
}

impl HaarSquare {
    /// Number of pixels.
    pub fn n_pixels(self) -> usize {
        self.side as usize * self.side as usize
    }
}

/// Hashes of a batch from a device, and the pixels of the wHashes that are left to the CPU.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeviceHashes {
    /// Per picture the upper and lower 32 bits of aHash and of dHash.
    pub halves: Vec<[u32; 4]>,
    /// Per picture the upper and lower 32 bits of wHash, and 1 if it depends on the last bits of f64 and
    /// is left to the CPU, else 0.
    pub wavelets: Vec<[u32; 3]>,
    /// The pixels of the squares of undecided pictures, in order.
    pub undecided_pixels: Vec<u8>,
}

impl DeviceHashes {
    /// Whether any wHash is left to the CPU.
    pub fn has_undecided(&self) -> bool {
        self.wavelets.iter().any(is_undecided)
    }
}

fn is_undecided(wavelet: &[u32; 3]) -> bool {
    wavelet[2] != 0
}

/// Layouts of these structs, for comparison with the shaders.
pub fn layouts() -> [StructLayout; 4] {
    macro_rules! members {
        ($of:ident: $($member:ident),+) => {
            StructLayout {
                name: stringify!($of),
                size: size_of::<$of>(),
                members: vec![$((stringify!($member), std::mem::offset_of!($of, $member))),+],
            }
        };
    }
    [
        members!(ResizePass: first_word, n_pixels, width, from_pixel, from_width, first_place, is_across),
        members!(TapPlace: first, weight, n),
        members!(SmallPictures: mean, gradient),
        members!(HaarSquare: first_pixel, side),
    ]
}

/// Pictures and their resizing passes.
#[derive(Debug, Default)]
pub struct HashBatch {
    /// The pixels of all pictures, each aligned to four.
    pub pixels: Vec<u8>,
    /// The first passes, which read `pixels`; three per picture.
    pub first_passes: Vec<ResizePass>,
    /// The second passes, which read the output of the first; three per picture.
    pub second_passes: Vec<ResizePass>,
    /// Number of words that the first and the second passes write.
    pub n_words: [usize; 2],
    /// Tap places of all passes.
    pub places: Vec<TapPlace>,
    /// Their weights, with 22 fractional bits.
    pub weights: Vec<i32>,
    /// Maximum number of weights of a place.
    pub max_taps: usize,
    /// The small pictures of each picture, in the output of the second passes.
    pub small: Vec<SmallPictures>,
    /// The square of each picture, in the output of the second passes.
    pub squares: Vec<HaarSquare>,
    /// Index of the first place for each pair of input and output lengths.
    known_places: HashMap<[usize; 2], u32>,
}

impl HashBatch {
    /// Approximate memory of a picture on a device: its pixels, and the output of both passes.
    pub fn bytes_of(picture: &GreyPicture) -> u64 {
        let (width, height) = (picture.width() as u64, picture.height() as u64);
        let side = whash_side(picture) as u64;
        width * height + (2 * SIDE_BITS as u64 + 1 + side) * (height + SIDE_BITS as u64) + side * side
    }

    fn places(&mut self, hasher: &mut PictureHasher, [n_in, n_out]: [usize; 2]) -> u32 {
        if let Some(first) = self.known_places.get(&[n_in, n_out]) {
            return *first;
        }
        let taps = if n_in == n_out { Taps::identity(n_in).into() } else { hasher.lanczos.taps(n_in, n_out) };
        let first = self.places.len() as u32;
        let before = self.weights.len();
        for &[pixel, start, end] in taps.places() {
            self.max_taps = self.max_taps.max(end - start);
            self.places.push(TapPlace {
                first: pixel as u32,
                weight: (before + start) as u32,
                n: (end - start) as u32,
            });
        }
        self.weights.extend_from_slice(taps.weights());
        self.known_places.insert([n_in, n_out], first);
        first
    }

    fn add(&mut self, hasher: &mut PictureHasher, picture: &GreyPicture) {
        let first_pixel = self.pixels.len() as u32;
        self.pixels.extend_from_slice(picture.pixels());
        self.pixels.resize(self.pixels.len().next_multiple_of(PIXELS_PER_WORD), 0);
        let [width, height] = [picture.width(), picture.height()];
        let side = whash_side(picture);
        let done = [[SIDE_BITS, SIDE_BITS], [SIDE_BITS + 1, SIDE_BITS], [side, side]].map(|[to_width, to_height]| {
            let [across, down] = [[width, to_width], [height, to_height]].map(|pair| self.places(hasher, pair));
            // Pillow resizes the height of tall pictures first.
            let is_down_first = is_tall(picture, to_height);
            let (between, places) =
                if is_down_first { ([width, to_height], [down, across]) } else { ([to_width, height], [across, down]) };
            let pass =
                |first_word: usize, [to_width, to_height]: [usize; 2], first_place, is_across: bool| ResizePass {
                    first_word: first_word as u32,
                    n_pixels: (to_width * to_height) as u32,
                    width: to_width as u32,
                    from_pixel: first_pixel,
                    from_width: width as u32,
                    first_place,
                    is_across: is_across.into(),
                };
            let first = pass(self.n_words[0], between, places[0], !is_down_first);
            let second = ResizePass {
                from_pixel: first.first_word * PIXELS_PER_WORD as u32,
                from_width: first.width,
                ..pass(self.n_words[1], [to_width, to_height], places[1], is_down_first)
            };
            for (n_words, pass) in self.n_words.iter_mut().zip([first, second]) {
                *n_words += (pass.n_pixels as usize).div_ceil(PIXELS_PER_WORD);
            }
            self.first_passes.push(first);
            self.second_passes.push(second);
            second.first_word as usize * PIXELS_PER_WORD
        });
        self.small.push(SmallPictures { mean: done[0] as u32, gradient: done[1] as u32 });
        self.squares.push(HaarSquare { first_pixel: done[2] as u32, side: side as u32 });
    }
}

impl PictureHasher {
    /// Collects pictures in a batch.
    pub fn batch<'p>(&mut self, pictures: impl IntoIterator<Item = &'p GreyPicture>) -> HashBatch {
        let mut batch = HashBatch::default();
        pictures.into_iter().for_each(|picture| batch.add(self, picture));
        batch
    }

    /// The hashes of a batch from the output of a device. A wHash left undecided is computed on the CPU, in f64.
    pub fn hashes_of_batch(&mut self, batch: &HashBatch, found: &DeviceHashes) -> Vec<PictureHashes> {
        let joined = |upper: u32, lower: u32| u64::from(upper) << 32 | u64::from(lower);
        let mut pixels = found.undecided_pixels.as_slice();
        let each = batch.squares.iter().zip(&found.halves).zip(&found.wavelets);
        each.map(|((square, halves), wavelet)| {
            let whash = if is_undecided(wavelet) {
                let (own, rest) = pixels.split_at(square.n_pixels());
                pixels = rest;
                self.haar.whash(own, square.side as usize)
            } else {
                joined(wavelet[0], wavelet[1])
            };
            PictureHashes { ahash: joined(halves[0], halves[1]), dhash: joined(halves[2], halves[3]), whash }
        })
        .collect()
    }
}

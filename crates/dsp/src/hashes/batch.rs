//! Many pictures in flat lists, for a device that resizes and hashes all of them at once, bit for bit as one after the
//! other.

use super::bits::SIDE;
use super::grey_picture::GreyPicture;
use super::lanczos::{Taps, is_tall};
use super::{PictureHasher, PictureHashes, whash_side};
use crate::dsp::kernels::StructLayout;
use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;

/// Pixels of four bytes each; every picture begins at a multiple of it.
const PIXELS_PER_WORD: usize = 4;

/// One pass over one picture, across or down. See `shaders/hash_resize.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct ResizePass {
    /// Its first word, four pixels each, in what all passes of the batch write.
    pub first_word: u32,
    /// Pixels that it writes.
    pub n_pixels: u32,
    /// Pixels of a row that it writes.
    pub width: u32,
    /// Where its picture begins in what is read, in pixels.
    pub from_pixel: u32,
    /// Pixels of a row that is read.
    pub from_width: u32,
    /// The first of its places.
    pub first_place: u32,
    /// 1 across, 0 down.
    pub is_across: u32,
}

/// Which pixels of a line an output pixel is made of. See `shaders/hash_resize.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct TapPlace {
    /// The first pixel.
    pub first: u32,
    /// Where its weights begin in the list of all.
    pub weight: u32,
    /// How many there are.
    pub n: u32,
}

/// Where the two small pictures of a picture begin, in pixels. See `shaders/picture_hashes.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct SmallPictures {
    /// The picture of aHash, 8 x 8.
    pub mean: u32,
    /// The picture of dHash, 9 x 8.
    pub gradient: u32,
}

/// How shaders see these structs.
pub fn layouts() -> [StructLayout; 3] {
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
    ]
}

/// Pictures and what is to be done with them.
#[derive(Debug, Default)]
pub struct HashBatch {
    /// The pixels of all pictures, each of which begins at a multiple of four.
    pub pixels: Vec<u8>,
    /// What is done first: reads `pixels`, three passes for each picture.
    pub first_passes: Vec<ResizePass>,
    /// What is done then, with what the first passes wrote, as many.
    pub second_passes: Vec<ResizePass>,
    /// Words that the first and the second passes write.
    pub n_words: [usize; 2],
    /// Places of all passes.
    pub places: Vec<TapPlace>,
    /// Their weights, with 22 bits after the point.
    pub weights: Vec<i32>,
    /// Most weights of one place.
    pub most_taps: usize,
    /// For each picture, in what the second passes wrote.
    pub small: Vec<SmallPictures>,
    /// For each picture, the first pixel and the side of the square of wHash.
    squares: Vec<[usize; 2]>,
    /// Where the places of a pair of lengths begin.
    known_places: HashMap<[usize; 2], u32>,
}

impl HashBatch {
    /// Bytes that a picture takes on a device, about: its pixels, and what both passes write.
    pub fn bytes_of(picture: &GreyPicture) -> u64 {
        let (width, height) = (picture.width() as u64, picture.height() as u64);
        let side = whash_side(picture) as u64;
        width * height + (2 * SIDE as u64 + 1 + side) * (height + SIDE as u64) + side * side
    }

    fn places(&mut self, hasher: &mut PictureHasher, [n_in, n_out]: [usize; 2]) -> u32 {
        if let Some(first) = self.known_places.get(&[n_in, n_out]) {
            return *first;
        }
        let taps = if n_in == n_out { Taps::identity(n_in).into() } else { hasher.lanczos.taps(n_in, n_out) };
        let first = self.places.len() as u32;
        let before = self.weights.len();
        for &[pixel, start, end] in taps.places() {
            self.most_taps = self.most_taps.max(end - start);
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
        let done = [[SIDE, SIDE], [SIDE + 1, SIDE], [side, side]].map(|[to_width, to_height]| {
            let [across, down] = [[width, to_width], [height, to_height]].map(|pair| self.places(hasher, pair));
            // In the order that Pillow takes.
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
        self.squares.push([done[2], side]);
    }
}

impl PictureHasher {
    /// Pictures as flat lists.
    pub fn batch<'p>(&mut self, pictures: impl IntoIterator<Item = &'p GreyPicture>) -> HashBatch {
        let mut batch = HashBatch::default();
        pictures.into_iter().for_each(|picture| batch.add(self, picture));
        batch
    }

    /// The hashes of a batch from what a device made of it: per picture the upper and lower 32 bits of aHash and of
    /// dHash, and the pixels that the second passes wrote. wHash is computed here, in f64.
    pub fn hashes_of_batch(&mut self, batch: &HashBatch, words: &[[u32; 4]], pixels: &[u8]) -> Vec<PictureHashes> {
        let joined = |upper: u32, lower: u32| u64::from(upper) << 32 | u64::from(lower);
        let of = |([first, side], words): (&[usize; 2], &[u32; 4])| PictureHashes {
            ahash: joined(words[0], words[1]),
            dhash: joined(words[2], words[3]),
            whash: self.haar.whash(&pixels[*first..first + side * side], *side),
        };
        batch.squares.iter().zip(words).map(of).collect()
    }
}

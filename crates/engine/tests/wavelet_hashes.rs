//! wHash on a device: bit-identical to ImageHash, both where integers decide it and where the last bits of f64 do.

use dsp::comparison::hashes::{DeviceHashes, GreyPicture, HashBatch, PictureHasher, PictureHashes};
use engine::Engine;
use engine::gpu::Gpu;
use support::formulas::{self, mix};
use support::gpu::{gpu, poison};
use support::npy;

/// Picture `index` of `make_hashes.py`, and its `size`.
fn made(index: u32) -> GreyPicture {
    let max = if index.is_multiple_of(25) { 600 } else { 160 };
    let [width, height] = [1, 2].map(|k| 1 + mix(index * 8 + k) % max);
    let [width, height] = match index % 7 {
        3 => [width, 1 + height % 12],
        5 => [1 + width % 12, height],
        _ => [width, height],
    };
    GreyPicture::new(width as usize, height as usize, formulas::grey(index, [width, height], 0)).unwrap()
}

fn square(side: usize, level: impl Fn(usize, usize) -> u8) -> GreyPicture {
    GreyPicture::new(side, side, (0..side * side).map(|at| level(at % side, at / side)).collect()).unwrap()
}

fn on_cpu(pictures: &[GreyPicture]) -> Vec<PictureHashes> {
    let mut hasher = PictureHasher::default();
    pictures.iter().map(|picture| hasher.hashes(picture)).collect()
}

/// The results of a device for a batch changed by `spoil`, and the hashes computed from them.
fn on_device(gpu: &Gpu, pictures: &[GreyPicture], spoil: fn(&mut HashBatch)) -> (DeviceHashes, Vec<PictureHashes>) {
    let mut hasher = PictureHasher::default();
    let mut batch = hasher.batch(pictures);
    spoil(&mut batch);
    let found = gpu.picture_hashes(&batch).unwrap();
    let hashes = hasher.hashes_of_batch(&batch, &found);
    (found, hashes)
}

fn n_undecided(found: &DeviceHashes) -> usize {
    found.wavelets.iter().filter(|wavelet| wavelet[2] != 0).count()
}

#[test]
fn a_device_has_the_wavelet_hashes_of_imagehash() {
    let Some(gpu) = gpu() else { return };
    let expected: Vec<u64> = npy::load(&"hashes_generated".into()).u64s().chunks_exact(3).map(|row| row[2]).collect();
    let pictures: Vec<GreyPicture> = (0..300).map(made).collect();
    let (found, hashes) = on_device(&gpu, &pictures, |_| ());
    let of = |hashes: &[PictureHashes]| hashes.iter().map(|hashes| hashes.whash).collect::<Vec<_>>();
    assert_eq!(of(&hashes), expected[..300]);
    // Integers decide most of them; flat pictures are left to f64, whose rounding errors decide their bits.
    let n = n_undecided(&found);
    assert!((30..150).contains(&n), "{n} of 300 are undecided");
    let of_whole_numbers = |[upper, lower, _]: [u32; 3]| u64::from(upper) << 32 | u64::from(lower);
    let wrong =
        found.wavelets.iter().zip(&expected).filter(|(found, expected)| of_whole_numbers(**found) != **expected);
    let n_wrong = wrong.inspect(|(found, _)| assert_eq!(found[2], 1, "decided and wrong")).count();
    assert!(n_wrong > 10, "{n_wrong} of {n}");
    // Control: squares that begin a word later.
    let shifted = |batch: &mut HashBatch| batch.squares[..200].iter_mut().for_each(|square| square.first_pixel += 4);
    assert_ne!(of(&on_device(&gpu, &pictures, shifted).1), expected[..300]);
}

/// Sides from 8 to 1,024; the brightest levels, with the largest sums; and ties at the median, between all sums or a
/// few.
#[test]
fn wavelet_hashes_of_squares_are_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let mut pictures = Vec::new();
    for side in [8, 9, 16, 32, 64, 128] {
        let block = (side / 8).max(1);
        pictures.extend([
            square(side, |_, _| 255),
            square(side, |_, _| 0),
            square(side, |x, y| 254 + u8::from(x + y > side)),
            // One brighter pixel in every other block; then blocks that are dark, grey and bright in turn.
            square(side, |x, y| 100 + u8::from((x / block + y / block) % 2 == 0 && x % block + y % block == 0)),
            square(side, |x, y| [3, 128, 250][(x / block + y / block) % 3]),
            square(side, |x, y| (mix((x + side * y) as u32) >> 24) as u8),
        ]);
    }
    pictures.push(square(1_024, |x, y| 255 - u8::from((x ^ y) % 97 == 0)));
    let expected = on_cpu(&pictures);
    let (found, hashes) = on_device(&gpu, &pictures, |_| ());
    assert_eq!(hashes, expected);
    let n = n_undecided(&found);
    assert!(n >= 12 && n + 8 <= pictures.len(), "{n} of {} are undecided", pictures.len());
    // The result has the same bits in buffers filled with NaN, and in another order.
    poison(&gpu, 8 << 20);
    assert_eq!(on_device(&gpu, &pictures, |_| ()), (found, hashes));
    pictures.reverse();
    assert_eq!(on_device(&gpu, &pictures, |_| ()).1, expected.into_iter().rev().collect::<Vec<_>>());
}

/// The undecided pictures have more pixels than one copy from the device holds; each must still get its own.
#[test]
fn undecided_pictures_are_read_in_several_copies() {
    let Some(gpu) = gpu() else { return };
    let picture = |(number, side): (usize, usize)| {
        let block = side / 8;
        square(side, |x, y| if x / block == number && y < block { 200 } else { 7 })
    };
    let sides = [2_048, 2_048, 2_048, 2_048, 64];
    let pictures: Vec<GreyPicture> = sides.into_iter().enumerate().map(picture).collect();
    let (found, hashes) = on_device(&gpu, &pictures, |_| ());
    assert_eq!(n_undecided(&found), 5);
    assert!(found.undecided_pixels.len() > 16 << 20);
    let mut rest = found.undecided_pixels.as_slice();
    for (number, picture) in pictures.iter().enumerate() {
        let (own, after) = rest.split_at(picture.pixels().len());
        assert!(own == picture.pixels(), "picture {number}");
        rest = after;
    }
    assert!(rest.is_empty());
    assert_eq!(hashes[4], on_cpu(&pictures[4..])[0]);
}

#[test]
fn passes_of_hashes_say_what_the_cpu_decided_and_why() {
    let Some(gpu) = gpu() else { return };
    let engine = Engine::on(gpu);
    let passes = |pictures: &[GreyPicture]| {
        let noting = engine.noting();
        noting.picture_hashes(&mut PictureHasher::default(), &pictures.iter().collect::<Vec<_>>()).unwrap();
        let passes = noting.passes().into_iter();
        passes.map(|pass| (pass.name.into_owned(), pass.is_on_gpu, pass.why.is_some())).collect::<Vec<_>>()
    };
    let on_gpu = ["hash_resize", "picture_hashes", "haar"].map(|name| (name.to_owned(), true, false));
    let noise = square(64, |x, y| (mix((x + 64 * y) as u32) >> 24) as u8);
    assert_eq!(passes(std::slice::from_ref(&noise)), on_gpu);
    let with_flat = passes(&[noise, square(64, |_, _| 9)]);
    assert_eq!(with_flat[..3], on_gpu);
    assert_eq!(with_flat[3..], [("wavelet_hash".to_owned(), false, true)]);
}

//! Hashes of pictures and pairs of hashes: the results of the device are bit-identical to those of the CPU.

use dsp::comparison::hamming::{HashPair, PairSearch, pairs_within};
use dsp::comparison::hashes::{GreyPicture, HashBatch, PictureHasher, PictureHashes};
use engine::Engine;
use support::gpu::gpu;
use support::random::Random;

/// A picture of noise, of blocks, of a slope, or nearly flat: hashes of flat pictures depend on the last bits of sums.
fn picture(random: &mut Random, [width, height]: [usize; 2]) -> GreyPicture {
    let kind = random.below(4);
    let (base, block) = (random.below(256), 1 + random.below(20));
    let pixel = |at: usize, random: &mut Random| {
        let (x, y) = (at % width, at / width);
        let value = match kind {
            0 => random.below(256),
            1 => (x / block * 37 + y / block * 91) % 256,
            2 => (x + y) / block + base,
            _ => base + usize::from(random.once_in(97)),
        };
        (value % 256) as u8
    };
    let pixels = (0..width * height).map(|at| pixel(at, random)).collect();
    GreyPicture::new(width, height, pixels).unwrap()
}

/// Shapes for every code path: one pixel, lines, tall pictures whose height is resized first, sides smaller than 8,
/// exactly 8 and 9, the sizes of sounds' pictures, and random sizes.
fn pictures() -> Vec<GreyPicture> {
    let mut random = Random::new(77);
    let shapes = [[1, 1], [1, 150], [150, 1], [2, 401], [3, 5], [8, 8], [9, 8], [8, 9], [256, 64], [64, 256], [17, 64]];
    let by_chance: Vec<[usize; 2]> =
        (0..30).map(|_| [1 + random.below(90), 1 + random.below(90)]).chain([[300, 211]]).collect();
    shapes.into_iter().chain(by_chance).map(|shape| picture(&mut random, shape)).collect()
}

fn hashes_on(engine: &Engine, pictures: &[GreyPicture]) -> Vec<PictureHashes> {
    engine.picture_hashes(&mut PictureHasher::default(), &pictures.iter().collect::<Vec<_>>()).unwrap()
}

#[test]
fn the_device_hashes_pictures_to_the_bit() {
    let Some(gpu) = gpu() else { return };
    let engine = Engine::on(gpu);
    let pictures = pictures();
    let mut hasher = PictureHasher::default();
    let expected: Vec<PictureHashes> = pictures.iter().map(|picture| hasher.hashes(picture)).collect();
    let found = hashes_on(&engine, &pictures);
    for ((picture, expected), found) in pictures.iter().zip(&expected).zip(&found) {
        assert_eq!(found, expected, "{} x {}", picture.width(), picture.height());
    }
    // A hash does not depend on the other pictures of its batch or on their order.
    assert_eq!(hashes_on(&engine, &pictures[8..9]), expected[8..9]);
    let reversed: Vec<GreyPicture> = pictures.iter().rev().cloned().collect();
    assert_eq!(hashes_on(&engine, &reversed), expected.iter().rev().copied().collect::<Vec<_>>());
    assert!(hashes_on(&engine, &[]).is_empty());
}

/// Control: weights smaller by a thousandth, changed pixels and a wrong index each change the hashes.
#[test]
fn a_filter_that_is_slightly_off_is_noticed() {
    let Some(gpu) = gpu() else { return };
    let pictures = pictures();
    let mut hasher = PictureHasher::default();
    let expected: Vec<PictureHashes> = pictures.iter().map(|picture| hasher.hashes(picture)).collect();
    let mut hashes_of = |spoil: fn(&mut HashBatch)| {
        let mut batch = hasher.batch(&pictures);
        spoil(&mut batch);
        let found = gpu.picture_hashes(&batch).unwrap();
        hasher.hashes_of_batch(&batch, &found)
    };
    assert_eq!(hashes_of(|_| ()), expected);
    assert_ne!(hashes_of(|batch| batch.weights.iter_mut().for_each(|weight| *weight -= *weight / 1000)), expected);
    assert_ne!(hashes_of(|batch| batch.pixels.iter_mut().step_by(2).for_each(|pixel| *pixel ^= 4)), expected);
    assert_ne!(hashes_of(|batch| batch.small.iter_mut().for_each(|small| small.gradient += 1)), expected);
}

fn by_blocks(hashes: &[u64], max: u32) -> Vec<HashPair> {
    pairs_within(hashes, max, PairSearch::Blocks)
}

/// Random hashes, many of them copies with a few bits changed.
fn planted(n: usize, seed: u64) -> Vec<u64> {
    let mut random = Random::new(seed);
    let mut hashes: Vec<u64> = (0..n).map(|_| random.bits()).collect();
    for at in (0..n).step_by(3) {
        let mut hash = hashes[random.below(n)];
        (0..random.below(12)).for_each(|_| hash ^= 1 << random.below(64));
        hashes[at] = hash;
    }
    hashes
}

#[test]
fn the_device_finds_the_pairs_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let engine = Engine::on(gpu);
    for (n, seed) in [(0, 1), (1, 1), (2, 2), (255, 3), (256, 4), (257, 5), (2_000, 6)] {
        let mut hashes = planted(n, seed);
        for max in [0, 5, 10, 31] {
            assert!(engine.hash_pairs(&hashes, max).unwrap() == by_blocks(&hashes, max), "{n} hashes, {max} bits");
        }
        // Control: one bit of one hash makes a difference.
        if n == 2_000 {
            let before = engine.hash_pairs(&hashes, 10).unwrap();
            assert!(before.len() > 100, "{} planted pairs", before.len());
            hashes[before[0].first as usize] ^= 1 << 40;
            assert!(engine.hash_pairs(&hashes, 10).unwrap() != before);
        }
    }
    // Hashes that differ in the lower 32 bits, in the upper 32 bits, and in both.
    let hashes = [0, 1, 1 << 63, 1 << 63 | 1, u64::MAX];
    assert_eq!(engine.hash_pairs(&hashes, 64).unwrap(), by_blocks(&hashes, 64));
}

/// Equal hashes form half a million pairs, far more than fit at a time.
#[test]
fn pairs_beyond_the_room_for_them_are_searched_in_smaller_pieces() {
    let Some(gpu) = gpu() else { return };
    let mut hashes = planted(1_100, 8);
    hashes[50..1_050].fill(0x0123_4567_89ab_cdef);
    let found = gpu.hash_pairs(&hashes, 6).unwrap();
    assert!(found.len() > 450_000, "{}", found.len());
    assert!(found == by_blocks(&hashes, 6));
}

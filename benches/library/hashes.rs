//! Hashes of pictures, and Hamming search among random hashes of which one in ten is another with two bits changed.

use divan::{Bencher, black_box};
use sonobrush::dsp::comparison::hamming::{PairSearch, near, pairs_within};
use sonobrush::dsp::comparison::hashes::{GreyPicture, PictureHasher};

fn random_hashes(n: usize) -> Vec<u64> {
    let mut state = 88_172_645_463_325_252u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut hashes: Vec<u64> = (0..n).map(|_| next()).collect();
    for at in (0..n).step_by(10) {
        hashes[(at + 5) % n] = hashes[at] ^ 1 << (at % 64) ^ 1 << (at / 64 % 64);
    }
    hashes
}

#[divan::bench(args = [10_000, 87_500, 500_000], sample_count = 5)]
fn pairs_within_5(bencher: Bencher, n: usize) {
    let hashes = random_hashes(n);
    bencher.bench_local(|| pairs_within(black_box(&hashes), 5, PairSearch::Auto).len());
}

#[divan::bench(args = [10_000, 87_500], sample_count = 5)]
fn pairs_within_10(bencher: Bencher, n: usize) {
    let hashes = random_hashes(n);
    bencher.bench_local(|| pairs_within(black_box(&hashes), 10, PairSearch::Auto).len());
}

#[divan::bench(args = [10_000, 87_500, 500_000])]
fn near_one(bencher: Bencher, n: usize) {
    let hashes = random_hashes(n);
    bencher.bench_local(|| near(black_box(&hashes), hashes[3], 10).len());
}

#[divan::bench(args = [[256, 64], [256, 256], [640, 480]])]
fn picture(bencher: Bencher, [width, height]: [usize; 2]) {
    let pixels = (0..width * height).map(|at| ((at * 7_919) >> 4) as u8).collect();
    let picture = GreyPicture::new(width, height, pixels).unwrap();
    let mut hasher = PictureHasher::default();
    bencher.bench_local(|| hasher.hashes(black_box(&picture)));
}

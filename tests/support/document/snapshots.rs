//! Sound as documents hold it.

use super::signals;
use base::Progress;
use document::{Applied, Edit, Snapshot, apply};
use engine::Engine;
use media::Source;
use std::path::Path;

/// Sample rate of [`busy`].
pub const BUSY_RATE_HZ: u32 = 16_000;

pub fn sound(channels: &[Vec<f32>], rate_hz: u32) -> Snapshot {
    Snapshot::new(Source::from_channels(channels.to_vec(), rate_hz).unwrap())
}

/// What an edit makes of a sound on the CPU.
pub fn run(before: &Snapshot, edit: &Edit) -> base::Result<Applied> {
    apply(before, edit, &Engine::cpu(), &Progress::new())
}

/// Sound with something in every cell.
pub fn busy(n_channels: usize, secs: f64) -> Snapshot {
    let n = (secs * f64::from(BUSY_RATE_HZ)) as usize;
    let channel = |seed| signals::busy(n, f64::from(BUSY_RATE_HZ), seed);
    Snapshot::new(Source::from_channels((0..n_channels as u64).map(channel).collect(), BUSY_RATE_HZ).unwrap())
}

pub fn samples(snapshot: &Snapshot, channel: usize) -> Vec<f32> {
    let mut all = vec![0.0; snapshot.n_samples() as usize];
    snapshot.read(channel, 0, &mut all).unwrap();
    all
}

pub fn open(path: &Path) -> Snapshot {
    Snapshot::new(Source::open(path, &Progress::new()).unwrap().source)
}

pub fn bits(samples: &[f32]) -> Vec<u32> {
    samples.iter().map(|sample| sample.to_bits()).collect()
}

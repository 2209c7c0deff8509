//! How fast this machine analyses sounds, kind by kind, and how long the library at hand would take.

use super::describe::describe;
use super::features::{Extractor, FeatureOptions};
use super::pictures::SoundPicture;
use super::store::LibraryStore;
use super::words::words;
use crate::base::{Progress, Result, temporary_folder};
use crate::dsp::hamming::{PairSearch, pairs_within};
use crate::dsp::hashes::PictureHasher;
use crate::media::{FloatWav, OpenOptions, Source, write_float_wav};
use serde::Serialize;
use std::time::{Duration, Instant};

/// Length and rate of the sound that is analysed, in stereo.
const SOUND_SECS: f64 = 5.0;
const RATE_HZ: u32 = 44_100;
/// Each kind is repeated for so long at least.
const LEAST: Duration = Duration::from_millis(400);
/// Hashes of which all pairs are compared, and by how many bits they may differ.
const N_HASHES: usize = 20_000;
const MOST_BITS: u32 = 10;

/// A kind of work on an engine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LibraryBenchRow {
    /// `mel`, `describe`, `words`, `hashes` or `hamming`.
    pub kind: &'static str,
    /// What an item is.
    pub item: String,
    /// Items per second, on one core of the CPU; of `hamming` on all.
    pub cpu_per_s: f64,
    /// Items per second on the GPU; none, as the library's batches run on the CPU.
    pub gpu_per_s: Option<f64>,
    /// How many times as fast the GPU is.
    pub speed_up: Option<f64>,
    /// Hours that the library at hand would take on all cores; none without a library, and of what adding does not do.
    pub library_hours: Option<f64>,
}

/// Measures every kind. `store` is the library at hand.
///
/// # Errors
/// Those of reading the library and of the temporary folder; cancelled.
pub fn bench_library(store: Option<&LibraryStore>, progress: &Progress) -> Result<Vec<LibraryBenchRow>> {
    let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
    let library_secs = store.map(LibraryStore::sound_secs).transpose()?;
    let source = Source::from_channels(sound().to_vec(), RATE_HZ)?;
    let of_sound = |kind, work: &mut dyn FnMut() -> Result<()>| -> Result<LibraryBenchRow> {
        let cpu_per_s = per_second(progress, work)?;
        let hours = library_secs.map(|secs| secs / (SOUND_SECS * cpu_per_s * n_cores as f64) / 3600.0);
        let item = format!("{SOUND_SECS} s of stereo");
        Ok(LibraryBenchRow { kind, item, cpu_per_s, gpu_per_s: None, speed_up: None, library_hours: hours })
    };
    let quiet = progress.quiet();
    let folder = temporary_folder()?;
    let path = folder.as_ref().join("sound.wav");
    let n_frames = (SOUND_SECS * f64::from(RATE_HZ)) as u64;
    let wav = FloatWav { sample_rate_hz: RATE_HZ, n_channels: 2, n_frames, channel_mask: None };
    let (samples, mut at) = (sound(), 0);
    let mut next = |n: usize| {
        let part = samples.each_ref().map(|channel| channel[at..at + n].to_vec()).to_vec();
        at += n;
        Ok(part)
    };
    write_float_wav(&path, &wav, &mut next, &quiet)?;
    let mut extractor = Extractor::new(&FeatureOptions::mel_segments());
    let mut hasher = PictureHasher::default();
    let mel =
        of_sound("mel", &mut || extractor.file(&path, &OpenOptions::default(), &quiet, &mut |_| Ok(())).map(drop))?;
    let rows = [
        LibraryBenchRow { library_hours: None, ..mel },
        of_sound("describe", &mut || describe(&source, &quiet).map(drop))?,
        of_sound("words", &mut || words(&source, &quiet).map(drop))?,
        of_sound("hashes", &mut || {
            hasher.hashes(&SoundPicture::of(&source, &quiet)?.picture);
            Ok(())
        })?,
        hamming(progress)?,
    ];
    Ok(rows.into())
}

fn hamming(progress: &Progress) -> Result<LibraryBenchRow> {
    let mut chance = Chance(64);
    let hashes: Vec<u64> = (0..N_HASHES).map(|_| chance.next()).collect();
    let runs_per_s = per_second(progress, &mut || {
        drop(pairs_within(&hashes, MOST_BITS, PairSearch::Blocks));
        Ok(())
    })?;
    let n_pairs = (N_HASHES * (N_HASHES - 1) / 2) as f64;
    Ok(LibraryBenchRow {
        kind: "hamming",
        item: "pair of 64-bit hashes".into(),
        cpu_per_s: runs_per_s * n_pairs,
        gpu_per_s: None,
        speed_up: None,
        library_hours: None,
    })
}

/// How often in a second; once unmeasured before.
fn per_second(progress: &Progress, work: &mut dyn FnMut() -> Result<()>) -> Result<f64> {
    progress.check()?;
    work()?;
    let (began, mut n) = (Instant::now(), 0u32);
    while began.elapsed() < LEAST {
        progress.check()?;
        work()?;
        n += 1;
    }
    Ok(f64::from(n) / began.elapsed().as_secs_f64())
}

/// Struck tones over noise, another one in each channel; the same on every machine.
fn sound() -> [Vec<f32>; 2] {
    let n = (SOUND_SECS * f64::from(RATE_HZ)) as usize;
    let mut chance = Chance(1);
    [220.0, 329.6].map(|hz| {
        let sample = |at: usize| {
            let secs = at as f64 / f64::from(RATE_HZ);
            let struck = (-4.0 * secs.fract()).exp() * (std::f64::consts::TAU * hz * secs).sin();
            let noise = (chance.next() >> 40) as f64 / f64::from(1u32 << 24) - 0.5;
            (0.4 * struck + 0.02 * noise) as f32
        };
        (0..n).map(sample).collect()
    })
}

/// Numbers without an order (SplitMix64).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

//! Benchmarks sound analysis by kind of work and engine, and estimates the time for the current library.

use super::batches::{BatchKind, BatchLimits, BatchOrder, EngineRates, adapter_of};
use super::describe::{PendingDescription, SpectralSound, begin_description, describe, spectra_of};
use super::features::{Extractor, FeatureEngine, FeatureFile, FeatureOptions};
use super::identity::pictures::SoundPicture;
use super::identity::words::words;
use super::store::LibraryStore;
use crate::base::{EngineChoice, Progress, Result, temporary_folder};
use crate::dsp::comparison::hamming::{PairSearch, pairs_within};
use crate::dsp::comparison::hashes::{GreyPicture, PictureHasher};
use crate::dsp::descriptors::OnsetCounter;
use crate::engine::Engine;
use crate::media::{FloatWav, Source, write_float_wav};
use serde::Serialize;
use std::time::{Duration, Instant};

/// Length of the analysed stereo sound.
const SOUND_SECS: f64 = 5.0;
const RATE_HZ: u32 = 44_100;
/// Minimum total time of the repetitions of each kind.
const MIN_DURATION: Duration = Duration::from_millis(400);
/// Number of hashes whose pairs are compared.
const N_HASHES: usize = 20_000;
const MAX_BITS: u32 = 10;
/// Number of pictures hashed per batch.
const N_PICTURES: usize = 64;
/// Number of sounds whose spectra a device measures per batch.
const N_DESCRIBED: usize = 16;
/// Number of files whose mels a device computes per batch.
const N_FILES: usize = 16;

/// A kind of work on an engine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LibraryBenchRow {
    /// `mel`, `describe`, of which `chroma` and `onsets` are parts, `words`, `picture`, `hashes` or `hamming`.
    pub kind: &'static str,
    /// Description of an item.
    pub item: String,
    /// Items per second on one CPU core; for `hamming` on all cores.
    pub cpu_per_s: f64,
    /// Items per second on the GPU; `None` without one, and for work that it does not do.
    pub gpu_per_s: Option<f64>,
    /// Items per batch on the GPU; `None` without one, and for pairs, which are compared all at once.
    pub gpu_batch: Option<usize>,
    /// Speed of the GPU relative to `cpu_per_s`.
    pub speed_up: Option<f64>,
    /// Estimated hours for the current library on all cores; `None` without a library, and for work that adding sounds
    /// does not include.
    pub library_hours: Option<f64>,
    /// Estimated hours on the GPU.
    pub library_gpu_hours: Option<f64>,
}

impl LibraryBenchRow {
    /// A row with the speed of the CPU.
    fn of_cpu(kind: &'static str, item: impl Into<String>, cpu_per_s: f64) -> LibraryBenchRow {
        LibraryBenchRow {
            kind,
            item: item.into(),
            cpu_per_s,
            gpu_per_s: None,
            gpu_batch: None,
            speed_up: None,
            library_hours: None,
            library_gpu_hours: None,
        }
    }

    /// Adds the speed of the GPU in batches of `n` items.
    fn beside(self, gpu_per_s: Option<f64>, n: Option<usize>) -> LibraryBenchRow {
        let speed_up = gpu_per_s.map(|gpu| gpu / self.cpu_per_s);
        LibraryBenchRow { gpu_per_s, gpu_batch: n.filter(|_| gpu_per_s.is_some()), speed_up, ..self }
    }
}

/// Results of a benchmark.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LibraryBench {
    /// The graphics adapter with its driver, including software ones; `None` if there is none or the user chose the
    /// CPU.
    pub adapter: Option<String>,
    /// Kinds of work.
    pub rows: Vec<LibraryBenchRow>,
}

impl LibraryBench {
    /// Stores the speeds from which batches choose their engine.
    ///
    /// # Errors
    /// Write errors.
    pub fn keep_in(&self, store: &LibraryStore) -> Result<()> {
        let Some(adapter) = &self.adapter else { return Ok(()) };
        for row in &self.rows {
            let kind = match row.kind {
                "describe" => BatchKind::Describe,
                "hashes" => BatchKind::Picture,
                "hamming" => BatchKind::HashPairs,
                _ => continue,
            };
            if let Some(gpu_per_s) = row.gpu_per_s {
                store.note_rates(kind, adapter, EngineRates { cpu_per_s: row.cpu_per_s, gpu_per_s })?;
            }
        }
        Ok(())
    }
}

/// Measures every kind of work on the CPU and, unless the user chose the CPU, on a graphics adapter if there is one.
/// `store` is the current library.
///
/// # Errors
/// Errors reading the library, of the temporary folder and of a chosen GPU; cancelled.
pub fn bench_library(store: Option<&LibraryStore>, order: &BatchOrder, progress: &Progress) -> Result<LibraryBench> {
    let open = || Engine::choose(EngineChoice::Gpu, order.adapter.as_deref()).map(|chosen| chosen.engine);
    let gpu = match order.choice {
        EngineChoice::Cpu => None,
        EngineChoice::Gpu => Some(open()?),
        EngineChoice::Auto => open().ok(),
    };
    let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
    let library_secs = store.map(LibraryStore::sound_secs).transpose()?;
    let source = Source::from_channels(sound().to_vec(), RATE_HZ)?;
    let item = || format!("{SOUND_SECS} s of stereo");
    let of_sound = |kind, work: &mut dyn FnMut() -> Result<()>| -> Result<LibraryBenchRow> {
        let cpu_per_s = per_second(progress, work)?;
        let hours = library_secs.map(|secs| secs / (SOUND_SECS * cpu_per_s * n_cores as f64) / 3600.0);
        Ok(LibraryBenchRow { library_hours: hours, ..LibraryBenchRow::of_cpu(kind, item(), cpu_per_s) })
    };
    let quiet = progress.quiet();
    let folder = temporary_folder()?;
    let path = folder.as_ref().join("sound.wav");
    let n_frames = (SOUND_SECS * f64::from(RATE_HZ)) as u64;
    let wav = FloatWav { sample_rate_hz: RATE_HZ, n_channels: 2, n_frames, channel_mask: None, chunks: &[] };
    let (samples, mut at) = (sound(), 0);
    let mut next = |n: usize| {
        let part = samples.each_ref().map(|channel| channel[at..at + n].to_vec()).to_vec();
        at += n;
        Ok(part)
    };
    write_float_wav(&path, &wav, &mut next, &quiet)?;
    let mels_per_s = |engine: &Engine, kind: FeatureEngine, n_files: usize| -> Result<f64> {
        let options = FeatureOptions { engine: kind, ..FeatureOptions::mel_segments() };
        let mut extractor = Extractor::new(&options, engine, BatchLimits::default());
        let file = FeatureFile { number: 0, n_rows: options.n_rows(0) };
        let runs_per_s = per_second(progress, &mut || {
            for _ in 0..n_files {
                let source = Source::open(&path, &quiet)?.source;
                extractor.sound(&source, file, &quiet, &mut |_, _| Ok(()))?;
            }
            extractor.flush(&mut |_, _| Ok(()))
        })?;
        Ok(runs_per_s * n_files as f64)
    };
    let mel = LibraryBenchRow::of_cpu("mel", item(), mels_per_s(&Engine::cpu(), FeatureEngine::Cpu, 1)?);
    let mel_on_gpu = gpu.as_ref().map(|gpu| mels_per_s(gpu, FeatureEngine::Gpu, N_FILES)).transpose()?;
    let described = of_sound("describe", &mut || describe(&source, &quiet).map(drop))?;
    let n_described = n_described_on(gpu.as_ref());
    let on_gpu = gpu.as_ref().map(|gpu| described_on(gpu, &source, n_described, progress)).transpose()?;
    let gpu_hours = library_secs.zip(on_gpu).map(|(secs, per_s)| secs / (SOUND_SECS * per_s) / 3600.0);
    let [chroma, onsets] = parts_of_describe(&source, n_described, gpu.as_ref(), progress)?;
    let rows = vec![
        mel.beside(mel_on_gpu, Some(N_FILES)),
        LibraryBenchRow { library_gpu_hours: gpu_hours, ..described.beside(on_gpu, Some(n_described)) },
        chroma,
        onsets,
        of_sound("words", &mut || words(&source, &quiet).map(drop))?,
        of_sound("picture", &mut || SoundPicture::of(&source, &quiet).map(drop))?,
        hashes(&SoundPicture::of(&source, &quiet)?.picture, (store, n_cores), gpu.as_ref(), progress)?,
        hamming(gpu.as_ref(), progress)?,
    ];
    Ok(LibraryBench { adapter: gpu.as_ref().and_then(|gpu| gpu.gpu()).map(|gpu| adapter_of(gpu)), rows })
}

/// Number of sounds described per batch. A software adapter is slow, so one is enough for it.
fn n_described_on(gpu: Option<&Engine>) -> usize {
    let is_real = gpu.and_then(Engine::gpu).is_some_and(|gpu| gpu.summary().is_real());
    if is_real { N_DESCRIBED } else { 1 }
}

/// Descriptions per second with spectra of `n` sounds per batch on the GPU; the rest of the work uses one core.
fn described_on(gpu: &Engine, source: &Source, n: usize, progress: &Progress) -> Result<f64> {
    let quiet = progress.quiet();
    let runs_per_s = per_second(progress, &mut || {
        let started: Vec<PendingDescription> =
            (0..n).map(|_| begin_description(source, &quiet)).collect::<Result<_>>()?;
        let sounds: Vec<SpectralSound<'_>> = started.iter().filter_map(PendingDescription::sound).collect();
        spectra_of(gpu, &sounds).map(drop)
    })?;
    Ok(runs_per_s * n as f64)
}

/// Computes a part of the descriptions of these samples.
type PartOfDescribe<'a> = &'a dyn Fn(&Engine, &[&[f32]]) -> Result<()>;

/// Parts of a description that a device computes apart from the spectra: chroma, and the flux of onsets.
fn parts_of_describe(
    source: &Source,
    n: usize,
    gpu: Option<&Engine>,
    progress: &Progress,
) -> Result<[LibraryBenchRow; 2]> {
    let started = begin_description(source, &progress.quiet())?;
    let samples = started.sound().map_or(&[][..], |sound| sound.samples);
    let row = |kind, work: PartOfDescribe<'_>| -> Result<LibraryBenchRow> {
        let rate = |engine: &Engine, n: usize| -> Result<f64> {
            let sounds = vec![samples; n];
            Ok(per_second(progress, &mut || work(engine, &sounds))? * n as f64)
        };
        let item = format!("{SOUND_SECS} s of stereo");
        let row = LibraryBenchRow::of_cpu(kind, item, rate(&Engine::cpu(), 1)?);
        Ok(row.beside(gpu.map(|gpu| rate(gpu, n)).transpose()?, Some(n)))
    };
    let flux = |engine: &Engine, sounds: &[&[f32]]| engine.onset_flux(OnsetCounter::transform(), sounds).map(drop);
    Ok([row("chroma", &|engine, sounds| engine.chroma_columns(sounds).map(drop))?, row("onsets", &flux)?])
}

/// Hashes of a sound's picture, batched on the GPU.
fn hashes(
    picture: &GreyPicture,
    (store, n_cores): (Option<&LibraryStore>, usize),
    gpu: Option<&Engine>,
    progress: &Progress,
) -> Result<LibraryBenchRow> {
    let pictures = [picture; N_PICTURES];
    let mut hasher = PictureHasher::default();
    let mut rate = |engine: &Engine| -> Result<f64> {
        let batches = per_second(progress, &mut || engine.picture_hashes(&mut hasher, &pictures).map(drop))?;
        Ok(batches * N_PICTURES as f64)
    };
    let (cpu_per_s, gpu_per_s) = (rate(&Engine::cpu())?, gpu.map(&mut rate).transpose()?);
    let n_sounds = store.map(LibraryStore::n_sounds).transpose()?;
    let hours = |per_s: f64| n_sounds.map(|n| n as f64 / per_s / 3600.0);
    let row = LibraryBenchRow::of_cpu("hashes", "picture of a sound", cpu_per_s).beside(gpu_per_s, Some(N_PICTURES));
    let library_gpu_hours = gpu_per_s.and_then(hours);
    Ok(LibraryBenchRow { library_hours: hours(cpu_per_s * n_cores as f64), library_gpu_hours, ..row })
}

fn hamming(gpu: Option<&Engine>, progress: &Progress) -> Result<LibraryBenchRow> {
    let mut chance = Chance(64);
    let hashes: Vec<u64> = (0..N_HASHES).map(|_| chance.next()).collect();
    let runs_per_s = per_second(progress, &mut || {
        drop(pairs_within(&hashes, MAX_BITS, PairSearch::Blocks));
        Ok(())
    })?;
    let on_gpu = |gpu: &Engine| per_second(progress, &mut || gpu.hash_pairs(&hashes, MAX_BITS).map(drop));
    let gpu_runs_per_s = gpu.map(on_gpu).transpose()?;
    let n_pairs = (N_HASHES * (N_HASHES - 1) / 2) as f64;
    let row = LibraryBenchRow::of_cpu("hamming", "pair of 64-bit hashes", runs_per_s * n_pairs);
    Ok(row.beside(gpu_runs_per_s.map(|runs| runs * n_pairs), None))
}

/// Repetitions per second, after one warm-up.
fn per_second(progress: &Progress, work: &mut dyn FnMut() -> Result<()>) -> Result<f64> {
    progress.check()?;
    work()?;
    let (began, mut n) = (Instant::now(), 0u32);
    while began.elapsed() < MIN_DURATION {
        progress.check()?;
        work()?;
        n += 1;
    }
    Ok(f64::from(n) / began.elapsed().as_secs_f64())
}

/// Struck tones over noise that differs between channels; identical on every machine.
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

/// Pseudo-random numbers (SplitMix64).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

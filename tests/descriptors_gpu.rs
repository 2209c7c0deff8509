//! Spectra on a GPU: its planes match those of the CPU, its medians to the bit, and descriptions of sounds do not
//! depend on the engine or the batch size.
#![allow(clippy::print_stdout, reason = "figures are told")]

use super::descriptors::{RATE, apart, signal};
use super::support::faults::FOREVER;
use super::support::gpu::{gpu, own_gpu};
use super::support::random::Random;
use sonobrush::base::{EngineChoice, ErrorKind, Progress};
use sonobrush::dsp::descriptors::{
    FramePlanes, HarmonicMeter, MEDIAN_WINDOW, N_BINS, N_MELS, PIECE_FRAMES, PlaneBatch, STEP_SAMPLES,
};
use sonobrush::dsp::kernels::medians;
use sonobrush::dsp::{CellRect, Region};
use sonobrush::engine::Engine;
use sonobrush::library::batches::{BatchEngine, BatchOrder, KnownRates};
use sonobrush::library::describe::{
    Description, PendingDescription, PreparedSound, SpectralDescriptors, SpectralSound, begin_description, describe,
    spectra_of,
};
use sonobrush::media::Source;

/// Tones that come and go over noise, `n` samples.
fn samples(n: usize, seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    let hz = 150.0 + 90.0 * seed as f64;
    let sample = |at: usize| {
        let secs = at as f64 / f64::from(RATE);
        let struck = (-9.0 * (secs * 5.0).fract()).exp() * (std::f64::consts::TAU * hz * secs).sin();
        (0.5 * struck + 0.02 * (random.below(2_001) as f64 / 1_000.0 - 1.0)) as f32
    };
    (0..n).map(sample).collect()
}

fn planes_on(engine: &Engine, batch: &PlaneBatch) -> Vec<FramePlanes> {
    let mut found = Vec::new();
    let mut take = |piece: usize, planes: &FramePlanes| {
        assert_eq!(piece, found.len());
        found.push(planes.clone());
    };
    engine.frame_planes(batch, &mut take).unwrap();
    found
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// The medians of a whole sound's magnitudes along time and along frequency.
fn medians_of(magnitude: &[f32], window: usize) -> [Vec<f32>; 2] {
    let mut region = Region::zeros(CellRect::new(0..magnitude.len() / N_BINS, 0..N_BINS));
    region.magnitude.copy_from_slice(magnitude);
    let rect = region.rect.clone();
    medians([window; 2], &region, &rect)
}

/// Sounds of one frame, of fewer than half a window and of more than one, side by side.
#[test]
fn planes_of_a_device_are_those_of_the_cpu_and_medians_equal_to_the_bit() {
    let Some(gpu) = gpu() else { return };
    let sounds = [samples(300, 1), samples(9 * STEP_SAMPLES + 17, 2), samples(45 * STEP_SAMPLES, 3)];
    let mut batch = PlaneBatch::default();
    for sound in &sounds {
        batch.push(sound, 0..PlaneBatch::n_frames(sound.len()));
    }
    let planes = planes_on(&Engine::on(gpu), &batch);
    assert_eq!(planes.iter().map(|planes| planes.mels.len() / N_MELS).collect::<Vec<_>>(), [1, 10, 46]);
    for (on_device, here) in planes.iter().zip(planes_on(&Engine::cpu(), &batch)) {
        let farthest = |a: &[f32], b: &[f32]| {
            assert_eq!(a.len(), b.len());
            let loudest = b.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
            a.iter().zip(b).map(|(a, b)| (a - b).abs() / loudest).fold(0.0, f32::max)
        };
        assert!(farthest(&on_device.magnitude, &here.magnitude) < 2e-6);
        assert!(farthest(&on_device.mels, &here.mels) < 1e-5);
        let [harmonic, percussive] = medians_of(&on_device.magnitude, MEDIAN_WINDOW);
        assert!(bits(&on_device.harmonic) == bits(&harmonic) && bits(&on_device.percussive) == bits(&percussive));
        // The controls: a window that is narrower by two, and one magnitude that is larger, change a bit.
        let [harmonic, percussive] = medians_of(&on_device.magnitude, MEDIAN_WINDOW - 2);
        assert!(bits(&on_device.percussive) != bits(&percussive));
        assert!(on_device.mels.len() == N_MELS || bits(&on_device.harmonic) != bits(&harmonic));
        let mut spoiled = on_device.magnitude.clone();
        spoiled[100..110].iter_mut().for_each(|value| *value *= 4.0);
        assert!(bits(&on_device.percussive) != bits(&medians_of(&spoiled, MEDIAN_WINDOW)[1]));
    }
    // So is what is made of them; not of planes that were taken for each other.
    let [on_device, here] = [&planes[2], &batch.planes(2)];
    let ratio = |of: &FramePlanes, medians: [&[f32]; 2]| {
        let mut meter = HarmonicMeter::default();
        meter.push_medians(&of.magnitude, medians);
        meter.finish().unwrap()
    };
    let expected = ratio(here, [&here.harmonic, &here.percussive]);
    assert!((ratio(on_device, [&on_device.harmonic, &on_device.percussive]) - expected).abs() < 1e-4);
    assert!((ratio(on_device, [&on_device.percussive, &on_device.harmonic]) - expected).abs() > 0.005);
}

/// What a piece needs around it comes along: no piece of a sound is another than the same frames of all of it.
#[test]
fn frames_have_the_same_planes_in_pieces() {
    let Some(gpu) = gpu() else { return };
    let sound = samples(70 * STEP_SAMPLES + 300, 4);
    let n_frames = PlaneBatch::n_frames(sound.len());
    for engine in [Engine::cpu(), Engine::on(gpu)] {
        let mut whole = PlaneBatch::default();
        whole.push(&sound, 0..n_frames);
        let whole = planes_on(&engine, &whole).remove(0);
        let mut parts = PlaneBatch::default();
        for frames in [0..1, 1..20, 20..47, 47..n_frames] {
            parts.push(&sound, frames);
        }
        let mut first = 0;
        for part in planes_on(&engine, &parts) {
            let rows = |plane: &[f32], width: usize| bits(&plane[first * width..][..part.mels.len() / N_MELS * width]);
            assert!(bits(&part.magnitude) == rows(&whole.magnitude, N_BINS), "{} from {first}", engine.name());
            assert!(bits(&part.harmonic) == rows(&whole.harmonic, N_BINS), "{} from {first}", engine.name());
            assert!(bits(&part.percussive) == rows(&whole.percussive, N_BINS), "{} from {first}", engine.name());
            assert!(bits(&part.mels) == rows(&whole.mels, N_MELS), "{} from {first}", engine.name());
            first += part.mels.len() / N_MELS;
        }
        assert_eq!(first, n_frames);
    }
}

/// The first samples of a sound of the oracle.
fn source(name: &str, n: usize) -> Source {
    let channel = |samples: Vec<i64>| samples.iter().take(n).map(|&sample| sample as f32 / 32_768.0).collect();
    Source::from_channels(signal(name).into_iter().map(channel).collect(), RATE).unwrap()
}

fn prepared(source: &Source) -> PreparedSound {
    match begin_description(source, &Progress::new()).unwrap() {
        PendingDescription::Prepared(prepared) => *prepared,
        PendingDescription::Done(done) => panic!("{done:?}"),
    }
}

/// The descriptors that lie farthest apart, in the tolerances of the definition.
fn farthest(found: &Description, expected: &Description) -> (f64, &'static str) {
    let pairs = found.entries().into_iter().zip(expected.entries());
    let each = pairs.map(|((name, found), (_, expected))| (apart(name, &found, &expected), name));
    each.fold((0.0, ""), |worst, other| if other.0 > worst.0 { other } else { worst })
}

#[test]
fn a_device_describes_sounds_as_the_cpu_does() {
    let Some(gpu) = gpu() else { return };
    let names = [
        ("music", 133_000),
        ("noise", 40_000),
        ("tone", 22_050),
        ("clicks", 50_000),
        ("short", 13_230),
        ("constant", 9_000),
    ];
    let sources = names.map(|(name, n)| source(name, n));
    let expected: Vec<Description> = sources.iter().map(|source| describe(source, &Progress::new()).unwrap()).collect();
    let prepared: Vec<PreparedSound> = sources.iter().map(prepared).collect();
    // Every second sample is made as loud as is said.
    let described = |engine: &Engine, level: f32| -> Vec<Description> {
        let softened = |prepared: &PreparedSound| -> Vec<f32> {
            let samples = prepared.sound().samples.iter().enumerate();
            samples.map(|(at, sample)| if at % 2 == 0 { *sample } else { level * sample }).collect()
        };
        let samples: Vec<Vec<f32>> = prepared.iter().map(softened).collect();
        let mut sounds: Vec<SpectralSound<'_>> = prepared.iter().map(PreparedSound::sound).collect();
        sounds.iter_mut().zip(&samples).for_each(|(sound, samples)| sound.samples = samples);
        let spectra = spectra_of(engine, &sounds).unwrap();
        prepared.iter().cloned().zip(spectra).map(|(prepared, spectra)| prepared.finished(spectra)).collect()
    };
    // Here it is the same to the last bit.
    let [same, spoiled] = [1.0, 0.9].map(|level| described(&Engine::cpu(), level));
    assert!(same == expected);
    let found = described(&Engine::on(gpu), 1.0);
    for (((name, _), expected), (found, spoiled)) in names.iter().zip(&expected).zip(found.iter().zip(&spoiled)) {
        let worst = farthest(found, expected);
        println!("{name}: {worst:?}");
        assert!(worst.0 <= 1.0, "{name}: {worst:?}");
        // The control: a sound that is a little other.
        assert!(farthest(spoiled, expected).0 > 1.0, "{name}");
    }
    // The first is long enough for a tempo.
    assert!(found[0].audible.as_ref().unwrap().rhythm.unwrap().tempo_bpm.is_some());
}

fn order(choice: EngineChoice, batch_size: usize) -> BatchOrder {
    BatchOrder { choice, batch_size: Some(batch_size), ..BatchOrder::cpu() }
}

fn measured(engine: &mut BatchEngine, sounds: &[SpectralSound<'_>]) -> Vec<SpectralDescriptors> {
    engine.spectra(sounds, 20).into_iter().map(Result::unwrap).collect()
}

fn sounds(samples: &[Vec<f32>]) -> Vec<SpectralSound<'_>> {
    let secs = |samples: &Vec<f32>| samples.len() as f64 / f64::from(RATE);
    samples.iter().map(|samples| SpectralSound { samples, duration_secs: secs(samples) }).collect()
}

#[test]
fn a_description_does_not_depend_on_its_batch() {
    let Some(gpu) = own_gpu() else { return };
    let samples: Vec<Vec<f32>> = (0..5).map(|number| samples(4_000 + 900 * number, number as u64)).collect();
    let sounds = sounds(&samples);
    let requested = |batch_size: usize| {
        let order = order(EngineChoice::Gpu, batch_size);
        BatchEngine::on(Some(Engine::on(gpu.clone())), &order, KnownRates::default())
    };
    let mut engine = requested(8);
    let expected = measured(&mut engine, &sounds);
    let [cpu, device] = engine.take_counts();
    assert_eq!((cpu.items, device.batches, device.items, device.largest), (0, 1, 5, 5));
    let mut engine = requested(2);
    assert!(measured(&mut engine, &sounds) == expected);
    let device = engine.take_counts()[1];
    assert_eq!((device.batches, device.items, device.largest), (3, 5, 2));
    // Two failures: one that the device makes good by itself, and one that halves the batch.
    gpu.trim();
    gpu.fail_allocations(0..2);
    let mut engine = requested(8);
    assert!(measured(&mut engine, &sounds) == expected);
    let device = engine.take_counts()[1];
    assert_eq!((device.batches, device.items, device.largest, device.shrunk, device.fallbacks), (3, 5, 2, 1, 0));
    // Wherever one allocation fails, no sound is another.
    let mut engine = requested(8);
    gpu.trim();
    let before = gpu.allocations();
    measured(&mut engine, &sounds[..2]);
    let n = gpu.allocations() - before;
    assert!(n > 8, "{n} allocations are too few to mean something");
    for k in (0..n).step_by(3) {
        gpu.trim();
        gpu.fail_allocations(k..k + 1);
        assert!(measured(&mut engine, &sounds[..2]) == expected[..2], "allocation {k} of {n}");
    }
    // The control: other sounds are described otherwise.
    assert!(measured(&mut engine, &sounds[2..4]) != expected[..2]);
}

#[test]
fn where_a_device_has_no_memory_the_cpu_describes() {
    let Some(gpu) = own_gpu() else { return };
    let samples: Vec<Vec<f32>> = (0..5).map(|number| samples(3_000 + 900 * number, number as u64)).collect();
    let sounds = sounds(&samples);
    let expected = spectra_of(&Engine::cpu(), &sounds).unwrap();
    // Of a large job they go to the device, and back to the CPU if its memory has ended.
    let auto = order(EngineChoice::Auto, 8);
    let mut engine = BatchEngine::on(Some(Engine::on(gpu.clone())), &auto, KnownRates::default()).trusting();
    gpu.fail_allocations(0..FOREVER);
    assert!(measured(&mut engine, &sounds) == expected);
    let [cpu, device] = engine.take_counts();
    assert_eq!((cpu.items, device.items, device.fallbacks, device.shrunk), (5, 0, 5, 2));
    // A requested GPU engine fails with a message.
    let requested = order(EngineChoice::Gpu, 8);
    let mut engine = BatchEngine::on(Some(Engine::on(gpu.clone())), &requested, KnownRates::default());
    for result in engine.spectra(&sounds, 5) {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::GpuMemory);
        assert!(error.message().contains("out of memory") && error.message().contains("--engine cpu"), "{error}");
    }
    gpu.fail_allocations(0..0);
    let source = Source::from_channels(vec![samples[0].clone()], RATE).unwrap();
    let [on_gpu, on_cpu] =
        [&mut engine, &mut BatchEngine::cpu()].map(|engine| engine.describe(&source, &Progress::new()).unwrap());
    let worst = farthest(&on_gpu, &on_cpu);
    assert!(worst.0 <= 1.0 && on_gpu != on_cpu, "{worst:?}");
}

/// What a device's rounding would show in, and what is silent, is left to the CPU.
#[test]
fn sounds_that_are_too_loud_or_silent_are_described_to_the_end() {
    let quiet = samples(20_000, 7);
    for level in [0.0f32, 1e-6, 10.0] {
        let channel = quiet.iter().map(|sample| level * sample).collect();
        let source = Source::from_channels(vec![channel], RATE).unwrap();
        match begin_description(&source, &Progress::new()).unwrap() {
            PendingDescription::Done(done) => assert!(*done == describe(&source, &Progress::new()).unwrap(), "{level}"),
            PendingDescription::Prepared(_) => panic!("{level} is prepared"),
        }
    }
    // The control.
    prepared(&Source::from_channels(vec![quiet], RATE).unwrap());
}

/// A sound of three pieces, half a minute: long only where software computes it.
#[test]
fn long_sounds_are_described_piece_by_piece() {
    let Some(gpu) = gpu() else { return };
    if std::env::var_os("SONOBRUSH_LONG_TESTS").is_none() && !gpu.summary().is_real() {
        return;
    }
    let samples = [samples((2 * PIECE_FRAMES + 40) * STEP_SAMPLES, 5), samples(30_000, 6)];
    let source = Source::from_channels(vec![samples[0].clone()], RATE).unwrap();
    let spectra = spectra_of(&Engine::on(gpu), &sounds(&samples)).unwrap();
    let found = prepared(&source).finished(spectra[0].clone());
    let worst = farthest(&found, &describe(&source, &Progress::new()).unwrap());
    assert!(worst.0 <= 1.0, "{worst:?}");
}

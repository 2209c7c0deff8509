//! Flux and chroma of sounds on a device: equal to those of the CPU within rounding, alone or in a batch, at any
//! length.

use dsp::descriptors::{ChromaColumns, OnsetCounter};
use dsp::pitch::onsets::{n_flux_frames, onset_flux};
use dsp::{Stft, StftParams};
use engine::Engine;
use support::gpu::{gpu, poison};
use support::random::Random;

const RATE_HZ: f64 = 44_100.0;

/// Struck tones over noise, `n` samples.
pub fn struck(n: usize, seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    let hz = 150.0 + 90.0 * seed as f64;
    let sample = |at: usize| {
        let secs = at as f64 / RATE_HZ;
        let struck = (-9.0 * (secs * 5.0).fract()).exp() * (std::f64::consts::TAU * hz * secs).sin();
        (0.5 * struck + 0.02 * (random.below(2_001) as f64 / 1_000.0 - 1.0)) as f32
    };
    (0..n).map(sample).collect()
}

/// Lengths in samples of sounds whose flux, or chroma, takes two runs of frames.
const LONG_FLUX: usize = 2_100 * 256;
const LONG_CHROMA: usize = 66 * 2_048;

/// Empty, one sample, less than a frame, longer ones, and silence.
fn sounds(n_longest: usize) -> Vec<Vec<f32>> {
    let mut sounds: Vec<Vec<f32>> =
        [0, 1, 300, 1_024, 30_000, n_longest].iter().zip(1..).map(|(n, seed)| struck(*n, seed)).collect();
    sounds.push(vec![0.0; 5_000]);
    sounds
}

fn farthest(found: &[f32], expected: &[f32]) -> f32 {
    assert_eq!(found.len(), expected.len());
    let largest = expected.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    found.iter().zip(expected).map(|(a, b)| (a - b).abs() / largest).fold(0.0, f32::max)
}

fn refs(sounds: &[Vec<f32>]) -> Vec<&[f32]> {
    sounds.iter().map(Vec::as_slice).collect()
}

#[test]
fn flux_of_a_device_is_that_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let (params, sounds) = (OnsetCounter::transform(), sounds(LONG_FLUX));
    let stft = Stft::new(params);
    let found = Engine::on(gpu).onset_flux(params, &refs(&sounds)).unwrap();
    assert_eq!(
        Engine::cpu().onset_flux(params, &refs(&sounds)).unwrap(),
        sounds.iter().map(|sound| onset_flux(&stft, sound)).collect::<Vec<_>>()
    );
    let mut n_onsets = 0.0;
    for (sound, found) in sounds.iter().zip(&found) {
        let expected = onset_flux(&stft, sound);
        assert_eq!(expected.len(), n_flux_frames(params, sound.len()));
        let worst = farthest(found, &expected);
        assert!(worst < 1e-5, "{} samples: {worst}", sound.len());
        assert_eq!(OnsetCounter::of_flux(sound, found), OnsetCounter::of_flux(sound, &expected));
        n_onsets += OnsetCounter::of_flux(sound, found).unwrap_or(0.0);
        // Controls: the flux one frame later, and the flux after one sample is changed.
        if sound.len() >= 30_000 {
            let mut shifted = expected.clone();
            shifted.rotate_right(1);
            assert!(farthest(found, &shifted) > 0.1);
            let mut spoiled = sound.clone();
            spoiled[sound.len() / 2] += 0.5;
            assert!(farthest(found, &onset_flux(&stft, &spoiled)) > 0.01);
        }
    }
    assert!(n_onsets > 8.0, "{n_onsets}");
}

/// FFT sizes with every kind of step: in one workgroup, and in two shaders.
#[test]
fn flux_is_of_any_transform() {
    let Some(gpu) = gpu() else { return };
    let sound = struck(90_000, 3);
    for size in [64, 8_192, 16_384, 32_768] {
        let params = StftParams::of_size(size, 4, OnsetCounter::transform().window);
        let found = gpu.onset_flux(params, &[&sound]).unwrap().remove(0);
        let worst = farthest(&found, &onset_flux(&Stft::new(params), &sound));
        assert!(worst < 1e-5, "{size}: {worst}");
    }
}

#[test]
fn flux_has_the_same_bits_in_any_company_and_in_any_memory() {
    let Some(gpu) = gpu() else { return };
    let (params, sounds) = (OnsetCounter::transform(), sounds(LONG_FLUX));
    let bits = |sounds: &[Vec<f32>]| -> Vec<Vec<u32>> {
        let flux = gpu.onset_flux(params, &refs(sounds)).unwrap();
        flux.iter().map(|flux| flux.iter().map(|value| value.to_bits()).collect()).collect()
    };
    let expected = bits(&sounds);
    poison(&gpu, 9 << 20);
    assert!(bits(&sounds) == expected);
    for at in [2, 4] {
        assert!(bits(&sounds[at..=at]) == expected[at..=at], "sound {at} alone");
    }
    let passes = Engine::on(gpu.clone()).noting();
    passes.onset_flux(params, &refs(&sounds[..2])).unwrap();
    let names: Vec<String> = passes.passes().into_iter().map(|pass| pass.name.into_owned()).collect();
    assert_eq!(names, ["fft_1024", "onset_flux"]);
    assert!(gpu.onset_flux(params, &[]).unwrap().is_empty());
}

/// The values of all frames of a sound, one column after another.
fn values(columns: &ChromaColumns) -> Vec<f32> {
    columns.frames.iter().flatten().flatten().copied().collect()
}

#[test]
fn chroma_of_a_device_is_that_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let sounds = sounds(LONG_CHROMA);
    let [found, expected] =
        [Engine::on(gpu), Engine::cpu()].map(|engine| engine.chroma_columns(&refs(&sounds)).unwrap());
    for ((sound, found), expected) in sounds.iter().zip(&found).zip(&expected) {
        assert_eq!(expected.frames.len(), sound.len() / 2_048 + 1);
        let worst = farthest(&values(found), &values(expected));
        assert!(worst < 1e-5, "{} samples: {worst}", sound.len());
        let [found, expected] = [found, expected].map(ChromaColumns::describe);
        assert_eq!(found.is_some(), sound.iter().any(|sample| *sample != 0.0));
        let (Some(found), Some(expected)) = (found, expected) else { continue };
        assert!(found.chroma.iter().zip(&expected.chroma).all(|(a, b)| (a - b).abs() < 1e-5));
        assert_eq!(found.key, expected.key);
    }
    // Controls: the values shifted by a frame (24), by a note (1), and from the chroma to the key's notes (12).
    let (found, expected) = (values(&found[5]), values(&expected[5]));
    for n in [24, 1, 12] {
        let mut shifted = expected.clone();
        shifted.rotate_right(n);
        assert!(farthest(&found, &shifted) > 0.1, "{n}");
    }
}

#[test]
fn chroma_has_the_same_bits_in_any_company_and_in_any_memory() {
    let Some(gpu) = gpu() else { return };
    let sounds = sounds(LONG_CHROMA);
    let bits = |sounds: &[Vec<f32>]| -> Vec<Vec<u32>> {
        let columns = gpu.chroma_columns(&refs(sounds)).unwrap();
        columns.iter().map(|columns| values(columns).iter().map(|value| value.to_bits()).collect()).collect()
    };
    let expected = bits(&sounds);
    poison(&gpu, 9 << 20);
    assert!(bits(&sounds) == expected);
    for at in [1, 4] {
        assert!(bits(&sounds[at..=at]) == expected[at..=at], "sound {at} alone");
    }
    let passes = Engine::on(gpu.clone()).noting();
    passes.chroma_columns(&refs(&sounds[..2])).unwrap();
    let names: Vec<String> = passes.passes().into_iter().map(|pass| pass.name.into_owned()).collect();
    assert_eq!(names.last().map(String::as_str), Some("chroma"));
    assert!(names.iter().any(|name| name.starts_with("fft_32768")), "{names:?}");
    assert!(gpu.chroma_columns(&[]).unwrap().is_empty());
}

//! Spectra on a device: its planes are those of the CPU, its medians to the bit.

use super::common::gpu::gpu;
use super::descriptors::RATE;
use super::support::random::Random;
use sonobrush::dsp::descriptors::{
    FramePlanes, HarmonicMeter, MEDIAN_WINDOW, N_BINS, N_MELS, PlaneBatch, STEP_SAMPLES,
};
use sonobrush::dsp::kernels::medians;
use sonobrush::dsp::{CellRect, Region};
use sonobrush::engine::Engine;

/// Tones that come and go over noise, as long as is asked for.
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

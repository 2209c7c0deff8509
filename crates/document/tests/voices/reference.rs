//! Samples against arrays that `reference/make_voices.py` computed from the definition, independently of our code.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use super::oracle::fidelity_db;
use super::rendered;
use dsp::voices::{Score, VoicePool};
use engine::Engine;
use media::score::{ReadScore, ScoreOverrides};
use support::gpu::gpu;
use support::npy;

const RATE: f64 = 8_000.0;

/// The five timbres with a chord, a glide and pressure; one with every field changed; a measured one.
const SCORES: [&str; 7] = ["pad", "pluck", "organ", "bell", "breath", "changed", "measured"];

/// A score, and both channels of it by the definition.
fn reference(name: &str) -> (Score, Vec<Vec<f64>>) {
    let path = npy::path(&format!("voices/{name}.json"));
    let score = ReadScore::open(&path, &ScoreOverrides::default()).unwrap().score;
    let array = npy::load(&format!("voices/{name}").into());
    let samples: Vec<f64> = array.f32s().into_iter().map(f64::from).collect();
    (score, samples.chunks(array.shape[1]).map(<[f64]>::to_vec).collect())
}

#[test]
fn voices_are_the_arrays_of_the_definition() {
    for name in SCORES {
        let (score, expected) = reference(name);
        let found = rendered(&score, RATE, true);
        assert_eq!(found[0].len(), expected[0].len(), "{name}");
        let fidelity = fidelity_db(&expected, &found);
        println!("{name}: {fidelity:.1} dB");
        assert!(fidelity >= 130.0, "{name}: {fidelity}");
    }
    // The control: another seed of the pad's phases is another sound.
    let (score, expected) = reference("pad");
    let other = Score { seed: score.seed + 1, ..score };
    assert!(fidelity_db(&expected, &rendered(&other, RATE, true)) < 20.0);
}

#[test]
fn voices_are_the_arrays_of_the_definition_on_the_gpu() {
    let Some(gpu) = gpu() else { return };
    let engine = Engine::on(gpu);
    let mut pool = VoicePool::new();
    for name in SCORES {
        let (score, expected) = reference(name);
        let stream = pool.begin(&score, RATE, true).unwrap();
        let mut found = [(); 2].map(|()| vec![0.0; expected[0].len()]);
        let [left, right] = &mut found;
        assert_eq!(engine.voices(stream, u64::MAX).render(left, right).unwrap(), None);
        let fidelity = fidelity_db(&expected, &found);
        println!("{name}: {fidelity:.1} dB");
        assert!(fidelity >= 125.0, "{name}: {fidelity}");
    }
}

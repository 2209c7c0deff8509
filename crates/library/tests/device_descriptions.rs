//! A device computes the same descriptions of recordings as the CPU.
#![allow(clippy::print_stdout, reason = "prints figures")]

use base::{EngineChoice, Progress};
use engine::Engine;
use library::batches::{BatchEngine, BatchOrder, KnownRates};
use library::describe::{SpectralDescriptors, SpectralSound};
use media::Source;
use support::opened::clips;
use test_engine::gpu::gpu;

/// The first channel of each clip, at most 100,000 samples, used as if its sample rate was 44.1 kHz.
fn recordings() -> Vec<Vec<f32>> {
    let read = |path: &std::path::PathBuf| {
        let source = Source::open(path, &Progress::new()).unwrap().source;
        let mut samples = vec![0.0; source.info().n_samples.min(100_000) as usize];
        source.read(0, 0, &mut samples).unwrap();
        samples
    };
    clips().iter().map(read).collect()
}

fn described(engine: &mut BatchEngine, recordings: &[Vec<f32>]) -> Vec<SpectralDescriptors> {
    let secs = |samples: &[f32]| samples.len() as f64 / 44_100.0;
    let sounds: Vec<SpectralSound<'_>> =
        recordings.iter().map(|samples| SpectralSound { samples, duration_secs: secs(samples) }).collect();
    engine.spectra(&sounds, sounds.len()).into_iter().map(Result::unwrap).collect()
}

/// The total number of onsets agrees within 0.1 %; each recording has the same key, and the same chroma within 1e-5.
#[test]
fn recordings_have_the_onsets_and_notes_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let order = BatchOrder { choice: EngineChoice::Gpu, ..BatchOrder::cpu() };
    let mut on_gpu = BatchEngine::on(Some(Engine::on(gpu)), &order, KnownRates::default());
    let recordings = recordings();
    let expected = described(&mut BatchEngine::cpu(), &recordings);
    let found = described(&mut on_gpu, &recordings);
    let [cpu, device] = on_gpu.take_counts();
    assert_eq!((cpu.items, device.items as usize), (0, recordings.len()));
    let n_onsets = |of: &[SpectralDescriptors]| -> f64 {
        let each = of.iter().zip(&recordings);
        each.map(|(of, samples)| of.onsets_per_second.unwrap() * samples.len() as f64 / 44_100.0).sum()
    };
    let (n_found, n_expected) = (n_onsets(&found), n_onsets(&expected));
    println!("{n_found} onsets, {n_expected} on the CPU");
    assert!(n_expected > 25.0 && (n_found - n_expected).abs() <= n_expected / 1_000.0, "{n_found} {n_expected}");
    let mut worst: f64 = 0.0;
    for (found, expected) in found.iter().zip(&expected) {
        let [found, expected] = [found, expected].map(|of| of.chroma.as_ref().unwrap());
        let apart = found.chroma.iter().zip(&expected.chroma).map(|(a, b)| (a - b).abs());
        worst = apart.fold(worst, f64::max);
        assert_eq!(found.key, expected.key);
    }
    println!("chroma: {worst}");
    assert!(worst < 1e-5, "{worst}");
    // Control: different recordings have different chroma.
    assert!(found[0].chroma.as_ref().unwrap().chroma != found[1].chroma.as_ref().unwrap().chroma);
}

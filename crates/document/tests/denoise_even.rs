//! Noise reduction with even gains: a quiet voice is kept, and older scripts sound the same.

#![allow(clippy::print_stdout, reason = "the figures of docs/quality.md are read off what the tests print")]

use base::Progress;
use document::brushes::Brush;
use document::{Edit, Script, Snapshot, apply};
use dsp::{Denoise, NoiseSource, StftParams, Window};
use engine::Engine;
use media::Source;
use support::fourier::Stft64;
use support::measure::f64s;
use support::signals::noise;
use support::snapshots::{open, samples};
use support::wav::clip;

#[test]
fn a_quiet_voice_in_low_noise_is_kept() {
    // Brown noise at an SNR of 5 dB: cells in which the voice is 10 dB above the noise must be kept.
    let speech = &samples(&open(&clip("speech_16k_mono.wav")), 0)[..32_000];
    let start = 20_000;
    let (mut at, mut noisy) = (0.0, noise(start + speech.len(), 1.0, 61));
    noisy.iter_mut().for_each(|sample| {
        at = 0.995 * at + *sample;
        *sample = at;
    });
    let power = |x: &[f32]| x.iter().map(|s| f64::from(*s).powi(2)).sum::<f64>() / x.len() as f64;
    let scale = (power(speech) / power(&noisy[start..]) / 10f64.powf(0.5)).sqrt() as f32;
    noisy.iter_mut().for_each(|sample| *sample *= scale);
    noisy[start..].iter_mut().zip(speech).for_each(|(sum, s)| *sum += s);
    let before = Snapshot::new(Source::from_channels(vec![noisy.clone()], 16_000).unwrap());
    let stft = Stft64 { window: Window::Hann.samples(512), hop: 128 };
    let powers = |x: &[f32]| -> Vec<Vec<f64>> {
        stft.analyse(&f64s(x))
            .iter()
            .map(|row| row.iter().map(|cell| cell[0].powi(2) + cell[1].powi(2)).collect())
            .collect()
    };
    let (learnt, voice, with_noise) = (powers(&noisy[..16_000]), powers(speech), powers(&noisy[start..]));
    let noise_of = |bin: usize| learnt.iter().map(|row| row[bin]).sum::<f64>() / learnt.len() as f64;
    let noise_powers: Vec<f64> = (0..257).map(noise_of).collect();
    let share_lost = |denoise: Denoise| {
        let edit = Edit::of(denoise, StftParams { n_fft: 512, hop: 128, window: Window::Hann });
        let after = samples(&apply(&before, &edit, &Engine::cpu(), &Progress::new()).unwrap().snapshot, 0);
        let (mut n_voice, mut n_lost) = (0, 0);
        for ((voice, before), after) in voice.iter().zip(&with_noise).zip(&powers(&after[start..])) {
            for bin in (0..257).filter(|bin| voice[*bin] > 10.0 * noise_powers[*bin]) {
                n_voice += 1;
                n_lost += usize::from(after[bin] < 0.1 * before[bin]);
            }
        }
        assert!(n_voice > 5_000, "{n_voice}");
        f64::from(n_lost as u32) / f64::from(n_voice)
    };
    let range = || NoiseSource::Range { secs: [0.0, 1.0], hz: None };
    let [even, single] = [Denoise::even(range()), Denoise::of(range())].map(share_lost);
    println!("cells of a voice lost: {:.2} %, without even gains {:.2} %", 100.0 * even, 100.0 * single);
    assert!(even < 0.6 * single && even < 0.01, "{even} and {single}");
}

#[test]
fn scripts_that_state_no_even_gains_sound_as_they_did() {
    let script = |field: &str| {
        format!(r#"{{"version": 1, "edits": [{{"brush": {{"kind": "denoise", "learn": [0.0, 0.5]{field}}}}}]}}"#)
    };
    let denoise = |field: &str| {
        let read = Script::parse(&script(field)).unwrap();
        assert_eq!(Script::parse(&read.to_json()).unwrap(), read);
        assert_eq!(read.to_json().contains("even_gains"), field.contains("true"));
        match &read.edits[0].brush {
            Brush::Denoise(denoise) => denoise.clone(),
            other => panic!("{other:?}"),
        }
    };
    let range = || NoiseSource::Range { secs: [0.0, 0.5], hz: None };
    assert_eq!(denoise(""), Denoise::of(range()));
    assert_eq!(denoise(r#", "even_gains": false"#), Denoise::of(range()));
    assert_eq!(denoise(r#", "even_gains": true, "margin_db": 1, "smoothing": [0.1, 500]"#), Denoise::even(range()));
}

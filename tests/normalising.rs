//! Normalise: to a peak, and to a loudness by BS.1770.

use crate::support::signals::{noise, tone};
use crate::support::studio::{clip, open, samples};
use sonobrush::base::{ErrorKind, Progress};
use sonobrush::document::brushes::Normalise;
use sonobrush::document::{Edit, Snapshot, apply};
use sonobrush::dsp::StftParams;
use sonobrush::dsp::loudness::LoudnessMeter;
use sonobrush::engine::Engine;
use sonobrush::media::Source;

const RATE: f64 = 48_000.0;

fn sound(channels: Vec<Vec<f32>>) -> Snapshot {
    Snapshot::new(Source::from_channels(channels, RATE as u32).unwrap())
}

fn normalised(sound: &Snapshot, brush: Normalise) -> Snapshot {
    let edit = Edit::of(brush, StftParams::default());
    apply(sound, &edit, &Engine::cpu(), &Progress::new()).unwrap().snapshot
}

fn channels(sound: &Snapshot) -> Vec<Vec<f32>> {
    (0..sound.n_channels()).map(|channel| samples(sound, channel)).collect()
}

fn lufs(sound: &Snapshot) -> f64 {
    let channels = channels(sound);
    let mut meter = LoudnessMeter::integrated(sound.sample_rate_hz() as u32, channels.len()).unwrap();
    meter.push(&channels.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap();
    meter.integrated_lufs().unwrap().unwrap()
}

fn peak_db(x: &[f32]) -> f64 {
    20.0 * x.iter().fold(0.0, |peak: f64, x| peak.max(f64::from(x.abs()))).log10()
}

fn db(gain: f32) -> f64 {
    20.0 * f64::from(gain).log10()
}

/// A second, with a half that is so much quieter.
fn two_levels(loud: f64, quiet: f64) -> Snapshot {
    let n = RATE as usize;
    sound(vec![[noise(n, loud, 1), noise(n, quiet, 2)].concat()])
}

#[test]
fn the_result_has_the_level_that_is_wished() {
    let speech = open(&clip("speech_16k_mono.wav"));
    let drums = open(&clip("drum_break_44k_stereo.flac"));
    // What is under the absolute gate at first counts once it is louder.
    for (name, before) in [
        ("speech", &speech),
        ("drums", &drums),
        ("near the gate", &two_levels(3e-4, 1.5e-4)),
        ("under the gate", &two_levels(5e-5, 3e-5)),
    ] {
        for wanted in [-40.0, -23.0, -14.0] {
            let found = lufs(&normalised(before, Normalise::to_loudness(wanted)));
            assert!((found - wanted).abs() < 0.1, "{name}: {found} LUFS, not {wanted}");
        }
        for wanted in [-30.0, -1.0] {
            let after = normalised(before, Normalise::to_peak(wanted));
            let found = channels(&after).iter().map(|x| peak_db(x)).fold(f64::MIN, f64::max);
            assert!((found - wanted).abs() < 0.01, "{name}: {found} dBFS, not {wanted}");
        }
    }
    let (old, new) = (channels(&drums), channels(&normalised(&drums, Normalise::to_loudness(-23.0))));
    let loud = (0..old[0].len()).max_by(|&a, &b| old[0][a].abs().total_cmp(&old[0][b].abs())).unwrap();
    let gain = new[0][loud] / old[0][loud];
    assert!((db(gain)).abs() > 1.0, "the check can fail");
    for (old, new) in old.iter().zip(&new) {
        assert!(old.iter().zip(new).all(|(old, new)| (new - old * gain).abs() < 1e-6), "one gain for both channels");
    }
}

/// Cases 1 and 3 of EBU Tech 3341: a tone of 1 kHz in both channels has its peak's level in LUFS, and what is 13 dB under
/// it is gated.
#[test]
fn the_tones_of_ebu_tech_3341_have_their_loudness() {
    let part = |secs: f64, db: f64| tone((secs * RATE) as usize, RATE, 1000.0, 10f64.powf(db / 20.0));
    let all = [part(2.0, -36.0), part(20.0, -23.0), part(2.0, -36.0)].concat();
    for (what, x) in [("alone", part(3.0, -23.0)), ("among quiet ones", all)] {
        let before = sound(vec![x.clone(), x.clone()]);
        let after = samples(&normalised(&before, Normalise::to_loudness(-33.0)), 0);
        let gain_db = peak_db(&after) - peak_db(&x);
        assert!((gain_db + 10.0).abs() < 0.1, "{what}: {gain_db} dB");
    }
}

#[test]
fn silence_and_what_has_no_loudness_are_one_sentence() {
    let refused = |x: Vec<f32>, brush| {
        let edit = Edit::of(brush, StftParams::default());
        let error = apply(&sound(vec![x]), &edit, &Engine::cpu(), &Progress::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Script);
        error.message().to_owned()
    };
    for brush in [Normalise::to_peak(-1.0), Normalise::to_loudness(-14.0)] {
        assert_eq!(refused(vec![0.0; 20_000], brush), "there is only silence to normalise; select a sound");
    }
    // A swing of 0.1 Hz is sound to nobody, but has a peak.
    let slow = (0..480_000).map(|k| (0.1 * (std::f64::consts::PI * f64::from(k) / 480_000.0).sin().powi(2)) as f32);
    assert!(refused(slow.collect(), Normalise::to_loudness(-14.0)).contains("no loudness"));
}

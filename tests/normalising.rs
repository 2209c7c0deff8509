//! Normalise: to a peak, to a loudness by BS.1770, and the card that says how loud a sound is and becomes.

use crate::support::measure::changed;
use crate::support::signals::{noise, tone};
use crate::support::studio::{Bench, CTRL, Drawing, NONE, bits, clip, open, samples};
use egui::Key;
use egui_kittest::kittest::Queryable;
use sonobrush::base::{ErrorKind, Progress};
use sonobrush::document::brushes::Normalise;
use sonobrush::document::{Edit, Snapshot, apply};
use sonobrush::dsp::StftParams;
use sonobrush::dsp::signal::loudness::LoudnessMeter;
use sonobrush::engine::Engine;
use sonobrush::media::Source;
use sonobrush::workbench::commands::EditCommand;
use sonobrush::workbench::{ChannelView, NormaliseOptions, Reply, Severity};

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
    let mut meter = LoudnessMeter::integrated(sound.sample_rate_hz() as u32, channels.len(), None).unwrap();
    meter.push(&channels.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap();
    meter.integrated_lufs().unwrap().unwrap()
}

fn peak_db(x: &[f32]) -> f64 {
    20.0 * x.iter().fold(0.0, |peak: f64, x| peak.max(f64::from(x.abs()))).log10()
}

fn db(gain: f32) -> f64 {
    20.0 * f64::from(gain).log10()
}

/// A second of noise, its halves at these two levels.
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

/// Cases 1 and 3 of EBU Tech 3341: a tone of 1 kHz in both channels has its peak's level in LUFS, and what is 13 dB
/// under it is gated.
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
    // A swing of 0.1 Hz is inaudible, but has a peak.
    let slow = (0..480_000).map(|k| (0.1 * (std::f64::consts::PI * f64::from(k) / 480_000.0).sin().powi(2)) as f32);
    assert!(refused(slow.collect(), Normalise::to_loudness(-14.0)).contains("no loudness"));
}

fn says(bench: &Bench, words: &str) -> bool {
    bench.harness.query_all_by_label_contains(words).next().is_some()
}

fn bench_with(sound: Snapshot) -> Bench {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.show(sound);
    bench
}

#[test]
fn the_card_says_the_levels_and_brings_them_to_what_is_wished() {
    // 0 dBFS in one channel is -3.01 LUFS.
    let x = tone(48_000, RATE, 1000.0, 0.5);
    let mut bench = bench_with(sound(vec![x.clone()]));
    bench.act(EditCommand::Normalise);
    bench.settle();
    assert!(says(&bench, "One gain for the whole file"));
    assert!(says(&bench, "Now: peak \u{2212}6.0 dBFS, loudness \u{2212}9.0 LUFS."));
    assert!(says(&bench, "After: peak \u{2212}1.0 dBFS, loudness \u{2212}4.0 LUFS."));
    // The usual peak is one Enter away.
    bench.key(NONE, Key::Enter);
    assert!(bench.has("Step 1: Normalise to \u{2212}1.0 dB, whole file"), "{:?}", bench.notices());
    assert!((peak_db(&bench.samples(0)) + 1.0).abs() < 0.01);
    bench.key(CTRL, Key::Z);
    assert_eq!(bits(&bench.samples(0)), bits(&x));

    bench.act(EditCommand::Normalise);
    bench.settle();
    bench.click("To a loudness");
    assert!(says(&bench, "After: peak \u{2212}11.0 dBFS, loudness \u{2212}14.0 LUFS."));
    assert!(!says(&bench, "Peaks above 0 dBFS clip"));
    // What is too loud says so, and offers where to stop.
    bench.harness.event(egui::Event::Text("-2".into()));
    bench.settle();
    assert!(
        says(&bench, "After: peak 1.0 dBFS, loudness \u{2212}2.0 LUFS.") && says(&bench, "Peaks above 0 dBFS clip")
    );
    bench.click("Limit to 0 dBFS");
    assert!(
        says(&bench, "After: peak 0.0 dBFS, loudness \u{2212}3.0 LUFS.") && !says(&bench, "Peaks above 0 dBFS clip")
    );
    bench.key(NONE, Key::Enter);
    assert!(peak_db(&bench.samples(0)).abs() < 0.01, "{}", peak_db(&bench.samples(0)));
}

#[test]
fn the_selection_of_one_channel_is_measured_and_changed_alone() {
    let n = 96_000;
    let [left, right] = [0.5, 0.05].map(|level| tone(n, RATE, 1000.0, level));
    let mut bench = bench_with(sound(vec![left.clone(), right.clone()]));
    bench.set_view(|view| view.channels = ChannelView::One(1));
    bench.select(Some([0.5, 1.5]), None);
    bench.act(EditCommand::Normalise);
    bench.settle();
    assert!(says(&bench, "One gain for the selection"));
    assert!(says(&bench, "Now: peak \u{2212}26.0 dBFS, loudness \u{2212}29.0 LUFS."));
    bench.key(NONE, Key::Escape);
    bench.act(Reply::Normalise(NormaliseOptions {
        is_loudness: true,
        loudness_lufs: -20.0,
        ..NormaliseOptions::default()
    }));
    bench.settle();
    assert!(bench.has("Step 1: Normalise to \u{2212}20.0 LUFS, selection"), "{:?}", bench.notices());
    assert_eq!(bits(&bench.samples(0)), bits(&left));
    let touched = changed(&right, &bench.samples(1));
    assert!(touched.len() > 40_000 && touched.iter().all(|k| (24_000..72_000).contains(k)));
    let part = bench.samples(1)[24_000..72_000].to_vec();
    let found = lufs(&sound(vec![part]));
    assert!((found + 20.0).abs() < 0.1, "{found}");
}

#[test]
fn the_card_of_silence_offers_nothing_to_do() {
    let mut bench = bench_with(sound(vec![vec![0.0; 48_000]]));
    bench.act(EditCommand::Normalise);
    bench.settle();
    assert!(says(&bench, "There is only silence to normalise; select a sound."));
    bench.key(NONE, Key::Enter);
    assert_eq!(bench.studio().document().unwrap().history().position(), 0);
    bench.key(NONE, Key::Escape);
    // Without the card, the workbench itself reports the silence.
    for wanted in [-14.0, f64::NAN, 1e9] {
        bench.act(Reply::Normalise(NormaliseOptions {
            is_loudness: true,
            loudness_lufs: wanted,
            ..NormaliseOptions::default()
        }));
        bench.settle();
        let (severity, what) = bench.notices().pop().unwrap();
        assert!(severity == Severity::Info && what.contains("only silence to normalise"), "{what}");
    }
    assert_eq!(bench.studio().document().unwrap().history().position(), 0);
}

/// What a window cannot wish for is held to what it can.
#[test]
fn a_wish_without_a_number_is_the_usual_one() {
    let mut bench = bench_with(sound(vec![tone(48_000, RATE, 1000.0, 0.5)]));
    for (peak_db_wished, expected) in [(f64::NAN, -1.0), (f64::INFINITY, -1.0), (1e9, 0.0), (-1e9, -60.0)] {
        bench.act(Reply::Normalise(NormaliseOptions { peak_db: peak_db_wished, ..NormaliseOptions::default() }));
        bench.settle();
        let found = peak_db(&bench.samples(0));
        assert!((found - expected).abs() < 0.01, "{peak_db_wished}: {found} dBFS");
    }
}

//! The timbre of a recorded chord's lowest string, played as a scale.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use super::support::signals::{noise, tone};
use super::support::studio::{Bench, CTRL, Drawing, SHIFT};
use super::support::wav::clip;
use egui::Key;
use sonobrush::base::Progress;
use sonobrush::document::brushes::{Brush, DrawnVoice, VoicesBrush};
use sonobrush::document::{Script, Snapshot};
use sonobrush::dsp::voices::{Adsr, MeasuredTimbre, Score, ScoreNote, Timbre, VoicePool, fundamental, measure};
use sonobrush::dsp::{Axis, FftPlans, Selection, Shape};
use sonobrush::media::Source;
use sonobrush::workbench::commands::FindCommand;
use sonobrush::workbench::{DocumentAct, NewCanvas, Reply};
use std::sync::Arc;

const F0: f64 = 82.4;

/// The lowest 24 partials of a measured timbre: their levels half a second after the start.
fn levels(measured: &MeasuredTimbre) -> Vec<f32> {
    let step = (0.5 / measured.step_secs()).round() as usize;
    measured.levels_db()[..24].iter().map(|levels| levels[step]).collect()
}

#[test]
fn a_scale_in_the_timbre_of_a_recording_is_measured_as_it_was() {
    let source = Source::open(&clip("guitar_chord_44k_stereo.flac"), &Progress::new()).unwrap().source;
    let snapshot = Snapshot::new(source);
    let rate_hz = snapshot.sample_rate_hz();
    let n = 4 * rate_hz as usize;
    let mut channels = [vec![0.0f32; n], vec![0.0; n]];
    for (channel, samples) in channels.iter_mut().enumerate() {
        snapshot.read(channel, 0, samples).unwrap();
    }
    let mono: Vec<f32> = channels[0].iter().zip(&channels[1]).map(|(left, right)| (left + right) / 2.0).collect();
    let ffts = FftPlans::default();
    let measured = Arc::new(measure(&mono, rate_hz, F0, &ffts).unwrap());
    let adsr = Adsr { attack_secs: 0.0, decay_secs: 0.0, sustain: 1.0, release_secs: 0.05 };
    let timbre = Timbre { measured: Some(measured.clone()), adsr, ..Timbre::default() };
    let recorded = levels(&measured);
    let loudest = recorded.iter().copied().fold(f32::MIN, f32::max);
    for up in [0.0, 2.0, 4.0, 5.0, 7.0, 9.0, 11.0, 12.0] {
        let note = ScoreNote {
            pitch: 69.0 + 12.0 * (F0 / 440.0).log2() + up,
            start_secs: 0.0,
            duration_secs: measured.secs() - 0.05,
            velocity: 1.0,
            pan: 0.0,
            timbre: 0,
            glide: Vec::new(),
            pressure: Vec::new(),
            sides: Vec::new(),
        };
        let level_db = measured.peak_db();
        let score = Score { level_db, timbres: vec![timbre.clone()], notes: vec![note], ..Score::empty() };
        let mut pool = VoicePool::new();
        let mut stream = pool.begin(&score, rate_hz, false).unwrap();
        let mut played = vec![0.0; stream.n_samples() as usize];
        stream.render(&mut played, &mut []);
        let again = levels(&measure(&played, rate_hz, F0 * (up / 12.0).exp2(), &ffts).unwrap());
        // Neighbouring notes of the chord beat with some, which is why not all are near.
        let loud = recorded.iter().zip(&again).filter(|(level, _)| **level > loudest - 30.0);
        let mut off: Vec<f32> = loud.map(|(level, again)| (again - level).abs()).collect();
        off.sort_by(f32::total_cmp);
        println!("{up} semitones: {} partials, {} dB off", off.len(), off[off.len() / 2]);
        assert!(off.len() >= 8 && off[off.len() / 2] < 1.5, "{up} semitones: {off:?}");
    }
}

/// Takes the timbre of what is selected.
fn taken(bench: &mut Bench) -> DrawnVoice {
    bench.act(FindCommand::TakeTimbre);
    bench.settle();
    match bench.tools().brush() {
        Some(Brush::Voices(VoicesBrush::Drawn(voice))) => voice,
        other => panic!("{other:?}, {:?}", bench.notices()),
    }
}

fn cents(hz: f64, from_hz: f64) -> f64 {
    1200.0 * (hz / from_hz).log2()
}

/// A tone that begins late in a long selection, below other tones and noise, as the lowest string of a chord may.
#[test]
fn the_fundamental_of_a_band_is_found_wherever_it_sounds() {
    let rate_hz = 44_100.0;
    let n = 132_300;
    let ffts = FftPlans::default();
    for (hz, band) in [(82.37, [75.0, 95.0]), (247.9, [230.0, 270.0]), (1_234.5, [800.0, 1_600.0])] {
        for [first, end] in [[0, n], [0, 30_000], [88_200, n], [40_000, 60_000]] {
            let mut samples = noise(n, 0.02, 7);
            tone(end - first, rate_hz, hz, 0.1).iter().zip(&mut samples[first..]).for_each(|(x, out)| *out += x);
            tone(n, rate_hz, 2.1 * hz, 0.5).iter().zip(&mut samples).for_each(|(x, out)| *out += x);
            let found = fundamental(&samples, rate_hz, Some(band), &ffts).unwrap();
            assert!((found - hz).abs() < 0.05, "{hz} from {first} to {end}: {found}");
        }
    }
    // A selection that is shorter than a window.
    let short = tone(3_000, rate_hz, 440.0, 0.1);
    assert!(cents(fundamental(&short, rate_hz, Some([400.0, 500.0]), &ffts).unwrap(), 440.0).abs() < 2.0);
    // No sample, no frequency beyond the band.
    assert_eq!(fundamental(&[], rate_hz, Some([75.0, 95.0]), &ffts), None);
    for few in 1..20 {
        let found = fundamental(&short[..few], rate_hz, Some([75.0, 95.0]), &ffts).unwrap();
        assert!((75.0..=95.0).contains(&found), "{few}: {found}");
    }
}

/// The same through the window: taken from a band about the lowest string, which begins 1.4 s after the first one, and
/// painted as strokes of a scale.
#[test]
fn a_scale_is_painted_in_the_timbre_that_was_taken() {
    let mut bench = Bench::with_clip(Drawing::None, "guitar_chord_44k_stereo.flac");
    bench.key(SHIFT, Key::M);
    // The fundamental of selected harmonics is theirs.
    let (count, width_hz, feather, axis) = (24, 10.0, [0.0; 2], Axis::Linear);
    let harmonics = Shape::Harmonics { f0_hz: F0, count, width_hz, secs: Some([0.0, 4.0]), feather, axis };
    bench.select_shape(Selection::of(harmonics));
    bench.settle();
    let of_harmonics = taken(&mut bench).timbre.measured.clone().unwrap().f0_hz();
    assert!((of_harmonics - F0).abs() < 1e-9, "{of_harmonics} Hz");
    bench.select(Some([0.0, 4.0]), Some([75.0, 95.0]));
    let voice = taken(&mut bench);
    let measured = voice.timbre.measured.clone().unwrap();
    assert!(cents(measured.f0_hz(), F0).abs() < 5.0, "{} Hz", measured.f0_hz());
    let recorded = levels(&measured);
    let loudest = recorded.iter().copied().fold(f32::MIN, f32::max);
    let rate_hz = 44_100.0;
    let canvas = NewCanvas { secs: 6.0, rate_hz: rate_hz as u32, n_channels: 1 };
    bench.act(Reply::New { canvas, has_picture: false });
    bench.settle();
    let ffts = FftPlans::default();
    // A stroke ends with the recording.
    let length_secs = measured.secs() - voice.timbre.adsr.release_secs;
    for up in [0.0f64, 2.0, 4.0, 5.0, 7.0, 9.0, 11.0, 12.0] {
        let hz = measured.f0_hz() * (up / 12.0).exp2();
        let script = format!(
            r#"{{"version": 1, "edits": [{{"brush": {}, "stroke":
                {{"points": [[0.5, {hz}, 1], [{}, {hz}, 1]], "axis": "log", "radius": [0.01, 0.1]}}}}]}}"#,
            Brush::from(VoicesBrush::Drawn(voice.clone())).to_json(),
            0.5 + length_secs
        );
        bench.act(DocumentAct::Edit(Box::new(Script::parse(&script).unwrap().edits.remove(0))));
        bench.settle();
        let samples = bench.samples(0);
        let first = samples.iter().position(|sample| *sample != 0.0).unwrap();
        assert!((first as f64 / rate_hz - 0.5).abs() < 0.003, "begins at {} s", first as f64 / rate_hz);
        let played = &samples[first..first + (measured.secs() * rate_hz) as usize];
        let again = levels(&measure(played, rate_hz, hz, &ffts).unwrap());
        let loud = recorded.iter().zip(&again).filter(|(level, _)| **level > loudest - 30.0);
        let mut off: Vec<f32> = loud.map(|(level, again)| (again - level).abs()).collect();
        off.sort_by(f32::total_cmp);
        println!("painted {up} semitones up: {} partials, {} dB off", off.len(), off[off.len() / 2]);
        assert!(off.len() >= 8 && off[off.len() / 2] < 1.5, "{up} semitones: {off:?}");
        bench.key(CTRL, Key::Z);
    }
}

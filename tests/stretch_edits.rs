//! Pitch shift, time stretch and resampling, as edits, scripts and commands.

use crate::hearing::{left, listen, play};
use crate::support::heard::tail;
use crate::support::measure::{changed, strongest_tone};
use crate::support::signals::{busy, tone};
use crate::support::studio::{Bench, CTRL, Drawing, NONE, bits, samples};
use egui::Key;
use sonobrush::base::{ErrorKind, Progress};
use sonobrush::document::brushes::{Brush, Follows, PitchShift, TimeStretch};
use sonobrush::document::{Applied, Edit, MAX_CLIP_SAMPLES, Script, Snapshot, apply};
use sonobrush::dsp::warps::peak_locking::LockedPeaks;
use sonobrush::dsp::{Axis, Selection, StftParams};
use sonobrush::engine::Engine;
use sonobrush::media::Source;
use sonobrush::workbench::commands::{EditCommand, FileCommand};
use sonobrush::workbench::{Act, DocumentAct, OpenDocument, Reply, Severity, StretchOptions, describe};

const RATE: f64 = 16_000.0;

fn sound(channels: Vec<Vec<f32>>) -> Snapshot {
    Snapshot::new(Source::from_channels(channels, RATE as u32).unwrap())
}

fn edit(brush: impl Into<Brush>, select: Option<Selection>) -> Edit {
    Edit { select, ..Edit::of(brush, StftParams::default()) }
}

fn range(secs: [f64; 2]) -> Option<Selection> {
    Some(Selection::rectangle(Some(secs), None, [0.0; 2], Axis::Linear))
}

fn run(sound: &Snapshot, edit: &Edit) -> Applied {
    apply(sound, edit, &Engine::cpu(), &Progress::new()).unwrap()
}

/// 500 Hz for four seconds, in stereo: half as loud to the right.
fn stretch(percent: f64) -> TimeStretch {
    TimeStretch { percent, keeps_original: false, follows: Follows::Overlap, peaks: LockedPeaks::Narrow }
}

fn low() -> Snapshot {
    let left = tone(64_000, RATE, 500.0, 0.4);
    let right = left.iter().map(|x| 0.5 * x).collect();
    sound(vec![left, right])
}

fn found(x: &[f32], secs: [f64; 2]) -> [f64; 2] {
    let [from, to] = secs.map(|secs| (secs * RATE) as usize);
    let tone = strongest_tone(&x[from..to], RATE, 200.0, 2000.0);
    [tone.hz, tone.level]
}

fn cents(hz: f64, of: f64) -> f64 {
    (1200.0 * (hz / of).log2()).abs()
}

#[test]
fn a_range_is_shifted_in_place_and_keeps_its_length() {
    let before = low();
    for semitones in [-12.0, -3.0, 7.0, 12.0] {
        let applied = run(&before, &edit(PitchShift::by(semitones), range([1.0, 3.0])));
        let after = [samples(&applied.snapshot, 0), samples(&applied.snapshot, 1)];
        let wanted = 500.0 * (semitones / 12.0_f64).exp2();
        let [hz, level] = found(&after[0], [1.3, 2.7]);
        assert!(cents(hz, wanted) < 2.0 && (20.0 * (level / 0.4).log10()).abs() < 0.5, "{semitones}: {hz} Hz, {level}");
        let [_, right] = found(&after[1], [1.3, 2.7]);
        assert!((right / level - 0.5).abs() < 1e-3, "the image stays");
        let touched = changed(&samples(&before, 0), &after[0]);
        assert!(touched[0] >= 16_000 && touched[touched.len() - 1] < 48_000, "no sample outside");
        assert_eq!(applied.report.past_end_secs, None);
        let steps = |x: &[f32]| x.windows(2).map(|x| (x[1] - x[0]).abs()).fold(0.0, f32::max);
        assert!(steps(&after[0]) < 0.4, "no click at the edges");
    }
    let kept = run(&before, &edit(PitchShift::by(0.0), range([1.0, 3.0])));
    assert!(kept.snapshot.is_same(&before), "by nothing nothing is changed");
}

#[test]
fn a_box_is_shifted_without_what_lies_beside_it() {
    let high = tone(64_000, RATE, 3000.0, 0.2);
    let mix = tone(64_000, RATE, 500.0, 0.4).iter().zip(&high).map(|(a, b)| a + b).collect();
    let before = sound(vec![mix]);
    let select = Selection::rectangle(Some([1.0, 3.0]), Some([300.0, 900.0]), [0.01, 50.0], Axis::Linear);
    let after = samples(&run(&before, &edit(PitchShift::by(5.0), Some(select))).snapshot, 0);
    let [hz, level] = found(&after, [1.3, 2.7]);
    assert!(cents(hz, 500.0 * (5.0 / 12.0_f64).exp2()) < 2.0 && (level - 0.4).abs() < 0.02, "{hz} {level}");
    let kept = strongest_tone(&after[20_800..43_200], RATE, 2800.0, 3200.0);
    assert!(cents(kept.hz, 3000.0) < 0.1 && (kept.level - 0.2).abs() < 1e-3, "{kept:?}");
}

#[test]
fn a_range_is_stretched_over_what_follows() {
    let mut x = tone(64_000, RATE, 500.0, 0.4);
    x[16_000..].iter_mut().for_each(|x| *x = 0.0);
    let before = sound(vec![x.clone()]);
    for percent in [50.0, 150.0, 200.0] {
        let applied = run(&before, &edit(stretch(percent), range([0.0, 1.0])));
        let after = samples(&applied.snapshot, 0);
        let end = (16_000.0 * percent / 100.0) as usize;
        let [hz, level] = found(&after, [0.1, percent / 100.0 - 0.1]);
        assert!(cents(hz, 500.0) < 2.0 && (20.0 * (level / 0.4).log10()).abs() < 0.5, "{percent}: {hz} Hz, {level}");
        assert!(after[end..].iter().all(|x| *x == 0.0), "exactly as long");
        assert!(after[end - 800..end - 100].iter().any(|x| x.abs() > 0.2), "to its end");
    }
    let kept = run(&before, &edit(stretch(100.0), range([0.2, 1.0])));
    assert!(kept.snapshot.is_same(&before), "to 100 % nothing is changed");
    // The following sound stays beneath it, and a tail past the end is reported.
    let all = busy(64_000, RATE, 3);
    let applied = run(&sound(vec![all.clone()]), &edit(stretch(200.0), range([2.0, 3.5])));
    assert!((applied.report.past_end_secs.unwrap() - 1.0).abs() < 1e-6);
    let after = samples(&applied.snapshot, 0);
    assert_eq!(bits(&after[..32_000]), bits(&all[..32_000]));
    let rest: f32 = (57_000..63_000).map(|k| (after[k] - all[k]) * all[k]).sum();
    let power: f32 = (57_000..63_000).map(|k| all[k] * all[k]).sum();
    assert!(rest.abs() < 0.3 * power, "added, not put in place of it");
}

#[test]
fn a_stretch_may_keep_its_original_beneath_it() {
    let all = busy(64_000, RATE, 4);
    let before = sound(vec![all.clone()]);
    for percent in [60.0, 150.0] {
        let applied = run(&before, &edit(TimeStretch { keeps_original: true, ..stretch(percent) }, range([1.0, 2.0])));
        let replaced = run(&before, &edit(stretch(percent), range([1.0, 2.0])));
        let [kept, replaced] = [&applied, &replaced].map(|applied| samples(&applied.snapshot, 0));
        let end = (16_000.0 + 16_000.0 * percent / 100.0) as usize;
        // Away from the edges it is the same result, once over the original and once in its place.
        for at in 16_100..end.min(32_000) - 100 {
            assert!((kept[at] - all[at] - replaced[at]).abs() < 1e-6, "{percent}: {at}");
        }
        assert!(bits(&kept[..16_000]) == bits(&all[..16_000]) && bits(&kept[end..]) == bits(&all[end..]));
        assert!((kept[16_000] - all[16_000]).abs() < 1e-3, "it begins with a fade");
        assert!(bits(&kept[20_000..24_000]) != bits(&all[20_000..24_000]), "the control: it is there");
    }
}

#[test]
fn edits_of_many_pieces_are_those_of_one() {
    // Six pieces of 131,072 samples: no seam, as each goes on with the phases of the one before.
    let before = sound(vec![tone(700_000, RATE, 440.0, 0.3)]);
    let shifted = samples(&run(&before, &edit(PitchShift::by(4.0), None)).snapshot, 0);
    let wanted = 440.0 * (4.0 / 12.0_f64).exp2();
    for seam in (1..6).map(|piece| piece * 131_072) {
        let [hz, level] = found(&shifted[seam - 8000..seam + 8000], [0.0, 1.0]);
        assert!(cents(hz, wanted) < 0.1 && (level - 0.3).abs() < 1e-3, "at {seam}: {hz} {level}");
        let step = shifted[seam - 200..seam + 200].windows(3).map(|x| (x[0] - 2.0 * x[1] + x[2]).abs());
        assert!(step.fold(0.0, f32::max) < 0.3 * (std::f32::consts::TAU * wanted as f32 / RATE as f32).powi(2) * 1.05);
    }
}

#[test]
fn a_long_edit_is_cancelled() {
    let progress = Progress::new();
    progress.cancel();
    let refused = apply(&low(), &edit(PitchShift::by(4.0), None), &Engine::cpu(), &progress);
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Cancelled);
}

#[test]
fn scripts_have_them_and_refuse_what_they_are_not() {
    let text =
        |brush: &str| format!(r#"{{"version": 1, "edits": [{{"brush": {brush}, "select": {{"time": [0.5, 1.0]}}}}]}}"#);
    let brushes: [(&str, Brush); 5] = [
        (
            r#"{"kind": "pitch_shift", "semitones": -3.5}"#,
            PitchShift { semitones: -3.5, peaks: LockedPeaks::Wide }.into(),
        ),
        (r#"{"kind": "stretch", "percent": 150}"#, TimeStretch { peaks: LockedPeaks::Wide, ..stretch(150.0) }.into()),
        (r#"{"kind": "stretch", "percent": 150, "peaks": "narrow"}"#, stretch(150.0).into()),
        (r#"{"kind": "pitch_shift", "semitones": 3, "peaks": "narrow"}"#, PitchShift::by(3.0).into()),
        (
            r#"{"kind": "stretch", "percent": 150, "keeps_original": true}"#,
            TimeStretch { keeps_original: true, peaks: LockedPeaks::Wide, ..stretch(150.0) }.into(),
        ),
    ];
    for (json, brush) in brushes {
        let script = Script::parse(&text(json)).unwrap();
        assert_eq!(script.edits[0].brush, brush);
        assert_eq!(Script::parse(&script.to_json()).unwrap().edits, script.edits, "and back");
    }
    for wrong in [
        r#"{"kind": "pitch_shift"}"#,
        r#"{"kind": "pitch_shift", "semitones": 12.5}"#,
        r#"{"kind": "stretch", "percent": 49}"#,
        r#"{"kind": "stretch", "percent": 201}"#,
        r#"{"kind": "stretch"}"#,
        r#"{"kind": "stretch", "percent": 150, "peaks": "sharp"}"#,
    ] {
        assert_eq!(Script::parse(&text(wrong)).unwrap_err().kind(), ErrorKind::Script, "{wrong}");
    }
}

fn document(bench: &Bench) -> &OpenDocument {
    bench.studio().document().unwrap()
}

fn bench_with(sound: Snapshot) -> Bench {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.show(sound);
    bench
}

#[test]
fn the_selection_is_shifted_by_a_card() {
    let mut bench = bench_with(low());
    let original = bench.samples(0);
    bench.act(EditCommand::PitchShift);
    bench.settle();
    assert!(!bench.has("Shift"), "nothing is selected");
    bench.act(Reply::PitchShift(3.0));
    bench.settle();
    assert!(bench.notices().iter().any(|(_, what)| what.contains("Nothing is selected")), "{:?}", bench.notices());
    assert_eq!(document(&bench).history().position(), 0);
    bench.select(Some([1.0, 3.0]), None);
    bench.act(EditCommand::PitchShift);
    bench.settle();
    assert!(bench.has("Shift") && bench.has("Pitch shift"));
    bench.key(NONE, Key::Escape);
    assert!(!bench.has("Shift"));
    // The field has the keyboard at once, and Enter is all that it takes then.
    bench.act(EditCommand::PitchShift);
    bench.settle();
    bench.harness.event(egui::Event::Text("7".into()));
    bench.harness.step();
    bench.key(NONE, Key::Enter);
    bench.settle();
    assert!(bench.has("Step 1: Pitch shift by 7.00 semitones, selection"));
    let [hz, _] = found(&bench.samples(0), [1.3, 2.7]);
    assert!(cents(hz, 500.0 * (7.0 / 12.0_f64).exp2()) < 2.0, "{hz}");
    bench.key(CTRL, Key::Z);
    assert_eq!(bits(&bench.samples(0)), bits(&original));
}

#[test]
fn what_is_stretched_floats_and_is_placed() {
    let mut x = tone(64_000, RATE, 500.0, 0.4);
    x[..8_000].iter_mut().for_each(|x| *x = 0.0);
    x[24_000..].iter_mut().for_each(|x| *x = 0.0);
    let mut bench = bench_with(sound(vec![x.clone()]));
    bench.select(Some([0.5, 1.5]), None);
    bench.act(EditCommand::TimeStretch);
    bench.settle();
    assert!(bench.has("Time stretch") && bench.has("Erase the original"));
    bench.key(NONE, Key::Escape);
    bench.act(Reply::Stretch(StretchOptions { percent: 150.0, replaces: true, selected_secs: 1.0 }));
    bench.settle();
    let floating = document(&bench).floating().expect("it floats");
    assert_eq!(floating.selection().extent()[0], Some([0.5, 2.0]));
    assert!(floating.words().ends_with("Overlaps the next 0.50 s"), "{}", floating.words());
    assert!(seen(&bench)[10_000..22_000].iter().all(|x| x.abs() < 1e-3), "the original is gone");
    assert_eq!(bits(&bench.samples(0)), bits(&x), "and in the sound still");
    bench.key(CTRL, Key::Enter);
    bench.settle();
    let after = bench.samples(0);
    let [hz, level] = found(&after, [0.6, 1.9]);
    assert!(cents(hz, 500.0) < 2.0 && (level - 0.4).abs() < 0.02, "{hz} {level}");
    let kinds: Vec<&str> = document(&bench)
        .history()
        .entries()
        .iter()
        .filter_map(|entry| Some(entry.edit.as_ref()?.brush.kind()))
        .collect();
    assert_eq!(kinds, ["paste"], "one step");
    let edit = document(&bench).history().entries()[1].edit.clone().unwrap();
    assert_eq!(describe(&edit), "Time stretch to 150.00 %, at 0:00.500");
    // A script holds it, with what makes room for it.
    let script = Script::from(vec![edit.clone()]);
    assert_eq!(Script::parse(&script.to_json()).unwrap().edits, [edit]);
    // What is in the history is what its edits give.
    for pair in document(&bench).history().entries().windows(2) {
        let again = run(&pair[0].snapshot, pair[1].edit.as_ref().unwrap());
        assert_eq!(bits(&samples(&again.snapshot, 0)), bits(&samples(&pair[1].snapshot, 0)));
    }
    bench.key(CTRL, Key::Z);
    assert_eq!(bits(&bench.samples(0)), bits(&x), "undone at once");
    // The original stays where that is wished; what is discarded leaves no trace.
    bench.act(Reply::Stretch(StretchOptions { percent: 80.0, replaces: false, selected_secs: 1.0 }));
    bench.settle();
    assert!(document(&bench).floating().is_some());
    bench.key(NONE, Key::Escape);
    bench.settle();
    assert!(document(&bench).floating().is_none());
    assert_eq!(bits(&bench.samples(0)), bits(&x));
}

/// The sound below what floats.
fn seen(bench: &Bench) -> Vec<f32> {
    samples(document(bench).shown(), 0)
}

/// The selection is stretched in its place, and floats.
fn stretch_in_place(bench: &mut Bench, percent: f64) {
    bench.act(Reply::Stretch(StretchOptions { percent, replaces: true, selected_secs: 1.0 }));
    bench.settle();
    assert!(document(bench).floating().is_some(), "{:?}", bench.notices());
}

#[test]
fn what_is_stretched_and_dropped_leaves_every_bit_and_no_step() {
    let x = busy(64_000, RATE, 3);
    for (modifiers, key) in [(NONE, Key::Escape), (NONE, Key::Delete), (CTRL, Key::Z)] {
        let mut bench = bench_with(sound(vec![x.clone()]));
        bench.select(Some([1.0, 2.0]), None);
        stretch_in_place(&mut bench, 150.0);
        bench.act(DocumentAct::Float([1.25, 0.0]));
        bench.settle();
        // Its old place is silent; its new place has it on top of the sound there.
        let pictured = samples(document(&bench).pictured(), 0);
        assert!(pictured[18_000..30_000].iter().all(|x| x.abs() < 1e-3), "{key:?}");
        assert!(bits(&pictured[40_000..56_000]) != bits(&x[40_000..56_000]), "{key:?}");
        assert_eq!((document(&bench).history().entries().len(), document(&bench).has_unsaved_edits()), (1, false));
        bench.key(modifiers, key);
        assert!(document(&bench).floating().is_none(), "{key:?}");
        assert_eq!(document(&bench).history().entries().len(), 1, "{key:?}");
        for sound in [document(&bench).shown(), document(&bench).pictured(), document(&bench).history().current()] {
            assert_eq!(bits(&samples(sound, 0)), bits(&x), "{key:?}");
        }
    }
}

#[test]
fn what_floats_in_the_place_of_its_original_follows_the_history_below() {
    let mut bench = bench_with(sound(vec![busy(64_000, RATE, 3)]));
    bench.select(Some([3.0, 3.5]), None);
    bench.key(NONE, Key::Delete);
    bench.key(CTRL, Key::Z);
    bench.select(Some([1.0, 2.0]), None);
    stretch_in_place(&mut bench, 80.0);
    let is_silent =
        |bench: &Bench, samples: std::ops::Range<usize>| seen(bench)[samples].iter().all(|x| x.abs() < 1e-3);
    assert!(is_silent(&bench, 18_000..30_000) && !is_silent(&bench, 50_000..54_000));
    bench.key(CTRL, Key::Y);
    assert_eq!(document(&bench).history().position(), 1);
    assert!(is_silent(&bench, 18_000..30_000) && is_silent(&bench, 50_000..54_000));
    bench.key(CTRL, Key::Enter);
    let edits = document(&bench).history().entries()[1..].iter().map(|entry| entry.edit.clone().unwrap());
    let kinds: Vec<&str> = edits.map(|edit| edit.brush.kind()).collect();
    assert_eq!(kinds, ["erase", "paste"]);
    assert!(bench.samples(0)[30_000..30_800].iter().all(|x| x.abs() < 1e-3), "behind the shorter one");
}

#[test]
fn the_original_of_what_floats_is_not_heard_until_that_is_dropped() {
    let rate = 48_000;
    let x = tone(48_000, f64::from(rate), 1_000.0, 0.5);
    let mut bench = bench_with(Snapshot::new(Source::from_channels(vec![x], rate).unwrap()));
    bench.select(Some([0.25, 0.75]), None);
    bench.key(CTRL, Key::L);
    stretch_in_place(&mut bench, 50.0);
    let n_looped = 24_000;
    let n_silent = |bench: &Bench| tail(&left(bench), n_looped).iter().filter(|x| x.abs() < 1e-3).count();
    play(&mut bench);
    listen(&mut bench, n_looped + 8_192, true);
    let heard = n_silent(&bench);
    assert!((n_looped / 4..n_looped * 2 / 3).contains(&heard), "half of the loop is silent: {heard}");
    bench.harness.key_press(Key::Escape);
    listen(&mut bench, n_looped + 8_192, true);
    // A sine of 48 samples has two that are 0.
    let heard = n_silent(&bench);
    assert!(heard <= n_looped / 24 + 16, "{heard}");
}

/// Orders a time stretch of a range that is kept beneath the result; nothing is computed yet.
fn order_stretch(bench: &mut Bench, secs: [f64; 2], percent: f64) {
    bench.select_shape(Selection::rectangle(Some(secs), None, [0.0; 2], Axis::Linear));
    bench.act(Reply::Stretch(StretchOptions { percent, replaces: false, selected_secs: 0.0 }));
    // The figures of so long a selection would take long.
    bench.act(DocumentAct::Select(None));
}

#[test]
fn what_is_too_long_to_float_is_stretched_in_place() {
    // In stereo a little over what a clip may hold: silence with a tone in it.
    let n = MAX_CLIP_SAMPLES / 2 + 16_000;
    let secs = n as f64 / RATE;
    let heard = tone(16_000, RATE, 500.0, 0.4);
    let silence = Snapshot::new(Source::silence(n, RATE as u32, 2).unwrap());
    let mut bench = bench_with(silence.with_samples(0, 16_000, &heard).unwrap());
    let is_reported = |bench: &Bench| bench.notices().iter().any(|(_, what)| what.contains("too long to float"));
    // What counts is the longer of before and after. Half of it to 150 % is short enough, and nothing is edited.
    order_stretch(&mut bench, [0.0, secs / 2.0], 150.0);
    assert!(!is_reported(&bench) && !document(&bench).edits().is_busy());
    bench.act(Act::Cancel);
    // To 200 % it is too long; taken back on its way, it leaves nothing.
    order_stretch(&mut bench, [0.0, secs / 2.0], 200.0);
    assert!(is_reported(&bench) && document(&bench).edits().is_busy() && document(&bench).floating().is_none());
    bench.act(EditCommand::Undo);
    bench.settle();
    assert_eq!(document(&bench).history().entries().len(), 1);
    // All of it is too long as it is. As long as before, it is there once more.
    order_stretch(&mut bench, [0.0, secs], 100.0);
    bench.settle();
    assert!(document(&bench).floating().is_none());
    let history = document(&bench).history();
    let edit = history.entries()[1].edit.clone().unwrap();
    assert_eq!(edit.brush, Brush::from(TimeStretch { keeps_original: true, ..stretch(100.0) }));
    let mut after = vec![0.0; 48_000];
    history.current().read(0, 0, &mut after).unwrap();
    let doubled: Vec<f32> = heard.iter().map(|x| 2.0 * x).collect();
    assert!(bits(&after[16_000..32_000]) == bits(&doubled), "the original and the result");
    assert!(after[..16_000].iter().chain(&after[32_000..]).all(|x| *x == 0.0));
}

#[test]
fn what_is_outside_the_limits_is_held_to_them() {
    for n in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e300, 0.0, 1e300] {
        let mut bench = bench_with(low());
        bench.select(Some([1.0, 1.5]), None);
        bench.act(Reply::PitchShift(n));
        bench.settle();
        let last = document(&bench).history().entries().last().and_then(|entry| entry.edit.clone());
        match last.map(|edit| edit.brush) {
            Some(Brush::PitchShift(PitchShift { semitones, .. })) => {
                assert!(semitones.abs() == 12.0, "{n}: {semitones}")
            }
            _ => assert!(!n.is_finite() || n == 0.0, "{n}"),
        }
        bench.act(Reply::Stretch(StretchOptions { percent: n, replaces: false, selected_secs: f64::NAN }));
        bench.settle();
        if let Some(floating) = document(&bench).floating() {
            let [start, end] = floating.selection().extent()[0].unwrap();
            assert!(n.is_finite() && (0.24..=1.01).contains(&(end - start)), "{n}");
        }
        bench.act(Reply::Resample(0));
        bench.settle();
    }
}

#[test]
fn a_sound_is_resampled_to_a_new_document() {
    let mut bench = bench_with(low());
    bench.act(Reply::Resample(16_000));
    bench.settle();
    let (severity, what) = bench.notices().pop().unwrap();
    assert!(severity == Severity::Info && what.contains("already at 16 kHz"), "{what}");
    bench.act(FileCommand::Resample);
    bench.settle();
    assert!(bench.has("Resample to a new document"));
    bench.key(NONE, Key::Escape);
    let original = document(&bench).id();
    bench.act(Reply::Resample(44_100));
    bench.settle();
    assert_ne!(document(&bench).id(), original);
    let sound = document(&bench).history().current().clone();
    assert_eq!((sound.sample_rate_hz(), sound.n_samples(), sound.n_channels()), (44_100.0, 176_400, 2));
    let [left, right] = [0, 1].map(|channel| samples(&sound, channel));
    let wanted = tone(176_400, 44_100.0, 500.0, 0.4);
    let off = |x: &[f32], gain: f32| (1000..175_000).map(|k| (x[k] - gain * wanted[k]).abs()).fold(0.0, f32::max);
    assert!(off(&left, 1.0) < 1e-3 && off(&right, 0.5) < 1e-3, "in place: {} {}", off(&left, 1.0), off(&right, 0.5));
    assert!(off(&left[1..], 1.0) > 0.02, "the measure tells a sample");
}

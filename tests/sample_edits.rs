//! Edits that work on samples: fades, normalise, reverse, DC removal; over a range of time, a box, mid, the whole file.

use crate::support::measure::{band_power, changed};
use crate::support::signals::{noise, tone};
use crate::support::studio::{Bench, CTRL, Drawing, NONE, bits, open, samples};
use egui::Key;
use egui_kittest::kittest::Queryable;
use sonobrush::base::{ErrorKind, Progress};
use sonobrush::document::brushes::{Brush, Fade, Normalise, RemoveDc, Reverse};
use sonobrush::document::{Channels, Edit, Script, Snapshot, apply, selected_times};
use sonobrush::dsp::{Axis, Combine, Selection, StftParams};
use sonobrush::engine::Engine;
use sonobrush::media::Source;
use sonobrush::workbench::commands::{EditCommand, Process};
use sonobrush::workbench::{ChannelView, Picked};
use std::time::{Duration, Instant};

const RATE: f64 = 16_000.0;

fn sound(channels: Vec<Vec<f32>>) -> Snapshot {
    Snapshot::new(Source::from_channels(channels, RATE as u32).unwrap())
}

fn edit(brush: impl Into<Brush>, select: Option<Selection>) -> Edit {
    Edit { select, ..Edit::of(brush, StftParams::default()) }
}

fn range(secs: [f64; 2]) -> Option<Selection> {
    // As soft as the pointer selects: samples have hard edges all the same.
    Some(Selection::rectangle(Some(secs), None, [0.008, 30.0], Axis::Linear))
}

fn applied(sound: &Snapshot, edit: &Edit) -> Snapshot {
    apply(sound, edit, &Engine::cpu(), &Progress::new()).unwrap().snapshot
}

/// Twenty seconds, several pieces long.
fn long() -> Vec<f32> {
    noise(320_000, 0.2, 7)
}

#[test]
fn a_fade_in_and_a_fade_out_add_up_to_the_sound() {
    let x = long();
    let snapshot = sound(vec![x.clone()]);
    let run = |out| samples(&applied(&snapshot, &edit(Fade { out }, range([0.5, 18.0]))), 0);
    let (rising, falling) = (run(false), run(true));
    let span = 8_000..288_000;
    for k in span.clone() {
        assert!((rising[k] + falling[k] - x[k]).abs() < 1e-6, "{k}: {} {} {}", rising[k], falling[k], x[k]);
    }
    for faded in [&rising, &falling] {
        let touched = changed(&x, faded);
        assert!(touched.iter().all(|k| span.contains(k)), "no sample outside");
        assert!(touched.len() > 250_000);
    }
    assert!(rising[8_000].abs() < 1e-8 && falling[287_999].abs() < 1e-8, "from silence, to silence");
    let gain = |k: usize| f64::from(rising[k] / x[k]);
    let k = (span.start..).find(|&k| k >= 148_000 && x[k].abs() > 0.01).unwrap();
    assert!((gain(k) - 0.5).abs() < 1e-3, "half way up in the middle: {}", gain(k));
}

#[test]
fn reversing_twice_restores_the_bits() {
    let x = long();
    let snapshot = sound(vec![x.clone()]);
    for select in [None, range([1.0, 1.5]), range([0.25, 17.3])] {
        let span = if let Some([secs, _]) = select.as_ref().map(Selection::extent) {
            secs.unwrap().map(|secs| (secs * RATE).round() as usize)
        } else {
            [0, x.len()]
        };
        let once = applied(&snapshot, &edit(Reverse, select.clone()));
        let mut wanted = x.clone();
        wanted[span[0]..span[1]].reverse();
        assert_eq!(bits(&samples(&once, 0)), bits(&wanted), "{select:?}");
        let twice = applied(&once, &edit(Reverse, select));
        assert_eq!(bits(&samples(&twice, 0)), bits(&x));
    }
}

/// As in a mask, which starts from nothing.
#[test]
fn only_an_added_shape_begins_a_selection() {
    let x = long();
    let snapshot = sound(vec![x.clone()]);
    let added = range([1.0, 1.5]).unwrap();
    let begun_by = |combine| Selection { shapes: vec![(combine, added.shapes[0].1.clone())] };
    let reversed = |select| apply(&snapshot, &edit(Reverse, Some(select)), &Engine::cpu(), &Progress::new());
    for combine in [Combine::Subtract, Combine::Intersect] {
        assert_eq!(selected_times(&begun_by(combine)), [[0.0; 2]; 0], "{combine:?}");
        match reversed(begun_by(combine)) {
            Ok(after) => assert_eq!(bits(&samples(&after.snapshot, 0)), bits(&x), "{combine:?}"),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Script, "{combine:?}"),
        }
    }
    assert_eq!(selected_times(&begun_by(Combine::Add)), [[1.0, 1.5]]);
    assert_ne!(bits(&samples(&reversed(begun_by(Combine::Add)).unwrap().snapshot, 0)), bits(&x));
}

#[test]
fn normalise_is_one_gain_to_the_peak() {
    let (left, right) = (noise(40_000, 0.02, 1), noise(40_000, 0.005, 2));
    let snapshot = sound(vec![left.clone(), right.clone()]);
    let after = applied(&snapshot, &edit(Normalise::to_peak(-3.0), None));
    let peak = |x: &[f32]| x.iter().fold(0.0f32, |peak, x| peak.max(x.abs()));
    let (new_left, new_right) = (samples(&after, 0), samples(&after, 1));
    assert!((20.0 * f64::from(peak(&new_left)).log10() + 3.0).abs() < 1e-4);
    let gain = peak(&new_left) / peak(&left);
    let is_gained = |new: &[f32], old: &[f32]| new.iter().zip(old).all(|(new, old)| (new - old * gain).abs() < 1e-6);
    assert!(is_gained(&new_left, &left) && is_gained(&new_right, &right), "both channels alike");
    assert!(!is_gained(&right, &right), "the check can fail");
    // Only the range counts, and is changed.
    let part = applied(&snapshot, &edit(Normalise::to_peak(-6.0), range([0.5, 1.0])));
    assert!((20.0 * f64::from(peak(&samples(&part, 0)[8_000..16_000])).log10() + 6.0).abs() < 1e-4);
    assert_eq!(bits(&samples(&part, 0)[16_000..]), bits(&left[16_000..]));

    let silence = sound(vec![vec![0.0; 20_000]]);
    let refused = apply(&silence, &edit(Normalise::to_peak(-1.0), None), &Engine::cpu(), &Progress::new());
    let error = refused.unwrap_err();
    assert!(error.kind() == ErrorKind::Script && error.message().contains("silence"), "{error}");
}

#[test]
fn the_mean_is_taken_off_each_channel() {
    let offset = |x: &[f32], dc: f32| x.iter().map(|x| x + dc).collect::<Vec<f32>>();
    let (left, right) = (noise(200_000, 0.1, 3), noise(200_000, 0.1, 4));
    let snapshot = sound(vec![offset(&left, 0.05), offset(&right, -0.2)]);
    let after = applied(&snapshot, &edit(RemoveDc, None));
    for (channel, was) in [&left, &right].into_iter().enumerate() {
        let is = samples(&after, channel);
        let mean = |x: &[f32]| x.iter().map(|x| f64::from(*x)).sum::<f64>() / x.len() as f64;
        assert!(mean(&is).abs() < 1e-7, "{}", mean(&is));
        let dc = mean(was);
        assert!(is.iter().zip(was).all(|(is, was)| (f64::from(is - was) + dc).abs() < 1e-6), "all else stays");
    }
    // Done again it changes nothing worth a step.
    let again = applied(&after, &edit(RemoveDc, None));
    assert!(samples(&again, 0).iter().zip(samples(&after, 0)).all(|(a, b)| (a - b).abs() < 1e-7));
}

#[test]
fn a_box_takes_only_its_band_along() {
    let n = 64_000;
    let low = tone(n, RATE, 500.0, 0.2);
    // A high tone that decays: backwards it rises.
    let high: Vec<f32> =
        tone(n, RATE, 4000.0, 0.2).iter().enumerate().map(|(k, x)| x * (-(k as f32) / 16_000.0).exp()).collect();
    let snapshot = sound(vec![low.iter().zip(&high).map(|(a, b)| a + b).collect()]);
    let select = Selection::rectangle(Some([1.0, 3.0]), Some([3000.0, 5000.0]), [0.01, 100.0], Axis::Linear);
    let after = samples(&applied(&snapshot, &edit(Reverse, Some(select))), 0);
    let level =
        |x: &[f32], at: usize, hz: f64| 10.0 * band_power(&x[at..at + 4096], RATE, hz - 200.0, hz + 200.0).log10();
    let before = samples(&snapshot, 0);
    for at in [18_000, 30_000, 42_000] {
        let off = level(&after, at, 500.0) - level(&before, at, 500.0);
        assert!(off.abs() < 0.01, "the low tone stays: {off} dB at {at}");
        let wanted = level(&before, 64_000 - at - 4096, 4000.0);
        let found = level(&after, at, 4000.0);
        assert!((found - wanted).abs() < 0.3, "{found} dB at {at}, not {wanted}");
    }
    assert!(level(&after, 42_000, 4000.0) > level(&before, 42_000, 4000.0) + 3.0, "the check can fail");
    assert_eq!(bits(&after[..12_000]), bits(&before[..12_000]));
}

#[test]
fn mid_is_edited_alone() {
    let (left, right) = (noise(40_000, 0.1, 5), noise(40_000, 0.1, 6));
    let snapshot = sound(vec![left.clone(), right.clone()]);
    let mid = Edit { channels: Channels::Mid, ..edit(Reverse, range([0.5, 1.5])) };
    let after = applied(&snapshot, &mid);
    let (new_left, new_right) = (samples(&after, 0), samples(&after, 1));
    for k in 8_000..24_000 {
        let side = |l: &[f32], r: &[f32]| (l[k] - r[k]) / 2.0;
        assert!((side(&new_left, &new_right) - side(&left, &right)).abs() < 1e-6, "side stays at {k}");
        let mirror = 8_000 + 24_000 - 1 - k;
        let wanted = (left[mirror] + right[mirror]) / 2.0;
        assert!(((new_left[k] + new_right[k]) / 2.0 - wanted).abs() < 1e-6, "mid is reversed at {k}");
    }
}

#[test]
fn scripts_have_them_and_refuse_what_they_are_not() {
    let text =
        |brush: &str| format!(r#"{{"version": 1, "edits": [{{"brush": {brush}, "select": {{"time": [0.5, 1.0]}}}}]}}"#);
    let brushes: [(&str, Brush); 6] = [
        (r#"{"kind": "fade", "out": true}"#, Fade { out: true }.into()),
        (r#"{"kind": "normalise"}"#, Normalise::to_peak(-1.0).into()),
        (r#"{"kind": "normalise", "peak_db": -6.5}"#, Normalise::to_peak(-6.5).into()),
        (r#"{"kind": "normalise", "loudness_lufs": -16}"#, Normalise::to_loudness(-16.0).into()),
        (r#"{"kind": "reverse"}"#, Reverse.into()),
        (r#"{"kind": "remove_dc"}"#, RemoveDc.into()),
    ];
    for (json, brush) in brushes {
        let script = Script::parse(&text(json)).unwrap();
        assert_eq!(script.edits[0].brush, brush);
        assert_eq!(Script::parse(&script.to_json()).unwrap().edits, script.edits, "and back");
    }
    for wrong in [
        r#"{"kind": "fade"}"#,
        r#"{"kind": "fade", "out": 3}"#,
        r#"{"kind": "normalise", "peak_db": 1}"#,
        r#"{"kind": "normalise", "loudness_lufs": 1}"#,
        r#"{"kind": "normalise", "loudness_lufs": null}"#,
        r#"{"kind": "reverse", "secs": 1}"#,
    ] {
        assert_eq!(Script::parse(&text(wrong)).unwrap_err().kind(), ErrorKind::Script, "{wrong}");
    }
    let stroke = r#"{"version": 1, "edits": [{"brush": {"kind": "reverse"},
        "stroke": {"points": [[1, 440, 1]], "radius": [0.05, 100]}}]}"#;
    assert!(Script::parse(stroke).unwrap_err().message().contains("takes no stroke"));
}

#[test]
fn a_range_without_a_sample_is_refused() {
    let snapshot = sound(vec![noise(16_000, 0.1, 8)]);
    for brush in [Brush::from(Reverse), Fade { out: false }.into(), RemoveDc.into()] {
        let refused = apply(&snapshot, &edit(brush, range([0.5, 0.5])), &Engine::cpu(), &Progress::new());
        assert!(refused.unwrap_err().message().contains("holds no sample"));
    }
}

#[test]
fn each_command_is_one_step_that_is_undone_and_kept() {
    let mut bench = Bench::with_clip(Drawing::None, "drum_break_44k_stereo.flac");
    let original = [bench.samples(0), bench.samples(1)];
    bench.select(Some([0.2, 0.6]), None);
    let steps = [
        (Process::FadeIn, "Fade in, selection"),
        (Process::FadeOut, "Fade out, selection"),
        (Process::Reverse, "Reverse, selection"),
        (Process::RemoveDc, "Remove DC offset, selection"),
    ];
    for (process, words) in steps {
        bench.act(EditCommand::Process(process));
        bench.settle();
        assert!(bench.studio().document().unwrap().history().position() == 1, "{words}: {:?}", bench.notices());
        assert!(bench.has(&format!("Step 1: {words}")), "{words}");
        let after = bench.samples(0);
        let touched = changed(&original[0], &after);
        assert!(touched.len() > 10_000 && touched[0] >= 8_820 && touched[touched.len() - 1] < 26_460, "{words}");
        bench.key(CTRL, Key::Z);
        assert_eq!(bits(&bench.samples(0)), bits(&original[0]), "{words} is undone");
        assert_eq!(bits(&bench.samples(1)), bits(&original[1]));
    }
    // Without a selection, all of it; one channel where one is shown; kept by the session.
    bench.key(CTRL, Key::D);
    bench.set_view(|view| view.channels = ChannelView::One(1));
    bench.act(EditCommand::Process(Process::Reverse));
    bench.settle();
    let mut wanted = original[1].clone();
    wanted.reverse();
    assert_eq!((bits(&bench.samples(0)), bits(&bench.samples(1))), (bits(&original[0]), bits(&wanted)));
    let deadline = Instant::now() + Duration::from_secs(60);
    while bench.studio().n_kept() < 1 {
        assert!(Instant::now() < deadline, "the session never kept the step");
        bench.settle();
    }
    assert!(bench.studio().session_folder().is_some());
}

#[test]
fn the_selection_alone_is_exported_with_its_own_integers() {
    let mut bench = Bench::with_clip(Drawing::None, "many_chunks_44k_stereo.wav");
    let whole = crate::support::studio::clip("many_chunks_44k_stereo.wav");
    let duration_secs = bench.studio().document().unwrap().duration_secs();
    let span = [duration_secs / 4.0, duration_secs / 2.0];
    bench.key(CTRL, Key::E);
    assert!(bench.harness.query_all_by_label_contains("Export the selection only").next().is_none());
    bench.key(NONE, Key::Escape);
    bench.select(Some(span), Some([300.0, 3000.0]));
    bench.key(CTRL, Key::E);
    bench.harness.get_by_label_contains("Export the selection only").click();
    bench.settle();
    let out = bench.out("part.wav");
    bench.dialogs.answer(Picked::File(out.clone()));
    bench.click("Save as\u{2026}");
    let (part, all) = (open(&out), open(&whole));
    let [first, end] = span.map(|secs| (secs * 44_100.0).round() as usize);
    for channel in 0..2 {
        // 16 bits are exact in f32.
        assert_eq!(bits(&samples(&part, channel)), bits(&samples(&all, channel)[first..end]));
    }
    // It is not the whole: closing still asks, once there are edits.
    bench.key(NONE, Key::Delete);
    bench.key(CTRL, Key::E);
    bench.harness.get_by_label_contains("Export the selection only").click();
    bench.settle();
    bench.dialogs.answer(Picked::File(bench.out("other.wav")));
    bench.click("Save as\u{2026}");
    assert!(bench.studio().document().unwrap().has_unsaved_edits());
    // Cues are outside of the part, at 11,025 and at 42,000 where it ends, and the time of day is that of its first
    // sample.
    let (bytes, bytes_of_all) = (std::fs::read(&out).unwrap(), std::fs::read(&whole).unwrap());
    let at = |bytes: &[u8], id: &[u8]| bytes.windows(4).position(|four| four == id);
    assert!(at(&bytes_of_all, b"cue ").is_some() && at(&bytes, b"cue ").is_none());
    let time = |bytes: &[u8]| {
        let start = at(bytes, b"bext").unwrap() + 8 + 338;
        u64::from_le_bytes(bytes[start..start + 8].try_into().unwrap())
    };
    assert_eq!(time(&bytes), time(&bytes_of_all) + first as u64);
}

//! Properties of cut, copy, paste and lengthening, on every engine of this machine.

use base::{ErrorKind, Progress};
use document::brushes::{Brush, Lengthen};
use document::{Channels, Edit, History, Script, Snapshot, apply, erasing, export, lifted, secs_past_end};
use dsp::strokes::brush::{Paste, Tone};
use dsp::{Axis, Clip, Point, Selection, Shape, StftParams, Stroke, Window};
use engine::Engine;
use media::{ExportFormat, Source};
use std::f64::consts::TAU;
use support::engines::engines;
use support::measure::{snr_db, snr_db_f32, strongest_tone};
use support::signals::{busy, noise};

const RATE: u32 = 22_050;
const STFT: StftParams = StftParams { n_fft: 1024, hop: 256, window: Window::Hann };

fn sound(channels: Vec<Vec<f32>>) -> Snapshot {
    Snapshot::new(Source::from_channels(channels, RATE).unwrap())
}

fn read(snapshot: &Snapshot, channel: usize) -> Vec<f32> {
    let mut samples = vec![0.0; snapshot.n_samples() as usize];
    snapshot.read(channel, 0, &mut samples).unwrap();
    samples
}

fn selected(secs: [f64; 2], hz: [f64; 2]) -> Selection {
    let feather = [STFT.hop as f64 / f64::from(RATE), 2.0 * f64::from(RATE) / STFT.n_fft as f64];
    Selection::rectangle(Some(secs), Some(hz), feather, Axis::Linear)
}

fn cut(selection: Selection, channels: Channels) -> Edit {
    erasing(selection, channels, STFT.into())
}

fn paste(clip: &Clip, offset: [f64; 2], axis: Axis, channels: Channels) -> Edit {
    let brush = Brush::Paste(Paste { clip: clip.clone(), offset, axis, replaces: false, stretch: None });
    Edit { channels, ..Edit::of(brush, STFT) }
}

fn run(snapshot: &Snapshot, edit: &Edit, engine: &Engine) -> Snapshot {
    apply(snapshot, edit, engine, &Progress::new()).unwrap_or_else(|error| panic!("{error}")).snapshot
}

fn largest_difference(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from((a - b).abs())).fold(0.0, f64::max)
}

/// Maximum deviation after cutting and pasting. Lifting rounds once, the paste's own round trip is at least 125 dB,
/// adding rounds once more: three roundings of 2^-24 of full scale and 1e-6 of the clip.
const RESTORED: f64 = 4e-6;

#[test]
fn a_paste_where_it_was_cut_gives_the_sound_back() {
    for engine in engines() {
        let before = sound(vec![busy(33_000, RATE.into(), 1), busy(33_000, RATE.into(), 2)]);
        let feathered = selected([0.5, 0.9], [800.0, 2600.0]);
        let triangle = Selection::of(Shape::Polygon {
            points: vec![[0.3, 500.0], [0.9, 700.0], [0.6, 4000.0]],
            feather: [0.01, 0.1],
            axis: Axis::Log,
        });
        // A hole so narrow that the cut takes steps towards consistency.
        let narrow = selected([0.5, 0.9], [990.0, 1010.0]);
        for (selection, channels) in [
            (feathered.clone(), Channels::All),
            (triangle, Channels::Mid),
            (narrow, Channels::All),
            (feathered, Channels::List(vec![1])),
        ] {
            let edit = cut(selection, channels.clone());
            let clip = lifted(&before, &edit, engine, &Progress::new()).unwrap();
            let hole = run(&before, &edit, engine);
            let after = run(&hole, &paste(&clip, [0.0; 2], Axis::Linear, channels.clone()), engine);
            for channel in 0..2 {
                let (was, is) = (read(&before, channel), read(&after, channel));
                let off = largest_difference(&was, &is);
                assert!(off < RESTORED, "{channels:?}: {off:.1e}");
                let is_cut = channels != Channels::List(vec![1]) || channel == 1;
                let lost = largest_difference(&was, &read(&hole, channel));
                assert_eq!(lost > 100.0 * RESTORED, is_cut, "the cut is no nothing: {lost:.1e}");
            }
        }
    }
}

#[test]
fn a_paste_changes_no_sample_outside_its_frames() {
    for engine in engines() {
        let before = sound(vec![busy(44_100, RATE.into(), 3)]);
        let clip =
            lifted(&before, &cut(selected([0.2, 0.4], [500.0, 3000.0]), Channels::All), engine, &Progress::new());
        let clip = clip.unwrap();
        let edit = paste(&clip, [0.7, 300.0], Axis::Linear, Channels::All);
        let (was, is) = (read(&before, 0), read(&run(&before, &edit, engine), 0));
        let first = clip.first_sample + (0.7 * f64::from(RATE)).round() as i64;
        let reach = first - STFT.n_fft as i64..first + (clip.n_samples() + STFT.n_fft) as i64;
        let outside = |i: usize| !reach.contains(&(i as i64));
        assert!((0..was.len()).filter(|&i| outside(i)).all(|i| was[i].to_bits() == is[i].to_bits()));
        assert!((0..was.len()).any(|i| !outside(i) && was[i] != is[i]));
        // And all of it lies where the selection was, give or take a window.
        let [start, end] = clip.secs();
        let window_secs = STFT.n_fft as f64 / f64::from(RATE);
        assert!(start >= 0.2 - 1.5 * window_secs && end <= 0.4 + 1.5 * window_secs, "{start} {end}");
    }
}

/// The clip as an analytic signal, shifted in frequency and phase: a textbook reference for a paste.
fn moved(samples: &[f32], hz: f64, turns: f64) -> Vec<f64> {
    let n = samples.len().next_power_of_two() * 2;
    let mut planner = rustfft::FftPlanner::<f64>::new();
    let mut line: Vec<rustfft::num_complex::Complex<f64>> = (0..n)
        .map(|i| rustfft::num_complex::Complex::new(samples.get(i).map_or(0.0, |&sample| f64::from(sample)), 0.0))
        .collect();
    planner.plan_fft_forward(n).process(&mut line);
    for (bin, value) in line.iter_mut().enumerate() {
        let weight = if bin == 0 || bin == n / 2 {
            1.0
        } else if bin < n / 2 {
            2.0
        } else {
            0.0
        };
        *value *= weight / n as f64;
    }
    planner.plan_fft_inverse(n).process(&mut line);
    let turned = |i: usize| {
        let (sin, cos) = (TAU * (turns + hz * i as f64 / f64::from(RATE))).sin_cos();
        line[i].re * cos - line[i].im * sin
    };
    (0..samples.len()).map(turned).collect()
}

#[test]
fn whole_frames_and_whole_bins_are_moved_exactly() {
    // The error must be at most -35 dB; measured errors are far lower.
    for engine in engines() {
        let before = sound(vec![busy(33_000, RATE.into(), 5)]);
        let edit = cut(selected([0.4, 0.7], [1500.0, 3500.0]), Channels::All);
        let clip = lifted(&before, &edit, engine, &Progress::new()).unwrap();
        let nothing = Snapshot::new(Source::silence(33_000, RATE, 1).unwrap());
        let one_bin_hz = f64::from(RATE) / STFT.n_fft as f64;
        for (frames, bins) in [(20, 0), (-12, 0), (0, 7), (0, -9), (20, 25)] {
            let offset = [(frames * STFT.hop as i64) as f64 / f64::from(RATE), bins as f64 * one_bin_hz];
            let after = run(&nothing, &paste(&clip, offset, Axis::Linear, Channels::All), engine);
            let first = (clip.first_sample + frames * STFT.hop as i64) as usize;
            let found: Vec<f64> = read(&after, 0)[first..first + clip.n_samples()].iter().map(|&s| s.into()).collect();
            // Phase counts from the first touched frame, so a constant offset is correct: compares with the
            // best-fitting one.
            let [wanted, quarter] = [0.0, 0.25].map(|turns| moved(&clip.channels[0], offset[1], turns));
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let (cos, sin) = (dot(&found, &wanted), dot(&found, &quarter));
            let length = cos.hypot(sin);
            let (cos, sin) = if bins == 0 { (1.0, 0.0) } else { (cos / length, sin / length) };
            let best: Vec<f64> = wanted.iter().zip(&quarter).map(|(a, b)| cos * a + sin * b).collect();
            let snr = snr_db(&best, &found);
            assert!(snr >= 35.0, "{frames} frames, {bins} bins: {snr:.1} dB");
            if bins == 0 {
                assert!(snr >= 110.0, "time alone is moved sample by sample: {snr:.1} dB");
            }
            let wrong = moved(&clip.channels[0], offset[1] + 0.5 * one_bin_hz, 0.0);
            assert!(snr_db(&wrong, &found) < 20.0, "half a bin off is told apart");
        }
    }
}

fn loudest_hz(samples: &[f32]) -> f64 {
    strongest_tone(samples, RATE.into(), 50.0, 4000.0).hz
}

#[test]
fn a_paste_on_a_log_axis_keeps_intervals() {
    for engine in engines() {
        let tone = |k: usize| {
            let t = k as f64 / f64::from(RATE);
            (0.3 * (TAU * 600.0 * t).sin() + 0.2 * (TAU * 1200.0 * t).sin()) as f32
        };
        let before = sound(vec![(0..33_000).map(tone).collect()]);
        let edit = cut(selected([0.3, 1.0], [400.0, 1500.0]), Channels::All);
        let clip = lifted(&before, &edit, engine, &Progress::new()).unwrap();
        let nothing = Snapshot::new(Source::silence(33_000, RATE, 1).unwrap());
        let fifth = 7.0 / 12.0;
        let after = read(&run(&nothing, &paste(&clip, [0.1, fifth], Axis::Log, Channels::All), engine), 0);
        let middle = &after[(0.6 * f64::from(RATE)) as usize..(0.9 * f64::from(RATE)) as usize];
        let expected = 600.0 * fifth.exp2();
        assert!((loudest_hz(middle) - expected).abs() < 2.0, "{} instead of {expected}", loudest_hz(middle));
        // No aliases of frequencies below 0 Hz or above Nyquist.
        let down = read(&run(&nothing, &paste(&clip, [0.0, -1000.0], Axis::Linear, Channels::All), engine), 0);
        let middle = &down[(0.5 * f64::from(RATE)) as usize..(0.8 * f64::from(RATE)) as usize];
        assert!((loudest_hz(middle) - 200.0).abs() < 3.0, "{}", loudest_hz(middle));
    }
}

#[test]
fn a_clip_is_part_of_its_edit_and_of_scripts() {
    let before = sound(vec![busy(22_050, RATE.into(), 7), noise(22_050, 0.1, 8)]);
    let clip =
        lifted(&before, &cut(selected([0.2, 0.3], [500.0, 3000.0]), Channels::All), &Engine::cpu(), &Progress::new());
    let edits = vec![
        paste(&clip.unwrap(), [0.4, -0.25], Axis::Log, Channels::All),
        Edit { brush: Brush::Lengthen(Lengthen { secs: 0.5 }), ..paste_of_nothing() },
    ];
    let script = Script::from(edits);
    let again = Script::parse(&script.to_json()).unwrap();
    assert_eq!(again, script);
    let replay = |script: &Script| {
        let mut all = before.clone();
        for edit in &script.edits {
            all = run(&all, edit, &Engine::cpu());
        }
        read(&all, 1)
    };
    assert!(replay(&again).iter().zip(&replay(&script)).all(|(a, b)| a.to_bits() == b.to_bits()));
    assert_eq!(replay(&script).len(), 22_050 + 11_025);

    // Any number of samples is stored bit-exactly; 1.0 is the bytes 00 00 80 3f, a little-endian 32-bit float.
    for n in 1..9 {
        let samples: Vec<f32> = (0..n).map(|i| 1.0 - i as f32 * 0.37 / 3.0).collect();
        let clip = Clip { sample_rate_hz: RATE.into(), first_sample: 0, channels: vec![samples].into() };
        let script = Script::from(vec![paste(&clip, [0.0; 2], Axis::Linear, Channels::All)]);
        assert_eq!(Script::parse(&script.to_json()).unwrap(), script, "{n} samples");
        assert_eq!(script.to_json().contains("\"AACAPw==\""), n == 1, "{}", script.to_json());
    }

    let refused = |text: &str, why: &str| {
        let error = Script::parse(text).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    };
    let edit = |brush: &str| format!("{{\"version\": 1, \"edits\": [{{\"brush\": {brush}}}]}}");
    refused(&edit(r#"{"kind": "paste"}"#), "clip is missing");
    for wrong in ["AAA", "AACAPw=", "AACAPw", "AAC*Pw==", "AACA", "===="] {
        let brush = format!(r#"{{"kind": "paste", "clip": {{"rate": 8000, "channels": ["{wrong}"]}}}}"#);
        refused(&edit(&brush), "base64");
    }
    refused(
        &edit(r#"{"kind": "paste", "clip": {"rate": 8000, "channels": ["AAAAAA==", "AAAAAAAAAAA="]}}"#),
        "same number",
    );
    refused(&edit(r#"{"kind": "paste", "clip": {"rate": 8000, "channels": []}}"#), "1 to 32");
    refused(&edit(r#"{"kind": "lengthen", "secs": 0}"#), "above 0");
    let stroke = r#"{"version": 1, "edits": [{"brush": {"kind": "lengthen", "secs": 1},
        "stroke": {"points": [[0, 1, 1]], "radius": [1, 1]}}]}"#;
    refused(stroke, "takes no stroke");
    // A clip at another sample rate is refused with an error, not pasted at the wrong speed.
    let other = r#"{"kind": "paste", "clip": {"rate": 8000, "channels": ["AACAPw=="]}}"#;
    let script = Script::parse(&edit(other)).unwrap();
    let error = apply(&before, &script.edits[0], &Engine::cpu(), &Progress::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Script);
}

fn paste_of_nothing() -> Edit {
    let clip = Clip { sample_rate_hz: RATE.into(), first_sample: 0, channels: vec![vec![0.5f32]].into() };
    paste(&clip, [0.0; 2], Axis::Linear, Channels::All)
}

#[test]
fn a_longer_sound_is_silent_behind_and_undone_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("original.wav");
    let spec =
        hound::WavSpec { channels: 2, sample_rate: RATE, bits_per_sample: 16, sample_format: hound::SampleFormat::Int };
    let mut writer = hound::WavWriter::create(&path, spec).unwrap();
    let value = |i: i32| ((i * 7919) % 30_000 - 15_000) as i16;
    (0..20_000).for_each(|i| writer.write_sample(value(i)).unwrap());
    writer.finalize().unwrap();

    let opened = Snapshot::new(Source::open(&path, &Progress::new()).unwrap().source);
    let longer = Edit { brush: Brush::Lengthen(Lengthen { secs: 1.0 }), ..paste_of_nothing() };
    let applied = apply(&opened, &longer, &Engine::cpu(), &Progress::new()).unwrap();
    assert_eq!(applied.snapshot.n_samples(), 10_000 + u64::from(RATE));
    assert_eq!(applied.changed, vec![10_000..10_000 + u64::from(RATE); 1]);
    assert_eq!(opened.differing(&applied.snapshot, 0), applied.changed);
    assert_eq!(read(&applied.snapshot, 1)[..10_000], read(&opened, 1));
    assert!(read(&applied.snapshot, 1)[10_000..].iter().all(|&sample| sample == 0.0));

    // Paints past the old end: the original samples are exported with their exact integers, and only the painted ones
    // are new.
    let points = [1.0, 1.2].map(|secs| Point { secs, hz: 2000.0, pressure: 1.0 }).to_vec();
    let stroke =
        Stroke { points, axis: Axis::Linear, radius: [0.02, 100.0], hardness: 0.5, strength: 1.0, build_up: false };
    let tone = Tone {
        level_db: -12.0,
        harmonics: 1,
        spacing: 1.0,
        inharmonicity: 0.0,
        slope_db: -6.0,
        pan: 0.0,
        fade_secs: 0.0,
    };
    let drawn = Edit { brush: Brush::Tone(tone), stroke: Some(stroke), ..longer.clone() };
    assert!(
        secs_past_end(&opened, &drawn).is_some_and(|secs| (secs - (1.2 - 10_000.0 / f64::from(RATE))).abs() < 1e-9)
    );
    assert_eq!(secs_past_end(&applied.snapshot, &drawn), None);
    let painted = run(&applied.snapshot, &drawn, &Engine::cpu());
    assert!(read(&painted, 0)[(1.05 * f64::from(RATE)) as usize..].iter().any(|sample| sample.abs() > 0.2));

    let mut history = History::new(opened.clone());
    history.push(longer, applied.snapshot.clone());
    assert!(history.undo());
    assert_eq!(history.current().n_samples(), 10_000);
    assert!(history.redo());
    assert_eq!(history.current().n_samples(), 10_000 + u64::from(RATE));

    for (snapshot, n) in [(&applied.snapshot, 10_000 + RATE), (&opened, 10_000), (&painted, 10_000 + RATE)] {
        let out = folder.path().join("out.wav");
        export(snapshot, &out, ExportFormat::Source, None, &Progress::new()).unwrap();
        let mut reader = hound::WavReader::open(&out).unwrap();
        assert_eq!((reader.spec(), reader.duration()), (spec, n));
        let all: Vec<i16> = reader.samples::<i16>().map(Result::unwrap).collect();
        assert!((0..20_000).all(|i| all[i as usize] == value(i)), "the file's own integers");
        let is_silent = all[20_000..].iter().all(|&sample| sample == 0);
        assert_eq!(is_silent, !std::ptr::eq(snapshot, &painted));
    }
    assert!(opened.lengthened(u64::MAX).is_err());
    assert!(snr_db_f32(&read(&painted, 0)[..1000], &read(&opened, 0)[..1000]) > 200.0);
}

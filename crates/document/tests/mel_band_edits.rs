//! Edits on mel bands of the STFT by `apply`: scripts, results and errors.
#![allow(clippy::print_stdout, reason = "the figures of docs/transforms.md are read off what the tests print")]

use base::Progress;
use document::{Applied, Edit, History, Script, Snapshot, apply};
use dsp::kernels::{BlurKernel, EraseKernel, GainKernel, SharpenKernel, gaussian_taps};
use dsp::mels::mel_bands::{MelBands, ONE_BAND_NOTICE};
use dsp::selections::mask;
use dsp::{Axis, FftPlans, Grid, Kernel, Mask, Stft, StftParams};
use engine::Engine;
use media::Source;
use std::f64::consts::TAU;
use support::engines::{cpu, engines};
use support::measure::{changed, f64s, snr_db_f32, strongest_tone};
use support::signals::{busy, noise, tone};

const RATE: f64 = 44_100.0;

/// A dab of some 20 frames by 12 bands of 128.
const DAB: &str = r#""stroke": {"points": [[0.4, 900.0, 1.0], [0.5, 1200.0, 1.0]], "axis": "mel", "radius": [0.12, 3.0],
    "hardness": 0.2}"#;

fn snapshot(samples: Vec<f32>) -> Snapshot {
    Snapshot::new(Source::from_channels(vec![samples], RATE as u32).unwrap())
}

fn read(snapshot: &Snapshot) -> Vec<f32> {
    let mut samples = vec![0.0; snapshot.n_samples() as usize];
    snapshot.read(0, 0, &mut samples).unwrap();
    samples
}

/// A script of one edit: `brush` on `bands` mel bands, limited by `place`, the JSON of a stroke or a selection.
fn script(bands: usize, brush: &str, place: &str) -> Script {
    let brush = format!(r#"{{"kind": "mel_bands", "bands": {bands}, "brush": {brush}}}"#);
    let edit = format!(r#"{{"brush": {brush}, "consistency_steps": 0, {place}}}"#);
    Script::parse(&format!(r#"{{"version": 1, "edits": [{edit}]}}"#)).unwrap()
}

fn edit(bands: usize, brush: &str, place: &str) -> Edit {
    script(bands, brush, place).edits.remove(0)
}

fn run(sound: &Snapshot, edit: &Edit, engine: &Engine) -> Applied {
    apply(sound, edit, engine, &Progress::new()).unwrap()
}

/// Reference result on 128 bands of the default STFT, all frames together.
fn by_definition(samples: &[f32], kernel: &Kernel, edit: &Edit) -> Vec<f32> {
    let params = StftParams::default();
    let (grid, stft) = (Grid::new(params, RATE, samples.len() as u64), Stft::new(params));
    let bands = MelBands::new(&grid, 128).unwrap();
    let rect = grid.all_cells();
    let first = grid.first_sample_under(0);
    let at = |i: i64| usize::try_from(first + i).ok().and_then(|i| samples.get(i)).copied().unwrap_or(0.0);
    let under: Vec<f32> = (0..grid.n_samples_under(rect.frames.len()) as i64).map(at).collect();
    let cells = stft.analyse(&under, &rect);
    let secs: Vec<f64> = rect.frames.clone().map(|frame| grid.secs_from_frame(frame as f64)).collect();
    let values = mask::evaluate_at(&secs, bands.hz(), edit.stroke.as_ref(), edit.select.as_ref(), edit.strength);
    let mask = Mask { rect: dsp::CellRect::new(rect.frames.clone(), 0..128), values };
    let painted = bands.paint(&FftPlans::default(), kernel, &cells, &mask, &rect);
    let mut change = stft.difference(&cells, &painted).samples;
    stft.divide_by_weight(&mut change, first, grid.n_frames());
    samples.iter().enumerate().map(|(i, sample)| sample + change[(i as i64 - first) as usize]).collect()
}

fn change(after: &[f32], before: &[f32]) -> Vec<f32> {
    after.iter().zip(before).map(|(after, before)| after - before).collect()
}

#[test]
fn samples_are_those_that_the_bands_give_on_every_engine() {
    let samples = busy(44_100, RATE, 3);
    let sound = snapshot(samples.clone());
    // The 20 ms and 1 mel of the blur, converted to frames and to bands, of which there are 128.
    let grid = Grid::new(StftParams::default(), RATE, 0);
    let bands = MelBands::new(&grid, 128).unwrap();
    let taps = [0.02 * RATE / 512.0, bands.bands_per_mel()].map(gaussian_taps);
    let blur: Kernel = BlurKernel { frame_taps: taps[0].clone(), bin_taps: taps[1].clone() }.into();
    let [frame_taps, bin_taps] = taps;
    let sharpen: Kernel = SharpenKernel { frame_taps, bin_taps, amount: 1.5 }.into();
    let cases = [
        (r#"{"kind": "gain", "gain_db": -24}"#, Kernel::from(GainKernel::of_db(-24.0))),
        (r#"{"kind": "erase"}"#, EraseKernel.into()),
        (r#"{"kind": "blur", "sigma": [0.02, 1.0], "sigma_axis": "mel"}"#, blur),
        (r#"{"kind": "sharpen", "amount": 1.5, "sigma": [0.02, 1.0], "sigma_axis": "mel"}"#, sharpen),
    ];
    let select = r#""select": {"time": [0.3, 0.6], "frequency": [500, 2500], "feather": [0.02, 100]}, "strength": 0.7"#;
    for (brush, kernel) in cases {
        for place in [DAB, select] {
            let edit = edit(128, brush, place);
            let expected = change(&by_definition(&samples, &kernel, &edit), &samples);
            assert!(expected.iter().any(|x| x.abs() > 1e-3), "{brush}");
            for engine in engines() {
                let applied = run(&sound, &edit, engine);
                let after = read(&applied.snapshot);
                let db = snr_db_f32(&change(&after, &samples), &expected);
                println!("{brush} on the {}: {db:.1} dB of the change", engine.name());
                assert!(db > 100.0, "{brush} on the {}: {db:.1} dB", engine.name());
                assert!(applied.report.notices.is_empty(), "{:?}", applied.report.notices);
                // All changed samples lie in the reported ranges, and within half a window and a
                // hop of the selected time.
                let differing = changed(&after, &samples);
                let is_reported = |i: &usize| applied.changed.iter().any(|range| range.contains(&(*i as u64)));
                assert!(!differing.is_empty() && differing.iter().all(is_reported), "{brush}");
                let within = (0.28 * RATE) as usize - 1024 - 512..(0.62 * RATE) as usize + 1024 + 512;
                assert!(differing.iter().all(|i| within.contains(i)), "{brush}: {differing:?}");
            }
        }
    }
}

/// A sound long enough to be split into several pieces.
#[test]
fn pieces_do_not_show() {
    let samples = noise(30 * 44_100, 0.1, 5);
    let sound = snapshot(samples.clone());
    let place = r#""select": {"frequency": [500, 2500]}"#;
    let plain = edit(128, r#"{"kind": "gain", "gain_db": -12}"#, place);
    let expected = change(&by_definition(&samples, &GainKernel::of_db(-12.0).into(), &plain), &samples);
    let applied = run(&sound, &plain, &cpu());
    let db = snr_db_f32(&change(&read(&applied.snapshot), &samples), &expected);
    println!("30 s: {db:.1} dB of the change");
    assert!(db > 90.0, "{db:.1} dB");
}

/// A tone with a 10 Hz tremolo is steadier after a low-pass of 2 Hz along time, and unchanged after one of 40.
#[test]
fn a_modulation_filter_steadies_what_swells() {
    let depth = 0.8;
    let swell = |i: usize| 1.0 + depth * (TAU * 10.0 * i as f64 / RATE).sin();
    let samples: Vec<f32> =
        tone(88_200, RATE, 1_000.0, 0.2).iter().enumerate().map(|(i, x)| x * swell(i) as f32).collect();
    let sound = snapshot(samples);
    let depth_after = |cutoff_hz: f64| {
        let brush =
            format!(r#"{{"kind": "modulation_filter", "pass": "low", "along": "time", "cutoff": [{cutoff_hz}]}}"#);
        let place = r#""select": {"frequency": [200, 5000]}"#;
        let after = read(&run(&sound, &edit(64, &brush, place), &cpu()).snapshot);
        let level = |chunk: &[f32]| chunk.iter().map(|x| f64::from(x * x)).sum::<f64>().sqrt();
        let levels: Vec<f64> = after[22_050..66_150].chunks(441).map(level).collect();
        let (min, max) = levels.iter().fold((f64::MAX, 0.0f64), |(a, b), &x| (a.min(x), b.max(x)));
        (max - min) / (max + min)
    };
    let [steadied, kept] = [2.0, 40.0].map(depth_after);
    println!("depth {depth}: {steadied:.3} after 2 Hz, {kept:.3} after 40 Hz");
    // A window is half as long as a period of the tremolo, so no sound has exactly the target
    // bands: hence the tolerances.
    assert!(steadied < 0.35 && (kept - depth).abs() < 0.1);
}

/// Along bands, a low-pass evens out neighbouring bands.
#[test]
fn a_modulation_filter_along_bands_evens_them_out() {
    let samples: Vec<f32> =
        tone(44_100, RATE, 1_000.0, 0.2).iter().zip(noise(44_100, 0.01, 8)).map(|(a, b)| a + b).collect();
    let sound = snapshot(samples.clone());
    let brush = r#"{"kind": "modulation_filter", "pass": "low", "along": "frequency", "cutoff": [0.1]}"#;
    let place = r#""select": {"time": [0.2, 0.8], "frequency": [300, 4000]}"#;
    let after = read(&run(&sound, &edit(128, brush, place), &cpu()).snapshot);
    let level = |samples: &[f32]| 20.0 * strongest_tone(&samples[17_640..26_460], RATE, 990.0, 1_010.0).level.log10();
    let fell = level(&samples) - level(&after);
    println!("the tone fell by {fell:.1} dB");
    assert!(fell > 6.0, "{fell:.1} dB");
}

#[test]
fn denoise_on_bands_takes_the_noise_and_leaves_the_tone() {
    let hiss = noise(3 * 44_100, 0.02, 9);
    let tone = tone(3 * 44_100, RATE, 1_500.0, 0.2);
    let samples: Vec<f32> =
        hiss.iter().zip(&tone).enumerate().map(|(i, (a, b))| if i < 44_100 { *a } else { a + b }).collect();
    let sound = snapshot(samples.clone());
    for bands in [64, 128] {
        let brush = r#"{"kind": "denoise", "learn": [0.0, 0.9], "reduction_db": 24}"#;
        let applied = run(&sound, &edit(bands, brush, r#""strength": 1.0"#), &cpu());
        let after = read(&applied.snapshot);
        let power = |samples: &[f32]| samples.iter().map(|x| f64::from(x * x)).sum::<f64>();
        let noise_db = 10.0 * (power(&samples[8_820..35_280]) / power(&after[8_820..35_280])).log10();
        let level =
            |samples: &[f32]| 20.0 * strongest_tone(&samples[70_560..88_200], RATE, 1_490.0, 1_510.0).level.log10();
        let tone_db = level(&after) - level(&samples);
        // The noise is measured before the tone begins at 1 s.
        println!("{bands} bands: noise {noise_db:.1} dB down, tone {tone_db:+.2} dB");
        assert!(noise_db > 15.0 && tone_db.abs() < 1.0, "{noise_db:.1} dB, {tone_db:+.2} dB");
        // The learnt profile is stored in the script, and replays to the same result.
        let stored = Script::from(vec![*applied.resolved.unwrap()]);
        let again = Script::parse(&stored.to_json()).unwrap();
        assert!(stored == again && stored.to_json().contains("profile"));
        assert_eq!(read(&run(&sound, &again.edits[0], &cpu()).snapshot), after);
    }
}

#[test]
fn phases_can_be_rebuilt_after_a_blur() {
    let samples = busy(44_100, RATE, 4);
    let sound = snapshot(samples.clone());
    let blur = |more: &str| {
        let brush = format!(r#"{{"kind": "blur", "sigma": [0.03, 1.0], "sigma_axis": "mel"{more}}}"#);
        read(&run(&sound, &edit(64, &brush, DAB), &cpu()).snapshot)
    };
    let [kept, rebuilt] = ["", r#", "rebuild_phase": true"#].map(blur);
    assert!(!changed(&kept, &rebuilt).is_empty());
    let outside =
        |samples: &[f32]| samples[..8_820].iter().chain(&samples[35_280..]).map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(outside(&rebuilt), outside(&samples));
}

#[test]
fn a_mask_of_one_band_is_noted() {
    let sound = snapshot(noise(44_100, 0.1, 7));
    let grid = Grid::new(StftParams::default(), RATE, 0);
    let hz = MelBands::new(&grid, 128).unwrap().hz().to_vec();
    let notices = |bands: std::ops::RangeInclusive<usize>| {
        let place = format!(r#""select": {{"frequency": [{}, {}]}}"#, hz[*bands.start()] - 5.0, hz[*bands.end()] + 5.0);
        run(&sound, &edit(128, r#"{"kind": "erase"}"#, &place), &cpu()).report.notices
    };
    assert_eq!(notices(40..=40), [ONE_BAND_NOTICE]);
    assert!(notices(40..=41).is_empty() && notices(40..=60).is_empty());
    // A range between two band centres selects no band.
    let place = format!(r#""select": {{"frequency": [{}, {}]}}"#, hz[80] + 5.0, hz[81] - 5.0);
    let applied = run(&sound, &edit(128, r#"{"kind": "erase"}"#, &place), &cpu());
    assert!(applied.changed.is_empty() && applied.report.notices[0].contains("covers no cell"));
    // An edit on cells gets neither notice.
    let plain = Edit { brush: document::brushes::Erase.into(), ..edit(128, r#"{"kind": "erase"}"#, &place) };
    assert!(run(&sound, &plain, &cpu()).report.notices.is_empty());
}

#[test]
fn a_script_is_written_as_it_was_read_and_replays() {
    let sound = snapshot(busy(44_100, RATE, 2));
    let brushes = [
        r#"{"kind": "gain", "gain_db": -6.0}"#,
        r#"{"kind": "erase"}"#,
        r#"{"kind": "blur", "sigma": [0.02, 1.0], "sigma_axis": "mel"}"#,
        r#"{"kind": "sharpen", "sigma": [0.02, 1.0], "sigma_axis": "mel"}"#,
        r#"{"kind": "modulation_filter", "pass": "low", "along": "both", "cutoff": [[8], [0.2]]}"#,
        r#"{"kind": "denoise", "learn": [0.0, 0.3]}"#,
    ];
    let mut history = History::new(sound.clone());
    for brush in brushes {
        let script = script(64, brush, DAB);
        let again = Script::parse(&script.to_json()).unwrap();
        assert_eq!(script, again, "{}", script.to_json());
        let before = history.current().clone();
        let applied = run(&before, &script.edits[0], &cpu());
        assert_eq!(read(&run(&before, &again.edits[0], &cpu()).snapshot), read(&applied.snapshot), "{brush}");
        assert!(!changed(&read(&applied.snapshot), &read(&before)).is_empty(), "{brush}");
        history.push(script.edits[0].clone(), applied.snapshot);
    }
    let last = read(history.current());
    while history.undo() {}
    assert_eq!(read(history.current()), read(&sound));
    while history.redo() {}
    assert_eq!(f64s(&read(history.current())), f64s(&last));
}

#[test]
fn what_does_not_work_on_bands_is_refused_with_its_place() {
    let refused = |brush: &str| {
        let text = format!(r#"{{"version": 1, "edits": [{{"brush": {brush}}}]}}"#);
        Script::parse(&text).unwrap_err().message().to_owned()
    };
    let on_bands =
        |bands: &str, brush: &str| refused(&format!(r#"{{"kind": "mel_bands", "bands": {bands}, "brush": {brush}}}"#));
    let gain = r#"{"kind": "gain", "gain_db": -6}"#;
    for kind in document::Brush::KINDS {
        if ["gain", "erase", "blur", "sharpen", "modulation_filter", "denoise"].contains(kind) {
            continue;
        }
        let reason = on_bands("128", &format!(r#"{{"kind": "{kind}"}}"#));
        let expected =
            format!("edits[0].brush.brush.kind: \"{kind}\" does not work on mel bands, which have no phases; use");
        assert!(reason.starts_with(&expected) && reason.contains("choose rows or an FFT size"), "{reason}");
    }
    let cases = [
        ("7", gain, "edits[0].brush.bands: 7 is not 8 to 512"),
        ("513", gain, "edits[0].brush.bands: 513 is not 8 to 512"),
        ("12.5", gain, "edits[0].brush.bands: must be a whole number, 0 or more"),
        ("128", r#"{"kind": "gain"}"#, "edits[0].brush.brush: gain_db is missing"),
        ("128", r#"{"kind": "erase", "x": 1}"#, "edits[0].brush.brush: the field \"x\" is unknown"),
        (
            "128",
            r#"{"kind": "blur", "sigma": [0.1, 50]}"#,
            "edits[0].brush.brush: on mel bands sigma is in seconds and mel; add \"sigma_axis\": \"mel\"",
        ),
    ];
    for (bands, brush, expected) in cases {
        assert_eq!(on_bands(bands, brush), expected);
    }
    assert_eq!(refused(r#"{"kind": "mel_bands", "bands": 64}"#), "edits[0].brush: brush is missing");
    // Errors that depend on the sound's rate and the FFT size.
    let sound = snapshot(noise(44_100, 0.1, 7));
    let fail = |edit: &Edit| apply(&sound, edit, &cpu(), &Progress::new()).unwrap_err().message().to_owned();
    let fine = edit(512, gain, DAB);
    assert_eq!(fail(&fine), "512 bands need an FFT size of at least 8192");
    let rows = Edit { transform: dsp::transforms::rows::RowsParams::music().into(), ..edit(64, gain, DAB) };
    assert_eq!(fail(&rows), "mel_bands works on an STFT only; choose an FFT size");
    let large = StftParams::of_size(8_192, 4, dsp::Window::Hann);
    run(&sound, &Edit { transform: large.into(), ..fine }, &cpu());
    let mut built_up = edit(64, gain, DAB);
    built_up.stroke.as_mut().unwrap().build_up = true;
    assert_eq!(fail(&built_up), "mel_bands does not build up");
    assert_eq!(built_up.stroke.unwrap().axis, Axis::Mel);
}

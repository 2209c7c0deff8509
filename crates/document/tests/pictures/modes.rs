//! Effects of a picture on the existing sound.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use super::{RATE, applied, brush_of, cells_of, edit_of, levels_db, samples_of, silence, sound_of};
use document::Edit;
use document::brushes::{Brush, PictureBrush, PictureMode, PicturePhase};
use dsp::strokes::picture::{Bitmap, BitmapSamples, PictureArea, PictureBank, PictureLook, PictureView, Tint};
use dsp::voices::{SineBank, chance};
use dsp::{Axis, CellRect, Selection, StftParams};
use engine::Engine;
use image::ExtendedColorType;
use std::f64::consts::TAU;
use support::engines::{cpu, engines};
use support::measure::{changed, f64s, largest_step, snr_db, snr_db_f32, strongest_tone};
use support::pictures::{Grey, five_kinds, png};
use support::signals::{busy, noise};

const SECS: f64 = 1.5;

fn busy_sound() -> document::Snapshot {
    sound_of(vec![busy((SECS * f64::from(RATE)) as usize, f64::from(RATE), 3)])
}

#[test]
fn a_white_filter_changes_no_sample() {
    let sound = busy_sound();
    let before = samples_of(&sound, 0);
    let white = [
        png(&[255; 12], [4, 3], ExtendedColorType::L8),
        png(&[255; 36], [4, 3], ExtendedColorType::Rgb8),
        png(&[255; 24], [4, 3], ExtendedColorType::La8),
        // Finer than the cells, which average many pixels.
        png(&vec![255; 900 * 2000 * 3], [900, 2000], ExtendedColorType::Rgb8),
    ];
    for engine in engines() {
        for (axis, picture) in
            [Axis::Linear, Axis::Log].into_iter().flat_map(|axis| white.iter().map(move |p| (axis, p)))
        {
            let filter = PictureBrush {
                mode: PictureMode::Filter,
                ..brush_of(picture.clone(), [0.2, 1.1], [100.0, 9_000.0], axis)
            };
            let after = applied(&sound, &edit_of(filter), engine);
            assert_eq!(changed(&before, &samples_of(&after.snapshot, 0)), [0; 0], "{}", engine.name());
        }
        // Control: slightly darker than white.
        let grey = png(&[254; 12], [4, 3], ExtendedColorType::L8);
        let filter =
            PictureBrush { mode: PictureMode::Filter, ..brush_of(grey, [0.2, 1.1], [100.0, 9_000.0], Axis::Log) };
        let after = applied(&sound, &edit_of(filter), engine);
        assert!(changed(&before, &samples_of(&after.snapshot, 0)).len() > 30_000);
    }
}

/// Grey attenuates by its distance from white, black silences, and phases are kept.
#[test]
fn a_filter_multiplies_what_is_there() {
    let sound = sound_of(vec![noise((SECS * f64::from(RATE)) as usize, 0.1, 7)]);
    let grid = sound.grid(StftParams::default());
    for engine in engines() {
        for (value, expected_db) in [(204u8, -12.0), (0, -60.0)] {
            let filter = PictureBrush {
                mode: PictureMode::Filter,
                ..brush_of(png(&[value; 4], [2, 2], ExtendedColorType::L8), [0.0, SECS], [1.0, 22_050.0], Axis::Linear)
            };
            let after = applied(&sound, &edit_of(filter), engine).snapshot;
            let rect = CellRect::new(20..60, 20..1000);
            let [was, is] = [&sound, &after].map(|sound| {
                let levels = levels_db(&cells_of(sound, 0, &grid, &rect), &grid);
                10.0 * (levels.iter().map(|db| 10f64.powf(db / 10.0)).sum::<f64>()).log10()
            });
            let change_db = is - was;
            match value {
                0 => assert!(change_db < expected_db, "{change_db}"),
                _ => assert!((change_db - expected_db).abs() < 0.02, "{}: {change_db}", engine.name()),
            }
        }
    }
}

/// Engines agree at soft masks, in every mode and with every phase.
#[test]
fn engines_agree_on_pictures() {
    let sound = busy_sound();
    let before = f64s(&samples_of(&sound, 0));
    let [(_, picture), ..] = five_kinds();
    let select = Selection::rectangle(Some([0.3, 1.0]), Some([400.0, 6_000.0]), [0.1, 500.0], Axis::Linear);
    for (mode, phase, steps) in [
        (PictureMode::Add, PicturePhase::Random, 0),
        (PictureMode::Add, PicturePhase::Beneath, 0),
        (PictureMode::Add, PicturePhase::Rebuild, 2),
        (PictureMode::Add, PicturePhase::Bank, 0),
        (PictureMode::Replace, PicturePhase::Random, 0),
        (PictureMode::Replace, PicturePhase::Beneath, 0),
        (PictureMode::Replace, PicturePhase::Random, 2),
        (PictureMode::Replace, PicturePhase::Bank, 0),
        (PictureMode::Filter, PicturePhase::Random, 0),
    ] {
        let brush = brush_of(picture.png(), [0.2, 1.1], [200.0, 9_000.0], Axis::Log);
        let edit = Edit { select: Some(select.clone()), ..edit_of(PictureBrush { mode, phase, steps, ..brush }) };
        let change = |engine: &Engine| {
            let after = f64s(&samples_of(&applied(&sound, &edit, engine).snapshot, 0));
            after.iter().zip(&before).map(|(a, b)| a - b).collect::<Vec<f64>>()
        };
        let on_cpu = change(&cpu());
        assert!(on_cpu.iter().any(|x| x.abs() > 1e-3), "{mode:?} {phase:?}");
        for engine in &engines()[1..] {
            let agreement_db = snr_db(&change(engine), &on_cpu);
            println!("{mode:?} {phase:?} {steps}: {agreement_db:.0} dB");
            assert!(agreement_db > 90.0, "{mode:?} {phase:?} {steps}: {agreement_db:.1} dB");
        }
    }
}

/// Transparent parts of a picture have no effect: samples outside the frames of the opaque parts are unchanged.
#[test]
fn alpha_is_a_mask() {
    let sound = busy_sound();
    let before = samples_of(&sound, 0);
    // White; its left half is transparent.
    let pixels: Vec<u8> = (0..64 * 4).flat_map(|i| [255, if i % 64 < 32 { 0 } else { 255 }]).collect();
    let brush = brush_of(png(&pixels, [64, 4], ExtendedColorType::La8), [0.2, 1.2], [500.0, 4_000.0], Axis::Linear);
    for mode in [PictureMode::Add, PictureMode::Replace] {
        let edit = edit_of(PictureBrush { mode, steps: 0, ..brush.clone() });
        let differing = changed(&before, &samples_of(&applied(&sound, &edit, &cpu()).snapshot, 0));
        // From the middle of the picture, less one pixel and half a window, to its end plus half a window.
        let first = ((0.7 - 1.0 / 64.0) * f64::from(RATE)) as usize - 1_024;
        let end = (1.2 * f64::from(RATE)) as usize + 1_024;
        assert!(differing.iter().all(|i| (first..end).contains(i)), "{mode:?}: {:?}", differing.first());
        assert!(differing.len() > 20_000);
    }
    // The colour of a transparent pixel has no effect: a transparent white and an opaque black pixel give silence.
    let pixels = [255, 0, 0, 255];
    let dark = brush_of(png(&pixels, [2, 1], ExtendedColorType::La8), [0.2, 1.2], [500.0, 4_000.0], Axis::Linear);
    let after = applied(&silence(SECS), &edit_of(PictureBrush { mode: PictureMode::Add, ..dark }), &cpu());
    assert!(samples_of(&after.snapshot, 0).iter().all(|x| *x == 0.0));
}

#[test]
fn red_is_left_and_green_is_right() {
    let n = (SECS * f64::from(RATE)) as usize;
    let stereo = sound_of(vec![vec![0.0; n], vec![0.0; n]]);
    let red = png(&[255, 0, 0, 255, 0, 0], [2, 1], ExtendedColorType::Rgb8);
    let brush = PictureBrush { is_stereo: true, steps: 0, ..brush_of(red, [0.2, 1.2], [500.0, 4_000.0], Axis::Log) };
    let after = applied(&stereo, &edit_of(brush.clone()), &cpu()).snapshot;
    let power = |channel: usize| samples_of(&after, channel).iter().map(|x| f64::from(*x).powi(2)).sum::<f64>();
    assert!(power(0) > 1.0 && power(1) == 0.0, "{} and {}", power(0), power(1));
    // In mono, red is not silent.
    let mono = applied(&silence(SECS), &edit_of(brush), &cpu()).snapshot;
    assert!(samples_of(&mono, 0).iter().any(|x| *x != 0.0));
}

/// Compares a bank with its definition in f64.
#[test]
fn a_bank_is_its_definition() {
    let rate = 44_100.0;
    let rows_hz = [55.0, 440.0, 1_234.5, 9_876.5, 20_900.0, 22_040.0];
    let bank = SineBank::new(&rows_hz, 9, rate);
    let level = |row: usize, sample: u64| (0.05 * (row + 1) as f64 * (sample as f64 / 3_000.0).sin().abs()) as f32;
    let n = 20_000;
    let mut whole = vec![0.0f32; n];
    bank.render(0, &mut whole, level);
    let nyquist = rate / 2.0;
    let fade = |hz: f64| match hz / nyquist {
        q if q <= 0.9 => 1.0,
        q if q < 0.98 => (1.0 + (std::f64::consts::PI * (q - 0.9) / 0.08).cos()) / 2.0,
        _ => 0.0,
    };
    let expected: Vec<f64> = (0..n as u64)
        .map(|i| {
            let sine = |(row, hz): (usize, &f64)| {
                let step = (hz / rate * 4_294_967_296.0 + 0.5).floor() as u32;
                let start = (chance(&[9, 2, row as u64]) >> 32) as u32;
                let phase = start.wrapping_add(step.wrapping_mul(i as u32));
                let (edge, part) = (i / 64 * 64, (i % 64) as f64 / 64.0);
                let [a, b] = [edge, edge + 64].map(|edge| f64::from(level(row, edge)));
                (a + (b - a) * part) * fade(*hz) * (TAU * f64::from(phase) / 4_294_967_296.0).sin()
            };
            rows_hz.iter().enumerate().map(sine).sum()
        })
        .collect();
    let found = snr_db(&f64s(&whole), &expected);
    println!("bank: {found:.1} dB");
    assert!(found > 125.0, "{found}");
    // Rendering from any sample on gives the same bits.
    for (first, n) in [(0, 5), (63, 2), (64, 64), (1_000, 7_000), (1_023, 1_025), (12_345, 7_655)] {
        let mut part = vec![1.0f32; n];
        bank.render(first as u64, &mut part, level);
        assert_eq!(part, whole[first..first + n], "{first} {n}");
    }
}

/// A bank ends as smoothly as it begins, wherever its right edge lies within its blocks.
#[test]
fn a_bank_ends_without_a_click() {
    let rate = f64::from(RATE);
    let white = Bitmap::new([1, 1], 1, BitmapSamples::Eight(vec![255])).unwrap();
    let view = PictureView::new(&white, PictureLook::default(), Tint::Luma);
    // The largest step of a 450 Hz sine at -20 dB, plus its rise over a block of 64 samples.
    let max = 0.1 * (TAU * 450.0 / rate) + 0.1 / 64.0;
    for n in [1_000, 1_013, 1_029, 1_043, 1_061, 1_088] {
        let secs = [0.01, 0.01 + f64::from(n) / rate];
        let area = PictureArea { secs, hz: [400.0, 500.0], axis: Axis::Linear };
        let samples = PictureBank::new(view, &area, [-80.0, -20.0], 0, rate).samples(0, 2_000);
        assert!(samples.iter().any(|x| x.abs() > 0.09), "{n}");
        let step = f64::from(largest_step(&samples));
        assert!(step < 1.01 * max, "{n}: {step}");
    }
}

/// A bright row of a bank is a tone at the row's frequency, at its level.
#[test]
fn rows_of_a_bank_are_in_tune() {
    // The third row of eight from the top.
    let picture = Grey::of(16, 8, |_, y| if (0.25..0.375).contains(&y) { 1.0 } else { 0.0 });
    let (low, high) = (220.0f64, 3_520.0);
    let hz = low * (high / low).powf((8.0 - 2.0 - 0.5) / 8.0);
    for engine in engines() {
        for mode in [PictureMode::Add, PictureMode::Replace] {
            let brush = brush_of(picture.png(), [0.2, 1.4], [low, high], Axis::Log);
            let edit = edit_of(PictureBrush { mode, phase: PicturePhase::Bank, ..brush });
            let after = samples_of(&applied(&silence(1.6), &edit, engine).snapshot, 0);
            let from = (0.4 * f64::from(RATE)) as usize;
            let found = strongest_tone(&after[from..from + 32_768], f64::from(RATE), 100.0, 10_000.0);
            let what = format!("{} {mode:?}: {found:?}, not {hz}", engine.name());
            assert!((found.hz - hz).abs() < 0.02, "{what}");
            assert!((20.0 * found.level.log10() + 20.0).abs() < 0.1, "{what}");
            // Silent outside its time and half a window around it.
            let [start, end] = [0.2, 1.4].map(|secs| (secs * f64::from(RATE)) as usize);
            let outside = after[..start - 1_100].iter().chain(&after[end + 1_100..]);
            assert!(outside.clone().all(|x| x.abs() < 1e-4), "{what}");
        }
    }
}

/// The `beneath` mode keeps the phases of the existing sound: a white picture at the sound's own level reproduces it.
#[test]
fn phases_from_beneath_are_the_sounds_own() {
    let rate = f64::from(RATE);
    let tone: Vec<f32> = (0..66_150).map(|i| (0.1 * (TAU * 1_000.0 * i as f64 / rate).sin()) as f32).collect();
    let sound = sound_of(vec![tone.clone()]);
    let grid = sound.grid(StftParams::default());
    // A band of one bin at the tone, at the level of that bin.
    let bin = grid.bin_from_hz(1_000.0).round();
    let level =
        levels_db(&cells_of(&sound, 0, &grid, &CellRect::new(60..61, bin as usize..bin as usize + 1)), &grid)[0];
    let hz = [bin - 0.2, bin + 0.2].map(|bin| grid.hz_from_bin(bin));
    let brush = brush_of(png(&[255; 4], [2, 2], ExtendedColorType::L8), [0.3, 1.2], hz, Axis::Linear);
    let set = |phase| PictureBrush {
        mode: PictureMode::Replace,
        range_db: [level - 60.0, level],
        phase,
        steps: 0,
        ..brush.clone()
    };
    let [kept, by_chance] = [PicturePhase::Beneath, PicturePhase::Random].map(|phase| {
        let after = applied(&sound, &edit_of(Brush::from(set(phase))), &cpu()).snapshot;
        snr_db_f32(&samples_of(&after, 0)[20_000..45_000], &tone[20_000..45_000])
    });
    assert!(kept > 50.0 && by_chance < 20.0, "{kept} and {by_chance}");
}

/// Invalid settings are refused in one sentence, such as too many steps, or a filter that is a bank.
#[test]
fn what_a_picture_cannot_be_is_refused() {
    let brush = brush_of(png(&[255; 4], [2, 2], ExtendedColorType::L8), [0.0, 1.0], [100.0, 200.0], Axis::Log);
    let json: serde_json::Value = serde_json::from_str(&Brush::from(brush.clone()).to_json()).unwrap();
    assert_eq!(Brush::from_json(&json.to_string()).unwrap(), Brush::from(brush));
    for (field, value, expected) in [
        ("steps", serde_json::json!(65), "brush.steps: must be 0 to 64"),
        ("turn", 45.into(), "brush.turn: must be 0, 90, 180 or 270 degrees"),
        ("time", serde_json::json!([1.0, 1.0]), "brush.time: must be in ascending order and must not be empty"),
        (
            "frequency",
            serde_json::json!([0.0, 1.0]),
            "brush.frequency: a log axis has no 0 Hz; use a frequency above 0",
        ),
        ("frequency", serde_json::json!([-1.0, 1.0]), "brush.frequency: must not be negative"),
        ("range_db", serde_json::json!([-20, -80]), "brush.range_db: must be in ascending order and must not be empty"),
        ("range_db", serde_json::json!([-20, 25]), "brush.range_db[1]: 25 is outside -200 to 24"),
        ("image", "AAAA".into(), "brush.image: is not a picture that can be read; use PNG, JPEG or OpenEXR"),
        ("image", "A".into(), "brush.image: must be a PNG as base64"),
        ("file", "a.png".into(), "brush.file: give either \"image\" or \"file\", not both"),
        ("phase", "chance".into(), "brush.phase: \"chance\" is unknown; use random, rebuild, beneath, bank"),
        ("colours", "stereo".into(), "brush: the field \"colours\" is unknown"),
    ] {
        let mut wrong = json.clone();
        wrong[field] = value;
        assert_eq!(Brush::from_json(&wrong.to_string()).unwrap_err().message(), expected);
    }
    let mut both = json.clone();
    (both["mode"], both["phase"]) = ("filter".into(), "bank".into());
    let expected = "brush: a filter keeps phases and cannot be a bank; choose another phase or mode";
    assert_eq!(Brush::from_json(&both.to_string()).unwrap_err().message(), expected);
    // Omitted fields have their defaults.
    let min =
        serde_json::json!({"kind": "picture", "image": json["image"], "time": [0.0, 1.0], "frequency": [100.0, 200.0]});
    assert_eq!(Brush::from_json(&min.to_string()).unwrap().to_json(), json.to_string());
}

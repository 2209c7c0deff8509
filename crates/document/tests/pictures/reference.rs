//! Pictures as sound against arrays computed independently by `reference/make_pictures.py`.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use super::{applied, levels_db, samples_of};
use document::brushes::{PictureBrush, PictureImage, PictureMode};
use document::{Brush, Edit, Script, Signal, Snapshot, painted_cells};
use dsp::strokes::picture::{PictureBank, PictureTurn, PictureView, Tint};
use dsp::{CellRect, Region};
use engine::Engine;
use media::Source;
use media::picture::EmbeddedPicture;
use serde_json::{Value, json};
use std::sync::Arc;
use support::engines::engines;
use support::fourier::{Complex, turn};
use support::measure::{f64s, snr_db};
use support::npy::{self, Npy};

const FOLDER: &str = "pictures_as_sound";

/// Levels are rounded to f32 three times: brightness (2e-6 dB of 60), magnitude (5e-7 dB) and storage (4e-6 dB).
const MAX_DB: f64 = 1e-5;

/// Relative to the largest cell of a frame. A cell becomes polar, complex and polar again, each within 2e-7, and its
/// FFT is as accurate.
const MAX_DIFFERENCE: f64 = 5e-6;

fn cases() -> Value {
    serde_json::from_slice(&std::fs::read(npy::path(&format!("{FOLDER}/cases.json"))).unwrap()).unwrap()
}

fn array(name: &Value) -> Npy {
    npy::load(&format!("{FOLDER}/{}", name.as_str().unwrap()).into())
}

fn whole(number: &Value) -> usize {
    number.as_u64().unwrap() as usize
}

fn list(indices: &Value) -> Vec<usize> {
    serde_json::from_value(indices.clone()).unwrap()
}

/// The edit of a case, with its picture embedded.
fn edit_in(cases: &Value, case: &Value) -> Edit {
    let script = json!({"version": 1, "transform": cases["transform"], "edits": [case["edit"]]});
    let mut edit = Script::parse(&script.to_string()).unwrap().edits.remove(0);
    let brush = picture_in(&mut edit);
    let PictureImage::File(file) = &brush.image else { panic!("{case}: no file") };
    let png = std::fs::read(npy::path(FOLDER).join(file)).unwrap();
    brush.image = PictureImage::Embedded(Arc::new(EmbeddedPicture::from_png(png).unwrap()), Vec::new());
    edit
}

fn picture_in(edit: &mut Edit) -> &mut PictureBrush {
    let Brush::Picture(brush) = &mut edit.brush else { panic!("no picture") };
    brush
}

fn with(edit: &Edit, change: impl Fn(&mut PictureBrush)) -> Edit {
    let mut changed = edit.clone();
    change(picture_in(&mut changed));
    changed
}

/// Turns the visible picture upside down.
fn upside_down(brush: &mut PictureBrush) {
    brush.look.turn = match brush.look.turn {
        PictureTurn::None => PictureTurn::Half,
        PictureTurn::Quarter => PictureTurn::ThreeQuarters,
        PictureTurn::Half => PictureTurn::None,
        PictureTurn::ThreeQuarters => PictureTurn::Quarter,
    };
    brush.look.is_flipped = !brush.look.is_flipped;
}

fn sound_of(cases: &Value, channels: Vec<Vec<f32>>) -> Snapshot {
    Snapshot::new(Source::from_channels(channels, whole(&cases["rate"]) as u32).unwrap())
}

/// A stereo sound: the beginning of the reference signal on the left, its end on the right.
fn sound(cases: &Value) -> Snapshot {
    let (signal, n) = (npy::load(&"signal".into()).f32s(), whole(&cases["n_samples"]));
    sound_of(cases, vec![signal[..n].to_vec(), signal[signal.len() - n..].to_vec()])
}

/// The cells that an edit writes.
fn painted(sound: &Snapshot, edit: &Edit, channel: usize, engine: &Engine) -> Region {
    let cells = painted_cells(sound, edit, &[Signal::Channel(channel)], engine, usize::MAX).unwrap();
    engine.download(cells.unwrap().remove(0)).unwrap()
}

/// The largest difference of levels; infinite if only one of two is silent.
fn levels_apart_db(found: &[f64], expected: &[f32]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let pairs = found.iter().zip(expected).map(|(found, expected)| (*found, f64::from(*expected)));
    let apart = |(found, expected): (f64, f64)| if found == expected { 0.0 } else { (found - expected).abs() };
    pairs.map(apart).fold(0.0, f64::max)
}

#[test]
fn levels_are_the_arrays_of_the_definition() {
    let cases = cases();
    let silence = sound_of(&cases, vec![vec![0.0; whole(&cases["n_samples"])]]);
    for engine in engines() {
        for case in cases["levels"].as_array().unwrap() {
            let name = format!("{} {}", engine.name(), case["levels_db"]);
            let edit = edit_in(&cases, case);
            let (expected, grid) = (array(&case["levels_db"]).f32s(), silence.grid(&edit.transform));
            let (frames, bins) = (list(&case["frames"]), list(&case["bins"]));
            let rect = CellRect::new(frames[0]..frames[1], bins[0]..bins[1]);
            let apart_db = |edit: &Edit| {
                let cells = painted(&silence, edit, 0, engine);
                assert_eq!(cells.rect, rect, "{name}");
                levels_apart_db(&levels_db(&cells, &grid), &expected)
            };
            let found = apart_db(&edit);
            println!("{name}: {found:.1e} dB");
            assert!(found < MAX_DB, "{name}: {found} dB");
            // The controls: dark is a ten-thousandth of a decibel darker; the picture is upside down, or mirrored.
            let darker = apart_db(&with(&edit, |brush| brush.range_db[0] -= 1e-4));
            assert!(darker > MAX_DB, "{name}: {darker} dB");
            // The turned picture of lines is symmetric from bottom to top, so only the larger difference counts.
            let turned_over = apart_db(&with(&edit, upside_down));
            let mirrored = apart_db(&with(&edit, |brush| brush.look.is_flipped = !brush.look.is_flipped));
            assert!(turned_over.max(mirrored) > 1.0, "{name}: {turned_over} and {mirrored} dB");
        }
    }
}

/// The largest distance of some cells from their reference array, relative to the largest one of their frame; infinite
/// if a cell should be silent and isn't.
fn cells_apart(cells: &Region, [frames, bins]: &[Vec<usize>; 2], expected: &[Complex]) -> f64 {
    assert_eq!(frames.len() * bins.len(), expected.len());
    let apart = |(frame, row): (&usize, &[Complex])| {
        let largest = row.iter().map(|[re, im]| re.hypot(*im)).fold(0.0, f64::max);
        let of_cell = |(bin, [re, im]): (&usize, &Complex)| {
            let cell = cells.index(*frame, *bin);
            let (magnitude, [cos, sin]) = (f64::from(cells.magnitude[cell]), turn(f64::from(cells.phase[cell])));
            if [*re, *im] == [0.0, 0.0] && magnitude > 0.0 {
                return f64::INFINITY;
            }
            (magnitude * cos - re).hypot(magnitude * sin - im) / largest
        };
        bins.iter().zip(row).map(of_cell).fold(0.0, f64::max)
    };
    frames.iter().zip(expected.chunks(bins.len())).map(apart).fold(0.0, f64::max)
}

/// Pictures that replace, add, filter and play as a bank, with random phases, with alpha, at less than full strength
/// and in the right channel of two.
#[test]
fn cells_are_the_arrays_of_the_definition() {
    let cases = cases();
    let sound = sound(&cases);
    for engine in engines() {
        for case in cases["cells"].as_array().unwrap() {
            let name = format!("{} {}", engine.name(), case["cells"]);
            let (mut edit, expected) = (edit_in(&cases, case), array(&case["cells"]).complex());
            let (channel, at) = (whole(&case["channel"]), ["at_frames", "at_bins"].map(|at| list(&case[at])));
            let apart = |edit: &Edit| cells_apart(&painted(&sound, edit, channel, engine), &at, &expected);
            let found = apart(&edit);
            println!("{name}: {found:.1e}");
            assert!(found < MAX_DIFFERENCE, "{name}: {found}");
            // The controls: dark is a hundredth of a decibel darker; other phases.
            let darker = apart(&with(&edit, |brush| brush.range_db[0] -= 0.01));
            assert!(darker > MAX_DIFFERENCE, "{name}: {darker}");
            if picture_in(&mut edit).mode != PictureMode::Filter {
                let by_others = apart(&with(&edit, |brush| brush.seed += 1));
                assert!(by_others > 0.1, "{name}: {by_others}");
            }
        }
    }
}

/// Compares the changed samples of the same cases.
#[test]
fn samples_are_the_arrays_of_the_definition() {
    let cases = cases();
    let sound = sound(&cases);
    for engine in engines() {
        for case in cases["cells"].as_array().unwrap().iter().filter(|case| case["change"].is_string()) {
            let name = format!("{} {}", engine.name(), case["change"]);
            let (edit, expected) = (edit_in(&cases, case), f64s(&array(&case["change"]).f32s()));
            let (channel, first) = (whole(&case["channel"]), whole(&case["first_sample"]));
            let fidelity_db = |edit: &Edit| {
                let after = f64s(&samples_of(&applied(&sound, edit, engine).snapshot, channel));
                let before = f64s(&samples_of(&sound, channel));
                let change: Vec<f64> = after.iter().zip(&before).map(|(after, before)| after - before).collect();
                snr_db(&change[first..first + expected.len()], &expected)
            };
            let found = fidelity_db(&edit);
            println!("{name}: {found:.1} dB");
            assert!(found >= 120.0, "{name}: {found} dB");
            let darker = fidelity_db(&with(&edit, |brush| brush.range_db[0] -= 0.01));
            assert!(darker < 110.0, "the control, {name}: {darker} dB");
        }
    }
}

/// The sines of a picture's rows: in tune, fading below the Nyquist frequency, from its left edge to the end of a
/// block.
#[test]
fn a_bank_is_the_array_of_the_definition() {
    let cases = cases();
    let case = &cases["bank"];
    let mut edit = edit_in(&cases, case);
    let (rate, expected) = (whole(&cases["rate"]) as f64, f64s(&array(&case["samples"]).f32s()));
    let (first, around) = (whole(&case["first_sample"]), 100);
    let fidelity_db = |brush: &PictureBrush| {
        let PictureImage::Embedded(picture, _) = &brush.image else { panic!("no picture") };
        let bitmap = picture.bitmap().unwrap();
        let view = PictureView::new(&bitmap, brush.look, Tint::Luma);
        let bank = PictureBank::new(view, &brush.area, brush.range_db, brush.seed, rate);
        let samples = bank.samples((first - around) as i64, expected.len() + 2 * around);
        let (before, rest) = samples.split_at(around);
        let (found, after) = rest.split_at(expected.len());
        assert!(before.iter().chain(after).all(|x| *x == 0.0));
        snr_db(&f64s(found), &expected)
    };
    let brush = picture_in(&mut edit);
    let found = fidelity_db(brush);
    println!("bank: {found:.1} dB");
    assert!(found >= 125.0, "{found} dB");
    brush.range_db[0] -= 0.01;
    let darker = fidelity_db(brush);
    assert!(darker < 100.0, "the control: {darker} dB");
    upside_down(brush);
    let turned_over = fidelity_db(brush);
    assert!(turned_over < 10.0, "the control: {turned_over} dB");
}

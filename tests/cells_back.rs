//! Cells that were saved as a picture, painted over in another program, and brought back into the window.

use crate::hearing::{bench_with, n_entries};
use crate::support::heard::RATE;
use crate::support::measure::changed;
use crate::support::signals::noise;
use crate::support::studio::{Bench, CTRL, Drawing};
use egui::Key;
use image::codecs::openexr::OpenExrEncoder;
use image::{DynamicImage, ExtendedColorType, ImageEncoder};
use sonobrush::base::Progress;
use sonobrush::document::Signal;
use sonobrush::document::output::cells_file::{CellsFormat, CellsOutput, write_cells};
use sonobrush::dsp::StftParams;
use sonobrush::workbench::commands::{FileCommand, ViewCommand};
use sonobrush::workbench::{ChannelView, FileAct, Picked, TabAct};
use std::path::Path;

/// One second of noise on each of two channels.
fn bench() -> Bench {
    bench_with(Drawing::None, &[noise(48_000, 0.1, 1), noise(48_000, 0.1, 2)])
}

/// Saves the cells of what is selected: `NAME.ch1.exr` and `NAME.ch2.exr`.
fn save(bench: &mut Bench, name: &str) {
    bench.dialogs.answer(Picked::File(bench.out(name)));
    bench.act(FileCommand::SaveCells);
    bench.settle();
}

/// Opens a picture by the command of the File menu.
fn bring_back(bench: &mut Bench, name: &str) {
    bench.dialogs.answer(Picked::File(bench.out(name)));
    bench.act(FileCommand::OpenCells);
    bench.settle();
}

/// Drops files on the window.
fn drop_files(bench: &mut Bench, names: &[&str]) {
    bench.act(FileAct::Open(names.iter().map(|name| bench.out(name)).collect()));
    bench.settle();
}

fn both(bench: &Bench) -> [Vec<f32>; 2] {
    [bench.samples(0), bench.samples(1)]
}

fn says(bench: &Bench, what: &str) -> bool {
    bench.notices().iter().any(|(_, reported)| reported.contains(what))
}

/// Paints over a picture as another program does, which knows nothing of the cells: what `paint` makes of the size and
/// the pixels.
fn paint_over(path: &Path, paint: impl FnOnce([usize; 2], &mut [[f32; 3]])) {
    let DynamicImage::ImageRgb32F(picture) = image::open(path).unwrap() else { panic!("not three floats") };
    let size = [picture.width() as usize, picture.height() as usize];
    let mut pixels: Vec<[f32; 3]> = picture.pixels().map(|pixel| pixel.0).collect();
    paint(size, &mut pixels);
    let file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    let [width, height] = size.map(|side| side as u32);
    let bytes = bytemuck::cast_slice(&pixels);
    OpenExrEncoder::new(file).write_image(bytes, width, height, ExtendedColorType::Rgb32F).unwrap();
}

#[test]
fn cells_that_nobody_painted_over_change_nothing() {
    let mut bench = bench();
    bench.select(Some([0.2, 0.6]), Some([1_000.0, 4_000.0]));
    let before = both(&bench);
    save(&mut bench, "cells");
    bring_back(&mut bench, "cells.ch1.exr");
    assert!(says(&bench, "Nothing was painted over in the picture"), "{:?}", bench.notices());
    // Saved again by another program, and dropped with what lies beside it.
    paint_over(&bench.out("cells.ch2.exr"), |_, _| ());
    drop_files(&mut bench, &["cells.ch1.exr", "cells.ch1.json", "cells.ch2.json", "cells.ch2.exr"]);
    assert_eq!((n_entries(&bench), both(&bench)), (1, before), "{:?}", bench.notices());
    assert!(bench.studio().document().unwrap().floating().is_none(), "it is no picture that becomes sound");
    assert!(!says(&bench, "Cannot"), "{:?}", bench.notices());
}

/// A rectangle painted black: there the sound is gone, and elsewhere nothing has changed.
#[test]
fn a_rectangle_that_was_painted_over_comes_back_to_its_place() {
    for is_dropped in [false, true] {
        let mut bench = bench();
        bench.select(Some([0.2, 0.8]), None);
        save(&mut bench, "cells");
        let before = both(&bench);
        let picture = bench.out("cells.ch2.exr");
        let sidecar: serde_json::Value =
            serde_json::from_slice(&std::fs::read(bench.out("cells.ch2.json")).unwrap()).unwrap();
        let first_frame = sidecar["first_frame"].as_u64().unwrap() as usize;
        let (columns, bins) = (20..36, 100..400);
        paint_over(&picture, |[width, height], pixels| {
            for bin in bins.clone() {
                for column in columns.clone() {
                    pixels[(height - 1 - bin) * width + column][0] = 0.0;
                }
            }
        });
        // Independent of the selection, the view and the tool by then.
        bench.select(Some([0.0, 0.05]), Some([100.0, 200.0]));
        if is_dropped {
            drop_files(&mut bench, &["cells.ch2.exr"]);
        } else {
            bring_back(&mut bench, "cells.ch2.exr");
        }
        assert_eq!(n_entries(&bench), 2, "one step: {:?}", bench.notices());
        let after = both(&bench);
        assert_eq!(after[0], before[0], "the other channel");
        let StftParams { n_fft, hop, .. } = StftParams::for_rate(RATE);
        let touched = changed(&before[1], &after[1]);
        let frame = |column: usize| (first_frame + column) * hop;
        let reach = frame(columns.start) - n_fft / 2..frame(columns.end - 1) + n_fft / 2;
        assert!(touched.len() > 4_000 && touched.iter().all(|at| reach.contains(at)), "{reach:?}: {touched:?}");
        // In the middle of the rectangle it is silent; beside it, as loud as it was.
        let level = |samples: &[f32], hz: f64| {
            let middle = frame(columns.start + 8) - 1_024;
            let part = |turn: fn(f64) -> f64| -> f64 {
                let step = std::f64::consts::TAU * hz / RATE;
                let hann = |i: usize| 0.5 - 0.5 * (std::f64::consts::TAU * i as f64 / 2_048.0).cos();
                (0..2_048).map(|i| f64::from(samples[middle + i]) * hann(i) * turn(step * i as f64)).sum()
            };
            part(f64::cos).hypot(part(f64::sin))
        };
        let bin_hz = RATE / n_fft as f64;
        let loss_db = |bin: f64| 20.0 * (level(&after[1], bin * bin_hz) / level(&before[1], bin * bin_hz)).log10();
        assert!(loss_db(250.0) < -50.0, "{} dB", loss_db(250.0));
        assert!(loss_db(450.0).abs() < 0.1, "{} dB", loss_db(450.0));
        bench.key(CTRL, Key::Z);
        assert_eq!(both(&bench), before, "one step back");
    }
}

/// A pair of PNG files is one picture, also where both are dropped.
#[test]
fn a_pair_of_png_files_is_put_back_once() {
    let mut bench = bench();
    let output = CellsOutput {
        signal: Signal::Channel(0),
        transform: StftParams::for_rate(RATE).into(),
        secs: None,
        hz: None,
        format: CellsFormat::Png { range_db: [-120.0, 0.0] },
    };
    let snapshot = bench.studio().document().unwrap().history().current().clone();
    let plans = crate::support::engines::cpu().plans().clone();
    write_cells(&snapshot, &output, &bench.out("pair.png"), &plans, &Progress::new()).unwrap();
    let path = bench.out("pair.level.png");
    let DynamicImage::ImageLuma16(mut level) = image::open(&path).unwrap() else { panic!("not 16 bits") };
    (300..500).for_each(|row| level.put_pixel(40, row, image::Luma([0])));
    level.save(&path).unwrap();
    drop_files(&mut bench, &["pair.json", "pair.phase.png", "pair.level.png"]);
    assert_eq!(n_entries(&bench), 2, "{:?}", bench.notices());
    assert_ne!(bench.samples(0), snapshot_samples(&snapshot));
}

/// Saved under a name that ends in `.png`: two pictures over the levels in view, put back by either of them.
#[test]
fn a_pair_of_png_files_goes_out_of_the_window_and_comes_back() {
    for is_dropped in [false, true] {
        let mut bench = bench();
        bench.act(ViewCommand::Channels(ChannelView::One(0)));
        bench.set_view(|view| view.range_db = [-110.0, -10.0]);
        bench.select(Some([0.2, 0.8]), None);
        save(&mut bench, "pair.PNG");
        assert!(says(&bench, "Saved pair.level.png, pair.phase.png."), "{:?}", bench.notices());
        assert!(!bench.out("pair.PNG").exists());
        let sidecar: serde_json::Value =
            serde_json::from_slice(&std::fs::read(bench.out("pair.json")).unwrap()).unwrap();
        assert_eq!(sidecar["format"], serde_json::json!({"png": {"range_db": [-110.0, -10.0]}}));
        let before = both(&bench);
        bring_back(&mut bench, "pair.phase.png");
        assert!(says(&bench, "Nothing was painted over in the picture"), "{:?}", bench.notices());

        let path = bench.out("pair.level.png");
        let DynamicImage::ImageLuma16(mut level) = image::open(&path).unwrap() else { panic!("not 16 bits") };
        (0..level.height()).for_each(|row| level.put_pixel(20, row, image::Luma([0])));
        level.save(&path).unwrap();
        if is_dropped {
            drop_files(&mut bench, &["pair.phase.png"]);
        } else {
            bring_back(&mut bench, "pair.level.png");
        }
        assert_eq!((n_entries(&bench), bench.samples(1)), (2, before[1].clone()), "{:?}", bench.notices());
        let StftParams { n_fft, hop, .. } = StftParams::for_rate(RATE);
        let middle = (sidecar["first_frame"].as_u64().unwrap() as usize + 20) * hop;
        let touched = changed(&before[0], &bench.samples(0));
        let reach = middle - n_fft / 2..middle + n_fft / 2;
        assert!(touched.len() > 1_000 && touched.iter().all(|at| reach.contains(at)), "{reach:?}: {touched:?}");
    }
}

/// The dialog has asked about the name that was given; none of these files has it.
#[test]
fn no_file_of_a_picture_is_replaced_without_asking() {
    for (there, name) in [
        ("pair.ch2.phase.png", "pair.png"),
        ("pair.ch1.level.png", "pair.png"),
        // Picking one file of a pair opens the pair.
        ("pair.ch1.level.png", "pair.phase.png"),
        ("pair.ch2.exr", "pair.exr"),
    ] {
        let mut bench = bench();
        bench.select(Some([0.2, 0.4]), None);
        let file = bench.out(there);
        let is_mine =
            |reported: &str| assert_eq!(std::fs::read(&file).unwrap(), b"mine", "{there}, {name}: {reported}");
        std::fs::write(&file, b"mine").unwrap();
        save(&mut bench, name);
        assert!(bench.has("Files of these cells already exist and would be replaced."), "{there}, {name}");
        is_mine("before the answer");
        bench.click("Cancel");
        is_mine("after a no");
        assert!(!bench.out("pair.ch1.json").exists(), "{there}, {name}");
        save(&mut bench, name);
        bench.click("Replace");
        assert!(says(&bench, there), "{:?}", bench.notices());
        assert_ne!(std::fs::read(&file).unwrap(), b"mine", "{there}, {name}");
        // No such file exists: saves without a question.
        save(&mut bench, "other.png");
        assert!(says(&bench, "Saved other.ch1.level.png, other.ch1.phase.png, other.ch2.level.png"), "{there}, {name}");
    }
}

fn snapshot_samples(snapshot: &sonobrush::document::Snapshot) -> Vec<f32> {
    let mut samples = vec![0.0; snapshot.n_samples() as usize];
    snapshot.read(0, 0, &mut samples).unwrap();
    samples
}

/// Into the sound that they were saved from, whichever is in front.
#[test]
fn cells_go_to_the_sound_that_they_were_saved_from() {
    let mut bench = bench();
    let theirs = bench.studio().document().unwrap().id();
    bench.select(Some([0.0, 1.0]), None);
    save(&mut bench, "cells");
    paint_over(&bench.out("cells.ch1.exr"), |_, pixels| pixels.iter_mut().for_each(|pixel| pixel[0] = 0.0));
    std::fs::copy(bench.out("sound.wav"), bench.out("copy.wav")).unwrap();
    let copy = bench.out("copy.wav");
    bench.open(copy);
    bench.settle();
    assert_ne!(bench.studio().document().unwrap().id(), theirs);
    bring_back(&mut bench, "cells.ch1.exr");
    assert_eq!((bench.studio().document().unwrap().id(), n_entries(&bench)), (theirs, 2), "{:?}", bench.notices());
    // All cells in view were painted black: all but what lies below 20 Hz, or in the windows around both ends.
    let left = bench.samples(0)[4_096..44_000].iter().map(|sample| sample.abs()).fold(0.0, f32::max);
    assert!(left < 0.02, "{left} of 0.1");
    // Once that is closed: into what is in front, which is the same sound under another name.
    bench.key(CTRL, Key::Z);
    bench.act(TabAct::Close(theirs));
    bench.settle();
    bring_back(&mut bench, "cells.ch1.exr");
    assert_eq!(n_entries(&bench), 2, "{:?}", bench.notices());
    assert!(!says(&bench, "has changed since"), "{:?}", bench.notices());
    // Where nothing is open, their sound is opened first.
    let mut empty = Bench::new(Drawing::None);
    empty.act(FileAct::Open(vec![bench.out("cells.ch1.exr")]));
    empty.settle();
    assert_eq!(empty.studio().workbench().documents().len(), 1, "{:?}", empty.notices());
    assert_eq!((empty.studio().document().unwrap().name(), n_entries(&empty)), ("sound.wav".into(), 2));
}

#[test]
fn what_is_no_picture_of_these_cells_is_refused_with_one_sentence() {
    let mut bench = bench();
    bench.select(Some([0.2, 0.3]), None);
    save(&mut bench, "cells");
    let refused = |bench: &mut Bench, name: &str, why: &str| {
        bring_back(bench, name);
        assert!(says(bench, why), "{why}: {:?}", bench.notices());
        assert_eq!(n_entries(bench), 1);
    };
    // Of another program: it has no sidecar, or one of something else.
    std::fs::copy(bench.out("cells.ch1.exr"), bench.out("foreign.exr")).unwrap();
    refused(&mut bench, "foreign.exr", "it has no foreign.json beside it, which says which cells it shows");
    std::fs::write(bench.out("foreign.json"), r#"{"version": 1, "camera": "A"}"#).unwrap();
    refused(&mut bench, "foreign.exr", "foreign.json: it is not the sidecar of a picture of cells");
    // Dropped, it is a picture that becomes sound; so is a picture of cells if the user requests it.
    drop_files(&mut bench, &["foreign.exr"]);
    assert!(bench.studio().document().unwrap().floating().is_some(), "{:?}", bench.notices());
    bench.key(crate::support::studio::NONE, Key::Escape);
    bench.dialogs.answer(Picked::File(bench.out("cells.ch1.exr")));
    bench.act(FileCommand::OpenPicture);
    bench.settle();
    assert!(bench.studio().document().unwrap().floating().is_some(), "{:?}", bench.notices());
    bench.key(crate::support::studio::NONE, Key::Escape);
    // Cropped.
    std::fs::copy(bench.out("cells.ch2.json"), bench.out("cropped.json")).unwrap();
    let file = std::io::BufWriter::new(std::fs::File::create(bench.out("cropped.exr")).unwrap());
    OpenExrEncoder::new(file).write_image(&[0; 24], 2, 1, ExtendedColorType::Rgb32F).unwrap();
    refused(&mut bench, "cropped.exr", "do not crop or scale it");
    // No sound is open, and theirs is gone.
    let id = bench.studio().document().unwrap().id();
    bench.act(TabAct::Close(id));
    bench.settle();
    std::fs::remove_file(bench.out("sound.wav")).unwrap();
    drop_files(&mut bench, &["cells.ch1.exr"]);
    assert!(
        says(&bench, "Cannot put back cells.ch1.exr: it shows cells of sound.wav; open the sound first"),
        "{:?}",
        bench.notices()
    );
    assert!(bench.studio().document().is_none());
}

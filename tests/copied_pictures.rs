//! Pictures through the clipboard of the system, cells saved as files, and pictures found where people look for them.

use crate::hearing::{bench_with, n_entries};
use crate::support::engines::cpu;
use crate::support::signals::{noise, tone};
use crate::support::studio::{Bench, CTRL, Drawing, NONE};
use egui::{Color32, ColorImage, Event, Key};
use sonobrush::base::Progress;
use sonobrush::document::Signal;
use sonobrush::document::brushes::{PictureBrush, PictureImage};
use sonobrush::document::output::cells_file::{CellsFormat, CellsOutput, write_cells};
use sonobrush::dsp::strokes::picture::Bitmap;
use sonobrush::dsp::{Axis, StftParams};
use sonobrush::workbench::commands::{ClipboardCommand, FileCommand, ViewCommand, WindowCommand};
use sonobrush::workbench::{ChannelView, DocumentAct, FileAct, Floating, NewCanvas, OpenDocument, Picked, Reply};
use std::path::PathBuf;
use std::sync::Arc;

fn document(bench: &Bench) -> &OpenDocument {
    bench.studio().document().unwrap()
}

fn floating(bench: &Bench) -> Option<Floating> {
    bench.studio().document().and_then(|document| document.floating().cloned())
}

fn picture(bench: &Bench) -> Option<PictureBrush> {
    floating(bench).and_then(|floating| floating.picture().cloned())
}

fn pixels(brush: &PictureBrush) -> Arc<Bitmap> {
    match &brush.image {
        PictureImage::Embedded(picture, _) => picture.bitmap().unwrap(),
        PictureImage::File(path) => panic!("{path:?} is not embedded"),
    }
}

fn says(bench: &Bench, what: &str) -> bool {
    bench.notices().iter().any(|(_, reported)| reported.contains(what))
}

/// Two columns of two pixels: black, white, grey, black.
const GREYS: [u8; 4] = [0, 255, 128, 0];

fn write_picture(bench: &Bench) -> PathBuf {
    let path = bench.out("small.png");
    image::save_buffer(&path, &GREYS, 2, 2, image::ExtendedColorType::L8).unwrap();
    path
}

/// Ctrl+V while the clipboard holds an image and no text, as the windowing system reports it.
fn paste(bench: &mut Bench, image: ColorImage) {
    bench.harness.event(Event::PasteImage(Arc::new(image)));
    bench.settle();
}

/// The image that was given to the clipboard.
fn copied(bench: &mut Bench, act: impl FnOnce(&mut Bench)) -> ColorImage {
    act(bench);
    for _ in 0..20 {
        let commands = &bench.harness.output().platform_output.commands;
        let image = commands.iter().find_map(|command| match command {
            egui::OutputCommand::CopyImage(image) => Some(image.clone()),
            _ => None,
        });
        if let Some(image) = image {
            bench.settle();
            return image;
        }
        bench.jobs.run_until_idle();
        bench.harness.step();
    }
    panic!("no image was copied: {:?}", bench.notices());
}

#[test]
fn a_pasted_picture_floats_as_a_dropped_one_does() {
    let mut bench = bench_with(Drawing::None, &[tone(96_000, 48_000.0, 440.0, 0.1)]);
    paste(&mut bench, ColorImage::new([2, 2], GREYS.map(Color32::from_gray).to_vec()));
    let pasted = picture(&bench).unwrap();
    assert!(says(&bench, "The picture is floating"));
    bench.key(NONE, Key::Escape);
    let path = write_picture(&bench);
    bench.open(path);
    bench.settle();
    let dropped = picture(&bench).unwrap();
    assert_eq!((pasted.area, pixels(&pasted)), (dropped.area, pixels(&dropped)));
    bench.key(NONE, Key::Escape);

    // Colours and alpha come through; egui multiplies one by the other on the way.
    let colours = [[200, 100, 50, 255], [10, 20, 30, 255]];
    let image = |pixels: [[u8; 4]; 2]| {
        ColorImage::new([2, 1], pixels.map(|[r, g, b, a]| Color32::from_rgba_unmultiplied(r, g, b, a)).to_vec())
    };
    paste(&mut bench, image(colours));
    let bitmap = pixels(&picture(&bench).unwrap());
    assert_eq!((bitmap.n_channels(), bitmap.colour(0, 0)), (3, [200.0, 100.0, 50.0].map(|value| value / 255.0)));
    bench.key(NONE, Key::Escape);
    paste(&mut bench, image([[200, 100, 50, 128], colours[1]]));
    let bitmap = pixels(&picture(&bench).unwrap());
    assert_eq!((bitmap.n_channels(), bitmap.alpha(0, 0)), (4, 128.0 / 255.0));
    assert!((bitmap.colour(0, 0)[0] - 200.0 / 255.0).abs() < 0.02);
    bench.key(NONE, Key::Escape);

    // With text on the clipboard it is the sound that was copied.
    bench.select(Some([0.5, 1.0]), None);
    bench.key(CTRL, Key::C);
    bench.harness.event(Event::Paste("anything".into()));
    bench.settle();
    assert!(floating(&bench).unwrap().clip().is_some());
    // A picture after it: what floated is placed.
    paste(&mut bench, image(colours));
    assert!(picture(&bench).is_some() && n_entries(&bench) == 2);
    bench.key(NONE, Key::Escape);
    // A focused field takes the paste.
    bench.click("Find a command\u{2026}");
    paste(&mut bench, image(colours));
    bench.key(NONE, Key::Escape);
    assert!(picture(&bench).is_none());
}

#[test]
fn a_pasted_picture_without_a_file_opens_a_canvas_and_one_that_cannot_be_is_told() {
    let mut bench = Bench::new(Drawing::None);
    paste(&mut bench, ColorImage::filled([20_000, 1], Color32::WHITE));
    assert!(says(&bench, "pasted picture"), "{:?}", bench.notices());
    assert!(says(&bench, "20000 x 1 pixels, over the limit of 16384 a side"), "{:?}", bench.notices());
    paste(&mut bench, ColorImage::new([0, 0], Vec::new()));
    assert!(says(&bench, "has no pixels") && bench.studio().document().is_none(), "{:?}", bench.notices());
    paste(&mut bench, ColorImage::filled([3, 2], Color32::GRAY));
    assert!(picture(&bench).is_some());
    assert_eq!(document(&bench).duration_secs(), NewCanvas::default().secs);
}

/// A tone of -26 dB: seen in the picture that is copied, and heard where it was once that is pasted, painted over or
/// not.
#[test]
fn what_is_copied_as_a_picture_comes_back_as_sound() {
    let level = 0.05;
    let mut bench = bench_with(Drawing::None, &[tone(96_000, 48_000.0, 1_000.0, level)]);
    bench.set_view(|view| (view.axis, view.range_db) = (Axis::Log, [-100.0, 0.0]));
    bench.select(Some([0.4, 1.6]), Some([500.0, 2_000.0]));
    let image = copied(&mut bench, |bench| bench.act(ClipboardCommand::CopyPicture));
    assert!(says(&bench, "Copied a picture of"), "{:?}", bench.notices());
    let [width, height] = image.size;
    // A column for each frame of 512 samples, a row for each bin of 23.4 Hz.
    assert_eq!(image.size, [113, 64]);
    let value = |x: usize, y: usize| image.pixels[y * width + x].r();
    let brightest = (0..height).max_by_key(|&y| value(width / 2, y)).unwrap();
    let hz = 500.0 * 4f64.powf(1.0 - (brightest as f64 + 0.5) / height as f64);
    assert!((hz / 1_000.0).log2().abs() < 0.05, "{hz}");
    let db = f64::from(value(width / 2, brightest)) / 255.0 * 100.0 - 100.0;
    assert!((db - 20.0 * level.log10()).abs() < 1.5, "{db} dB");
    assert_eq!((value(width / 2, 0), value(width / 2, height - 1)), (0, 0), "silence is black");

    bench.act(Reply::New { canvas: NewCanvas { secs: 2.0, rate_hz: 48_000, n_channels: 1 }, has_picture: false });
    bench.settle();
    // Painted over: another picture of the same size.
    let mut painted = image.clone();
    painted.pixels[3] = Color32::from_rgb(9, 8, 7);
    for image in [image.clone(), painted] {
        paste(&mut bench, image);
        let brush = picture(&bench).unwrap();
        assert_eq!((brush.area.hz, brush.area.axis, brush.range_db), ([500.0, 2_000.0], Axis::Log, [-100.0, 0.0]));
        assert!((brush.area.secs[1] - brush.area.secs[0] - 1.2).abs() < 1e-9);
        bench.key(CTRL, Key::Enter);
        let samples = bench.samples(0);
        let middle = &samples[14_400..43_200];
        let rms = (middle.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / middle.len() as f64).sqrt();
        let off_db = 20.0 * (rms / (level / 2f64.sqrt())).log10();
        assert!(off_db.abs() < 4.0, "{off_db} dB off");
        bench.key(CTRL, Key::Z);
    }
    // The control: a picture of another size lies where pictures do.
    paste(&mut bench, ColorImage::filled([width + 1, height], Color32::GRAY));
    let brush = picture(&bench).unwrap();
    assert_eq!(brush.range_db, PictureBrush::RANGE_DB);
    assert_ne!(brush.area.hz, [500.0, 2_000.0]);
    // Without a selection it is the view.
    bench.key(NONE, Key::Escape);
    bench.set_view(|view| (view.secs, view.hz, view.axis) = ([0.5, 1.5], [100.0, 1_100.0], Axis::Linear));
    let image = copied(&mut bench, |bench| bench.act(ClipboardCommand::CopyPicture));
    assert_eq!(image.size, [94, 43]);
}

#[test]
fn cells_are_saved_as_the_command_line_saves_them() {
    let mut bench = bench_with(Drawing::None, &[noise(48_000, 0.1, 1), noise(48_000, 0.1, 2)]);
    bench.select(Some([0.2, 0.6]), Some([1_000.0, 4_000.0]));
    let save = |bench: &mut Bench, name: &str| {
        bench.dialogs.answer(Picked::File(bench.out(name)));
        bench.act(FileCommand::SaveCells);
        bench.settle();
    };
    save(&mut bench, "cells");
    assert!(says(&bench, "Saved cells.ch1.exr, cells.ch2.exr."), "{:?}", bench.notices());
    for (channel, name) in ["ch1", "ch2"].into_iter().enumerate() {
        let output = CellsOutput {
            signal: Signal::Channel(channel),
            transform: StftParams::for_rate(48_000.0).into(),
            secs: Some([0.2, 0.6]),
            hz: Some([1_000.0, 4_000.0]),
            format: CellsFormat::Exr,
        };
        let snapshot = document(&bench).history().current();
        write_cells(snapshot, &output, &bench.out("other.exr"), cpu().plans(), &Progress::new()).unwrap();
        for ending in ["exr", "json"] {
            let read = |stem: &str| std::fs::read(bench.out(&format!("{stem}.{ending}"))).unwrap();
            assert_eq!(read(&format!("cells.{name}")), read("other"), "{name}.{ending}");
        }
    }
    assert!(!bench.out("cells.exr").exists());
    // One channel, what is in view, over what was saved before.
    bench.act(ViewCommand::Channels(ChannelView::One(1)));
    bench.act(DocumentAct::Select(None));
    bench.set_view(|view| view.secs = [0.0, 0.25]);
    for _ in 0..2 {
        save(&mut bench, "one.exr");
    }
    let sidecar = std::fs::read(bench.out("one.json")).unwrap();
    let sidecar: serde_json::Value = serde_json::from_slice(&sidecar).unwrap();
    assert_eq!((&sidecar["channel"], &sidecar["columns"]), (&1.into(), &24.into()));
    // What is not ours stays.
    std::fs::write(bench.out("mine.json"), "{}").unwrap();
    save(&mut bench, "mine.exr");
    assert!(says(&bench, "already exists and is not the sidecar of a picture of cells"), "{:?}", bench.notices());
    assert!(std::fs::read(bench.out("mine.json")).unwrap() == b"{}" && !bench.out("mine.exr").exists());
}

#[test]
fn a_picture_is_opened_as_sound_from_wherever_one_looks() {
    let opened = |bench: &Bench| {
        let brush = picture(bench).unwrap();
        assert_eq!(pixels(&brush).size(), [2, 2]);
        document(bench).duration_secs()
    };
    let mut bench = Bench::new(Drawing::None);
    let path = write_picture(&bench);
    bench.dialogs.answer(Picked::File(path.clone()));
    bench.click("Open picture as sound\u{2026}");
    assert_eq!(opened(&bench), 10.0);
    // Over a new canvas, of the size that was typed.
    bench.key(CTRL, Key::N);
    bench.dialogs.answer(Picked::File(path.clone()));
    bench.click("With a picture\u{2026}");
    assert_eq!((opened(&bench), bench.studio().workbench().documents().len()), (10.0, 2));
    // The command itself, over what is in front.
    bench.key(NONE, Key::Escape);
    bench.dialogs.answer(Picked::File(path.clone()));
    bench.act(FileCommand::OpenPicture);
    bench.settle();
    assert_eq!((opened(&bench), bench.studio().workbench().documents().len()), (10.0, 2));
    // File, Open.
    let mut bench = Bench::new(Drawing::None);
    bench.dialogs.answer(Picked::File(path.clone()));
    bench.key(CTRL, Key::O);
    assert_eq!(opened(&bench), 10.0);
    // As the command line gives it.
    let mut bench = Bench::new(Drawing::None);
    bench.act(FileAct::LookForSessions { agreed: None, files: vec![path] });
    bench.settle();
    assert_eq!(opened(&bench), 10.0);
    assert!(says(&bench, "The picture is floating"));
}

/// The menu sends no key event: the studio requests a paste, and the system answers as it does for Ctrl+V.
#[test]
fn the_menu_asks_the_system_for_what_it_holds() {
    let mut bench = bench_with(Drawing::None, &[vec![0.0; 48_000]]);
    bench.act(WindowCommand::PastePicture);
    let mut is_requested = false;
    for _ in 0..5 {
        bench.harness.step();
        let viewports = &bench.harness.output().viewport_output;
        let commands = viewports.get(&egui::ViewportId::ROOT).map(|viewport| viewport.commands.as_slice());
        is_requested |= commands.unwrap_or_default().contains(&egui::ViewportCommand::RequestPaste);
    }
    assert!(is_requested);
    paste(&mut bench, ColorImage::filled([3, 2], Color32::GRAY));
    assert!(picture(&bench).is_some());
}

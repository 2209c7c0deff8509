//! What floats, placed by numbers that are typed into the selection panel.

use crate::hearing::{bench_with, n_entries};
use crate::support::studio::{Bench, CTRL, Drawing};
use egui::Key;
use egui_kittest::kittest::Queryable;
use sonobrush::document::brushes::PictureBrush;
use sonobrush::dsp::Axis;
use sonobrush::dsp::strokes::picture::PictureTurn;
use sonobrush::workbench::{DocumentAct, Floating};
use std::path::PathBuf;

fn floating(bench: &Bench) -> Option<Floating> {
    bench.studio().document().and_then(|document| document.floating().cloned())
}

fn picture(bench: &Bench) -> Option<PictureBrush> {
    floating(bench).and_then(|floating| floating.picture().cloned())
}

fn write_picture(bench: &Bench) -> PathBuf {
    let path = bench.out("small.png");
    image::save_buffer(&path, &[0, 255, 128, 0], 2, 2, image::ExtendedColorType::L8).unwrap();
    path
}

#[test]
fn a_floating_picture_is_placed_by_numbers() {
    let mut bench = bench_with(Drawing::None, &[vec![0.0; 96_000]]);
    bench.set_view(|view| (view.axis, view.secs, view.hz) = (Axis::Log, [0.0, 2.0], [100.0, 10_000.0]));
    bench.settle();
    assert!(bench.has("Start of the selection") && !bench.has("Start of the picture"));
    let path = write_picture(&bench);
    bench.open(path);
    bench.settle();
    assert!(bench.has("Start of the picture") && !bench.has("Start of the selection"));
    // One typed behind the other end stays before it, and half a number is no place.
    bench.enter("End of the picture", "12");
    bench.enter("Start of the picture", "250 ms");
    bench.enter("End of the picture", "0:01.5");
    bench.enter("Highest frequency of the picture", "8k");
    bench.enter("Lowest frequency of the picture", "A4");
    let area = picture(&bench).unwrap().area;
    assert_eq!((area.secs, area.hz), ([0.25, 1.5], [440.0, 8_000.0]));
    bench.enter("End of the picture", "0.1");
    assert!((picture(&bench).unwrap().area.secs[1] - 0.251).abs() < 1e-9, "behind its start");
    bench.enter("Start of the picture", "-0.5");
    assert_eq!(picture(&bench).unwrap().area.secs[0], -0.5);
    bench.enter("Start of the picture", "nonsense");
    assert_eq!(picture(&bench).unwrap().area.secs[0], -0.5);
    bench.click("Turn of the picture");
    bench.harness.get_all_by_label("270\u{b0}").last().unwrap().click();
    bench.settle();
    bench.click("Flip");
    let look = picture(&bench).unwrap().look;
    assert_eq!((look.turn, look.is_flipped), (PictureTurn::ThreeQuarters, true));
    // Enter in a field is that field's; then it places the picture.
    assert_eq!(n_entries(&bench), 1);
    let mut brush = picture(&bench).unwrap();
    brush.steps = 0;
    bench.act(DocumentAct::FloatPicture(Box::new(brush)));
    bench.key(CTRL, Key::Enter);
    assert!(picture(&bench).is_none() && n_entries(&bench) == 2);
    assert!(bench.has("Start of the selection"));
}

#[test]
fn floating_notes_are_placed_by_numbers() {
    let mut bench = bench_with(Drawing::None, &[vec![0.0; 144_000]]);
    let path = bench.out("score.json");
    let score = r#"{"version": 1, "timbre": "organ", "notes": [{"pitch": "C4", "start": 0, "duration": 0.3}]}"#;
    std::fs::write(&path, score).unwrap();
    bench.open(path);
    bench.settle();
    bench.enter("Start of the notes", "1.25");
    bench.enter("Transposition of the notes", "-2");
    let notes = floating(&bench).unwrap().notes().cloned().unwrap();
    assert_eq!((notes.at_secs, notes.pitches()), (1.25, [58.0, 58.0]));
    assert_eq!(n_entries(&bench), 1, "Enter in a field is that field's");
    bench.key(CTRL, Key::Enter);
    assert!(floating(&bench).is_none() && n_entries(&bench) == 2);
    let first = bench.samples(0).iter().position(|sample| *sample != 0.0).unwrap();
    assert!((60_000..60_010).contains(&first), "{first}");
}

//! The first minute: an empty window explains itself, long work can be seen and stopped, errors say what to do next.

use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT, clip, has_gpu};
use egui_kittest::kittest::Queryable;
use sonobrush::workbench::FileAct;
use sonobrush::workbench::Picked;
use sonobrush::workbench::Severity;
use sonobrush::workbench::Tool;
use sonobrush::workbench::commands::FileCommand;
use std::path::PathBuf;

/// Whether each error that stands says what to do: in its own sentence, after a semicolon, or as advice.
fn assert_advised(bench: &Bench, n_errors: usize) {
    let errors: Vec<_> =
        bench.studio().notices().all().iter().filter(|notice| notice.severity == Severity::Error).collect();
    assert_eq!(errors.len(), n_errors, "{errors:?}");
    for error in errors {
        let has_advice = error.advice.as_deref().is_some_and(|advice| advice.ends_with('.') && advice.len() > 20);
        assert!(has_advice || error.what.contains("; "), "{error:?}");
    }
}

#[test]
fn an_empty_window_explains_itself_and_offers_a_clip() {
    let mut bench = Bench::new(Drawing::None);
    assert!(bench.has("Drop a sound here to see it, hear it and paint on it."));
    bench.click("Open demo clip");
    let document = bench.studio().document().expect("a document");
    assert!(document.duration_secs() > 1.0);
}

/// What the card says is done with one drag along the line that is pointed at, with the brush that is in hand.
#[test]
fn the_demo_clip_is_opened_with_the_stroke_that_its_card_promises() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::new(Drawing::Wgpu);
    bench.click("Open demo clip");
    assert_eq!(bench.tools().active(), Tool::ERASE);
    let sentence = "Drag along this line: the Erase brush takes one partial out of the chord.";
    assert!(bench.has(sentence));
    let proposed = bench.studio().workbench().proposed_stroke().unwrap();
    let before = bench.samples(0);
    let at = bench.studio().viewport().unwrap();
    let y = at.y_from_hz(proposed.hz) as f32;
    let x = |part: f64| at.x_from_secs(proposed.secs[0] + part * (proposed.secs[1] - proposed.secs[0])) as f32;
    let places: Vec<egui::Pos2> = (0..=20).map(|i| egui::pos2(x(f64::from(i) / 20.0), y)).collect();
    bench.drag(&places);
    assert_eq!(bench.studio().document().unwrap().history().position(), 1, "{:?}", bench.notices());
    assert!(!bench.has(sentence), "it is said until it is done");
    let after = bench.samples(0);
    // From 1.5 to 4 s, through a window: the partial is gone, and those of the strings around it are not.
    let level = |sound: &[f32], hz: f64| {
        let part = &sound[66_150..176_400];
        let n = part.len() as f64;
        let sum = part.iter().enumerate().fold([0.0; 2], |[re, im], (i, &value)| {
            let (sin, cos) = (std::f64::consts::TAU * hz * i as f64 / 44_100.0).sin_cos();
            let window = 0.5 - 0.5 * (std::f64::consts::TAU * i as f64 / n).cos();
            [re + window * f64::from(value) * cos, im + window * f64::from(value) * sin]
        });
        10.0 * (sum[0] * sum[0] + sum[1] * sum[1]).log10()
    };
    let loudest = |sound: &[f32], [low, high]: [f64; 2]| {
        (0..=(high - low) as usize).map(|i| level(sound, low + i as f64)).fold(f64::NEG_INFINITY, f64::max)
    };
    let lost_db = |band: [f64; 2]| loudest(&before, band) - loudest(&after, band);
    assert!(lost_db([580.0, 604.0]) > 20.0, "{} dB", lost_db([580.0, 604.0]));
    for band in [[240.0, 256.0], [488.0, 504.0], [1_170.0, 1_194.0]] {
        assert!(lost_db(band).abs() < 1.0, "{band:?}: {} dB", lost_db(band));
    }
    bench.key(CTRL, egui::Key::Z);
    bench.pick(Tool::GAIN);
    bench.settle();
    assert!(!bench.has(sentence), "nor with another tool");
}

#[test]
fn every_error_says_what_to_do_next() {
    let mut bench = Bench::new(Drawing::None);
    let mut n_errors = 0;
    let words = bench.out("words.wav");
    std::fs::write(&words, "only words").unwrap();
    let folder = bench.out("folder");
    std::fs::create_dir(&folder).unwrap();
    for path in [bench.out("nowhere.wav"), words, folder] {
        bench.dialogs.answer(Picked::File(path));
        bench.key(CTRL, egui::Key::O);
        n_errors += 1;
        assert_advised(&bench, n_errors);
    }
    // An opened file removes these notices.
    bench.click("Open demo clip");
    assert_advised(&bench, 0);
    let unreachable = bench.out("no such folder").join("out.wav");
    bench.dialogs.answer(Picked::File(unreachable));
    bench.key(CTRL, egui::Key::E);
    bench.click("Save as\u{2026}");
    assert_advised(&bench, 1);
}

#[test]
fn a_missing_sound_device_says_what_to_do_next() {
    let mut bench = Bench::with_clip(Drawing::None, "drum_break_44k_stereo.flac");
    bench.recorder.set_present(false);
    bench.harness.key_press(egui::Key::Space);
    let began = std::time::Instant::now();
    while bench.studio().notices().all().is_empty() {
        bench.harness.step();
        assert!(began.elapsed().as_secs() < 20, "no word of the missing device");
    }
    assert_advised(&bench, 1);
}

#[test]
fn long_work_is_shown_and_can_be_stopped() {
    let mut bench = Bench::with_clip(Drawing::None, "drum_break_44k_stereo.flac");
    bench.select(Some([0.1, 0.9]), Some([200.0, 5_000.0]));
    // Jobs wait until the test runs them, so this one takes as long as the test likes.
    bench.harness.key_press(egui::Key::S);
    for _ in 0..5 {
        bench.harness.step();
        bench.clock.advance(0.2);
    }
    let work = "Preparing playback, 0 %";
    assert!(bench.has(work));
    bench.harness.key_press(egui::Key::Escape);
    bench.harness.step();
    bench.harness.step();
    assert!(!bench.has(work));
    bench.settle();
    assert!(bench.notices().is_empty(), "{:?}", bench.notices());
    bench.key(NONE, egui::Key::S);
    assert!(!bench.has(work));
}

#[test]
fn what_cannot_be_done_now_says_why_by_key_and_in_the_palette() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.key(CTRL | SHIFT, egui::Key::L);
    assert!(
        bench.notices().contains(&(Severity::Info, "Learn noise: Nothing is selected.".into())),
        "{:?}",
        bench.notices()
    );
    bench.click("Find a command\u{2026}");
    bench.harness.get_by_label("Command to find").type_text("learn noise");
    bench.settle();
    assert!(bench.has("Learn noise"), "it is listed");
    bench.key(NONE, egui::Key::Enter);
    assert!(bench.has("Command to find"), "the one that is called so, and it does nothing");
}

#[test]
fn a_press_closes_a_list_and_the_next_drag_selects() {
    if !has_gpu() {
        return;
    }
    let mut bench = Bench::with_clip(Drawing::Wgpu, "crow_44k_mono.flac");
    bench.key(NONE, egui::Key::Num2);
    bench.click("FFT size");
    assert!(egui::Popup::is_any_open(&bench.harness.ctx));
    let rect = bench.studio().picture_rect().unwrap();
    // Left of the list, which hangs down from the panel.
    let places = [0.2, 0.3, 0.4].map(|part| rect.lerp_inside(egui::vec2(part, part)));
    bench.drag(&places);
    assert!(!egui::Popup::is_any_open(&bench.harness.ctx));
    bench.drag(&places);
    assert!(bench.studio().document().unwrap().selection().is_some());
}

#[test]
fn what_floats_says_how_far_it_was_moved() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.select(Some([0.1, 0.2]), Some([500.0, 900.0]));
    bench.key(CTRL, egui::Key::C);
    bench.key(CTRL | SHIFT, egui::Key::V);
    let mut floating = bench.studio().document().unwrap().floating().cloned().unwrap();
    assert_eq!(floating.words(), "same time, same pitch");
    floating.move_to([-0.25, 1.0], 20.0);
    assert_eq!(floating.words(), "0.250 s earlier, 12.00 semitones up");
}

/// As the window starts.
fn started(bench: &mut Bench, files: Vec<PathBuf>) {
    bench.act(FileAct::BeginWithDemo);
    bench.act(FileAct::LookForSessions { agreed: None, files });
    bench.settle();
}

#[test]
fn the_first_start_opens_on_the_demo_unless_there_is_something_else() {
    let mut bench = Bench::new(Drawing::None);
    started(&mut bench, Vec::new());
    assert!(bench.studio().document().unwrap().name().starts_with("guitar_chord"), "{:?}", bench.notices());
    let mut bench = Bench::new(Drawing::None);
    started(&mut bench, vec![clip("crow_44k_mono.flac")]);
    assert!(bench.studio().document().unwrap().name().starts_with("crow"));
    assert_eq!(bench.studio().workbench().documents().iter().count(), 1);
}

#[test]
fn recent_files_stand_above_the_demo_clip() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.act(FileCommand::Close);
    bench.settle();
    let top = |bench: &Bench, label: &str| bench.harness.get_by_label_contains(label).rect().top();
    assert!(top(&bench, "Open crow_44k_mono.flac from") < top(&bench, "Open demo clip"));
}

//! Undo and redo give back what was selected before and after an edit that selected something else; a stretch that
//! changes nothing is no step.

use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT};
use egui::Key;
use sonobrush::dsp::{Axis, Selection};
use sonobrush::workbench::commands::ClipboardCommand;
use sonobrush::workbench::{DocumentAct, OpenDocument, Reply, Severity, StretchOptions};

fn document(bench: &Bench) -> &OpenDocument {
    bench.studio().document().unwrap()
}

fn selected(bench: &Bench) -> [f64; 2] {
    document(bench).selected_secs().unwrap()
}

fn n_steps(bench: &Bench) -> usize {
    document(bench).history().entries().len() - 1
}

fn stretch(bench: &mut Bench, percent: f64) {
    bench.act(Reply::Stretch(StretchOptions { percent, replaces: true, selected_secs: 0.2 }));
    bench.settle();
}

fn land(bench: &mut Bench) {
    assert!(document(bench).floating().is_some(), "{:?}", bench.notices());
    bench.act(ClipboardCommand::LandPaste);
    bench.settle();
}

fn is_near(found: [f64; 2], wanted: [f64; 2]) -> bool {
    found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-9)
}

#[test]
fn undo_of_a_stretch_gives_the_selection_back() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    let (before, after) = ([0.1, 0.3], [0.1, 0.4]);
    bench.select(Some(before), None);
    stretch(&mut bench, 150.0);
    assert!(is_near(selected(&bench), before), "while it floats nothing else is selected");
    land(&mut bench);
    assert!(is_near(selected(&bench), after), "{:?}", selected(&bench));
    for _ in 0..2 {
        bench.key(CTRL, Key::Z);
        assert!(is_near(selected(&bench), before), "undone: {:?}", selected(&bench));
        bench.key(CTRL | SHIFT, Key::Z);
        assert!(is_near(selected(&bench), after), "redone: {:?}", selected(&bench));
    }
    // Several steps at once, by the list of them; a step that selected nothing else leaves the selection alone.
    let other = Selection::rectangle(Some([0.2, 0.25]), None, [0.0; 2], Axis::Linear);
    bench.act(DocumentAct::Select(Some(other)));
    bench.key(NONE, Key::Delete);
    assert_eq!(n_steps(&bench), 2, "{:?}", bench.notices());
    bench.key(CTRL, Key::Z);
    assert!(is_near(selected(&bench), [0.2, 0.25]), "{:?}", selected(&bench));
    bench.act(DocumentAct::GoTo(0));
    bench.settle();
    assert!(is_near(selected(&bench), before), "{:?}", selected(&bench));
    bench.act(DocumentAct::GoTo(2));
    bench.settle();
    assert!(is_near(selected(&bench), after), "{:?}", selected(&bench));
    // What replaces an undone step says nothing of its selections.
    bench.act(DocumentAct::GoTo(0));
    bench.settle();
    bench.key(NONE, Key::Delete);
    bench.select(Some([0.15, 0.2]), None);
    bench.key(CTRL, Key::Z);
    assert!(is_near(selected(&bench), [0.15, 0.2]), "{:?}", selected(&bench));
}

#[test]
fn undo_of_a_paste_gives_the_selection_back() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    let (copied, pasted) = ([0.1, 0.2], [0.3, 0.4]);
    bench.select(Some(copied), None);
    bench.act(ClipboardCommand::Copy);
    bench.settle();
    let before = [0.22, 0.26];
    bench.select(Some(before), None);
    bench.put_cursor(0.3);
    bench.act(ClipboardCommand::Paste);
    bench.settle();
    land(&mut bench);
    assert!(is_near(selected(&bench), pasted), "{:?}", selected(&bench));
    bench.key(CTRL, Key::Z);
    assert!(is_near(selected(&bench), before), "{:?}", selected(&bench));
    bench.key(CTRL | SHIFT, Key::Z);
    assert!(is_near(selected(&bench), pasted), "{:?}", selected(&bench));
    // Taken back before it is in the history: the selection comes back with it.
    bench.act(ClipboardCommand::Paste);
    bench.settle();
    bench.act(ClipboardCommand::LandPaste);
    bench.act(sonobrush::workbench::commands::EditCommand::Undo);
    bench.settle();
    assert_eq!(n_steps(&bench), 1);
    assert!(is_near(selected(&bench), pasted), "{:?}", selected(&bench));
}

#[test]
fn a_stretch_to_the_same_length_is_no_step() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.select(Some([0.2, 0.4]), None);
    let before = bench.samples(0);
    // 8,820 samples: a thousandth of a percent is less than half of one.
    for percent in [100.0, 100.001] {
        bench.act(sonobrush::workbench::NoticeAct::CloseAll);
        stretch(&mut bench, percent);
        assert!(document(&bench).floating().is_none() && n_steps(&bench) == 0, "{percent} %");
        let reported = bench.notices();
        assert_eq!(reported, [(Severity::Info, "The edit changed no samples.".to_owned())], "{percent} %");
        assert_eq!(bench.samples(0), before);
    }
    // As a shift by no semitone, which is an edit like any other.
    bench.act(sonobrush::workbench::NoticeAct::CloseAll);
    bench.act(Reply::PitchShift(0.0));
    bench.settle();
    assert_eq!((n_steps(&bench), bench.notices().len()), (0, 1), "{:?}", bench.notices());
    // The control: a little more is a change.
    stretch(&mut bench, 100.1);
    assert!(document(&bench).floating().is_some());
}

/// A cut that the selection is not of, as a script or another program orders it.
fn cut(bench: &mut Bench, secs: [f64; 2]) {
    use sonobrush::document::{Edit, brushes::DeleteTime};
    let select = Some(Selection::rectangle(Some(secs), None, [0.0; 2], Axis::Linear));
    let brush = DeleteTime { fade_secs: 0.005 };
    let edit = Edit { select, ..Edit::of(brush, document(bench).view().transform.clone()) };
    bench.act(DocumentAct::Edit(Box::new(edit)));
    bench.settle();
}

#[test]
fn a_selection_behind_a_cut_stays_on_its_sound_through_undo_and_redo() {
    let mut bench = Bench::with_clip(Drawing::None, "many_chunks_44k_stereo.wav");
    let duration_secs = document(&bench).duration_secs();
    // Behind it, across its end, in front of it.
    for (before, after) in [([1.0, 1.5], [0.75, 1.25]), ([0.5, 0.9], [0.5, 0.65]), ([0.1, 0.4], [0.1, 0.4])] {
        bench.select(Some(before), Some([300.0, 900.0]));
        cut(&mut bench, [0.5, 0.75]);
        assert!((document(&bench).duration_secs() - duration_secs + 0.25).abs() < 1e-6);
        for _ in 0..2 {
            assert!(is_near(selected(&bench), after), "{before:?}: {:?}", selected(&bench));
            assert_eq!(document(&bench).selected_hz(), Some([300.0, 900.0]));
            bench.key(CTRL, Key::Z);
            assert!(is_near(selected(&bench), before), "{before:?}, undone: {:?}", selected(&bench));
            bench.key(CTRL | SHIFT, Key::Z);
        }
        bench.key(CTRL, Key::Z);
    }
    // What was selected of the cut sound itself is gone, and comes back with it.
    bench.select(Some([0.55, 0.7]), None);
    cut(&mut bench, [0.5, 0.75]);
    assert_eq!(document(&bench).selection(), None);
    bench.key(CTRL, Key::Z);
    assert!(is_near(selected(&bench), [0.55, 0.7]), "{:?}", selected(&bench));
    // What is selected after the cut moves back with its sound where nothing else was selected with the cut.
    bench.select(None, None);
    bench.act(DocumentAct::Select(None));
    cut(&mut bench, [0.5, 0.75]);
    bench.select(Some([1.0, 1.25]), None);
    bench.key(CTRL, Key::Z);
    assert!(is_near(selected(&bench), [1.25, 1.5]), "{:?}", selected(&bench));
    bench.key(CTRL | SHIFT, Key::Z);
    assert!(is_near(selected(&bench), [1.0, 1.25]), "{:?}", selected(&bench));
}

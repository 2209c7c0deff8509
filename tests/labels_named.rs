//! Labels in the window: named by key, listed, moved with their sound, kept.

use crate::support::studio::{Bench, CTRL, Drawing, NONE};
use egui::{Event, Key};
use egui_kittest::kittest::Queryable;
use sonobrush::document::Snapshot;
use sonobrush::document::labels::Label;
use sonobrush::media::Source;
use sonobrush::workbench::commands::{EditCommand, LabelCommand};
use sonobrush::workbench::{OpenDocument, describe};

fn bench() -> Bench {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.show(Snapshot::new(Source::from_channels(vec![vec![0.1; 64_000]], 16_000).unwrap()));
    bench
}

fn document(bench: &Bench) -> &OpenDocument {
    bench.studio().document().unwrap()
}

/// Text, times and band of every label.
fn labels(bench: &Bench) -> Vec<(String, [f64; 2], Option<f64>)> {
    document(bench).history().labels().iter().map(|label| (label.text.to_string(), label.secs, label.high_hz)).collect()
}

fn named(text: &str, secs: [f64; 2], high_hz: Option<f64>) -> (String, [f64; 2], Option<f64>) {
    (text.into(), secs, high_hz)
}

/// Names what is selected.
fn name(bench: &mut Bench, text: &str) {
    bench.key(NONE, Key::M);
    bench.fill("Text of the label", text);
    bench.key(NONE, Key::Enter);
    bench.settle();
}

#[test]
fn the_selection_and_the_cursor_are_named_and_undone() {
    let mut bench = bench();
    bench.select(Some([1.0, 2.0]), Some([300.0, 900.0]));
    name(&mut bench, "call");
    bench.select(None, None);
    bench.act(sonobrush::workbench::DocumentAct::Select(None));
    bench.put_cursor(0.5);
    name(&mut bench, "start");
    assert_eq!(labels(&bench), [named("start", [0.5; 2], None), named("call", [1.0, 2.0], Some(900.0))]);
    assert!(document(&bench).has_unsaved_edits(), "{:?}", bench.notices());
    bench.key(CTRL, Key::Z);
    assert_eq!(labels(&bench), [named("call", [1.0, 2.0], Some(900.0))]);
    name(&mut bench, "again");
    let ids: Vec<u64> = document(&bench).history().labels().iter().map(|label| label.id).collect();
    assert_eq!(ids, [3, 1], "no id is given twice while its step can come back");
    assert_eq!(describe(document(&bench).history().entries()[2].edit.as_ref().unwrap()), "Label again");
    // Escape names nothing; the letter of the key is no part of the text.
    let key = |pressed| Event::Key { key: Key::M, physical_key: None, pressed, repeat: false, modifiers: NONE };
    bench.harness.event(key(true));
    bench.harness.event(Event::Text("m".into()));
    bench.harness.event(key(false));
    bench.settle();
    let field = bench.harness.get_by_label("Text of the label");
    assert_eq!(field.value().unwrap_or_default(), "");
    bench.key(NONE, Key::Escape);
    assert_eq!(labels(&bench).len(), 2);
}

#[test]
fn labels_are_listed_gone_to_renamed_and_removed() {
    let mut bench = bench();
    for (text, secs) in [("one", [0.2, 0.4]), ("two", [1.0, 1.5]), ("three", [3.0, 3.5])] {
        bench.select(Some(secs), None);
        name(&mut bench, text);
    }
    bench.set_view(|view| view.secs = [0.0, 0.6]);
    bench.click("Label three at 0:03.000");
    assert_eq!(document(&bench).selected_secs(), Some([3.0, 3.5]));
    let [start, end] = document(&bench).view().secs;
    assert!(start <= 3.0 && end >= 3.4, "{start} {end}");
    bench.act(LabelCommand::Next);
    assert!(bench.notices().iter().any(|(_, what)| what == "No label follows."), "{:?}", bench.notices());
    bench.act(LabelCommand::Previous);
    assert_eq!(document(&bench).selected_secs(), Some([1.0, 1.5]));
    bench.act(LabelCommand::Rename);
    bench.settle();
    bench.fill("Text of the label", "second");
    bench.key(NONE, Key::Enter);
    bench.settle();
    assert_eq!(labels(&bench)[1].0, "second");
    bench.act(LabelCommand::Remove);
    bench.settle();
    assert_eq!(labels(&bench).iter().map(|label| label.0.as_str()).collect::<Vec<_>>(), ["one", "three"]);
    bench.click("Remove label one at 0:00.200");
    assert_eq!(labels(&bench).len(), 1);
    bench.key(CTRL, Key::Z);
    bench.key(CTRL, Key::Z);
    assert_eq!(labels(&bench).len(), 3);
}

#[test]
fn labels_move_with_their_sound() {
    let mut bench = bench();
    for (text, secs) in [("before", [0.2, 0.4]), ("across", [0.8, 2.2]), ("in it", [1.2, 1.4]), ("behind", [3.0, 3.5])]
    {
        bench.select(Some(secs), None);
        name(&mut bench, text);
    }
    bench.select(Some([1.0, 2.0]), None);
    bench.key(CTRL, Key::Delete);
    let near = |secs: [f64; 2]| secs.map(|secs| (secs * 1e6).round() / 1e6);
    let found: Vec<_> = labels(&bench).into_iter().map(|(text, secs, _)| (text, near(secs))).collect();
    let wanted = [("before", [0.2, 0.4]), ("across", [0.8, 1.2]), ("behind", [2.0, 2.5])];
    assert_eq!(found, wanted.map(|(text, secs)| (text.to_owned(), secs)));
    bench.key(CTRL, Key::Z);
    assert_eq!(labels(&bench).len(), 4);
    bench.select(Some([0.0, 1.0]), None);
    bench.act(EditCommand::DuplicateTime);
    bench.settle();
    assert_eq!(labels(&bench).last().unwrap().1, [4.0, 4.5]);
}

#[test]
fn labels_of_a_wave_file_are_there_when_it_is_opened() {
    let mut bench = bench();
    let path = bench.out("cued.wav");
    let labels =
        sonobrush::document::labels::LabelSet::of(vec![Label::new([0.25, 0.5], "a"), Label::new([1.0; 2], "b")]);
    let chunks = sonobrush::document::labels::formats::chunks_with_labels(&[], &labels.unwrap(), 16_000).unwrap();
    let sound = Snapshot::new(Source::from_channels(vec![vec![0.1; 64_000]], 16_000).unwrap());
    let encoding = sonobrush::media::Encoding { chunks: Some(&chunks), ..sonobrush::media::Encoding::default() };
    let progress = sonobrush::base::Progress::new();
    sonobrush::document::export_as(&sound, 0..64_000, &path, &encoding, &progress).unwrap();
    bench.open(path);
    bench.settle();
    assert_eq!(self::labels(&bench), [named("a", [0.25, 0.5], None), named("b", [1.0; 2], None)]);
    assert_eq!(document(&bench).history().position(), 0);
}

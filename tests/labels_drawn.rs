//! Labels by hand: drawn with their tool, moved by their edges, listed, measured, read from files and written into
//! them.

use crate::support::damage::add_clicks;
use crate::support::signals::tone;
use crate::support::studio::{Bench, CTRL, Drawing, NONE, SHIFT, has_gpu};
use crate::support::wav::clip;
use egui::{Event, Key, PointerButton, Pos2, pos2};
use egui_kittest::kittest::Queryable;
use sonobrush::document::Snapshot;
use sonobrush::document::labels::Label;
use sonobrush::dsp::Axis;
use sonobrush::media::Source;
use sonobrush::workbench::commands::{FindCommand, LabelCommand, Seek, SelectCommand, ViewCommand};
use sonobrush::workbench::{LabelAct, LabelClass, LabelOrder, LabelSort, OpenDocument, Picked, Tool, ViewAct};

/// On 2 s of a tone.
fn bench(drawing: Drawing) -> Bench {
    let mut bench = Bench::with_clip(drawing, "crow_44k_mono.flac");
    bench.show(Snapshot::new(Source::from_channels(vec![tone(96_000, 48_000.0, 1_000.0, 0.3)], 48_000).unwrap()));
    bench.act(ViewAct::Axis(Axis::Linear));
    bench.settle();
    bench
}

fn document(bench: &Bench) -> &OpenDocument {
    bench.studio().document().unwrap()
}

fn labels(bench: &Bench) -> Vec<Label> {
    document(bench).history().labels().iter().cloned().collect()
}

fn texts(bench: &Bench) -> Vec<String> {
    labels(bench).iter().map(|label| label.text.to_string()).collect()
}

/// A place on the canvas.
fn at(bench: &Bench, secs: f64, hz: f64) -> Pos2 {
    let viewport = bench.studio().viewport().unwrap();
    pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz) as f32)
}

/// A place in one of the lanes between the time ruler and the picture, of which there are two or more.
fn in_lane(bench: &Bench, secs: f64, lane: usize) -> Pos2 {
    let viewport = bench.studio().viewport().unwrap();
    let n_lanes = document(bench).history().labels().lanes().len().max(2);
    let top = viewport.origin[1] as f32 - 15.0 * n_lanes as f32;
    pos2(viewport.x_from_secs(secs) as f32, top + 15.0 * lane as f32 + 7.5)
}

fn click(bench: &mut Bench, at: Pos2) {
    bench.drag(&[at]);
}

/// Within the width of a point.
#[track_caller]
fn assert_near(bench: &Bench, found: [f64; 2], wanted: [f64; 2]) {
    let point_secs = bench.studio().viewport().unwrap().secs_per_pixel();
    for (found, wanted) in found.into_iter().zip(wanted) {
        assert!((found - wanted).abs() <= 1.01 * point_secs, "{found} instead of {wanted}");
    }
}

fn class(name: &str, colour: u8) -> LabelClass {
    LabelClass { name: name.into(), colour }
}

#[test]
fn a_drag_draws_a_label_of_the_class_in_hand() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.set_tools(|settings| settings.labels.classes = vec![class("crow", 3), class("wren", 5)]);
    bench.key(SHIFT, Key::U);
    assert_eq!(bench.tools().active(), Tool::Label);
    let draw = |bench: &mut Bench, secs: [f64; 2], hz: [f64; 2]| {
        let places = [at(bench, secs[0], hz[1]), at(bench, secs[1], hz[0])];
        bench.drag(&places);
    };
    draw(&mut bench, [0.2, 0.4], [2_000.0, 6_000.0]);
    bench.key(NONE, Key::Num2);
    draw(&mut bench, [0.8, 0.6], [9_000.0, 3_000.0]);
    let drawn = labels(&bench);
    let said: Vec<_> = drawn.iter().map(|label| (&*label.text, label.colour)).collect();
    assert_eq!(said, [("crow", Some(3)), ("wren", Some(5))]);
    assert_near(&bench, drawn[0].secs, [0.2, 0.4]);
    assert_near(&bench, drawn[1].secs, [0.6, 0.8]);
    let [low, high] = drawn[1].band_hz(0.0).unwrap();
    assert!((low - 3_000.0).abs() < 100.0 && (high - 9_000.0).abs() < 100.0, "{low} {high}");
    // A digit is the class of what is drawn next, and of a label in hand.
    assert!(document(&bench).current_label().is_none(), "what was drawn is not in hand");
    let inside = at(&bench, 0.3, 4_000.0);
    click(&mut bench, inside);
    assert_eq!(document(&bench).current_label().map(|label| label.id), Some(1));
    bench.key(NONE, Key::Num2);
    assert_eq!(texts(&bench), ["wren", "wren"]);
    bench.key(NONE, Key::Num9);
    assert!(bench.notices().iter().any(|(_, what)| what == "Class 9 has no name yet."), "{:?}", bench.notices());
    // Escape lets the label go, and then lays the tool down.
    bench.key(NONE, Key::Escape);
    assert!(document(&bench).current_label().is_none());
    bench.key(NONE, Key::Escape);
    assert_eq!(bench.tools().active(), Tool::GAIN);
    bench.key(NONE, Key::Num2);
    assert_eq!(bench.tools().active(), Tool::SelectBox, "digits are tools again");
}

#[test]
fn the_most_used_texts_are_the_classes_until_they_are_named() {
    let mut bench = bench(Drawing::None);
    for (k, text) in ["wren", "crow", "crow", "owl", "crow", "wren"].iter().enumerate() {
        bench.put_cursor(0.1 * k as f64);
        bench.key(NONE, Key::M);
        bench.fill("Text of the label", text);
        bench.key(NONE, Key::Enter);
        bench.settle();
    }
    bench.key(SHIFT, Key::U);
    bench.settle();
    for label in ["Class 1: crow", "Class 2: wren", "Class 3: owl"] {
        assert!(bench.has(label), "{label}");
    }
    bench.click("Class 3: owl");
    bench.act(LabelAct::Draw { secs: [1.0, 1.2], hz: None });
    bench.settle();
    assert_eq!(texts(&bench).last().map(String::as_str), Some("owl"));
    // A name that is typed makes them the user's own, for all documents.
    bench.enter("Name of the class", "tawny owl");
    let names: Vec<String> = bench.tools().settings().labels.classes.iter().map(|class| class.name.clone()).collect();
    assert_eq!(names, ["crow", "wren", "tawny owl"]);
}

#[test]
fn labels_are_moved_by_their_edges_in_the_lanes() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.act(LabelAct::Draw { secs: [0.4, 0.8], hz: Some([1_000.0, 5_000.0]) });
    bench.act(LabelAct::Draw { secs: [1.2, 1.2], hz: None });
    bench.settle();
    let to = |bench: &mut Bench, from: Pos2, to: Pos2| bench.drag(&[from, to]);
    let (from, by) = (in_lane(&bench, 0.8, 0), in_lane(&bench, 1.0, 0));
    to(&mut bench, from, by);
    assert_near(&bench, labels(&bench)[0].secs, [0.4, 1.0]);
    assert_eq!(labels(&bench)[0].band_hz(0.0), Some([1_000.0, 5_000.0]), "the band stays");
    // Past its other edge: they change places.
    let (from, by) = (in_lane(&bench, 0.4, 0), in_lane(&bench, 1.5, 0));
    to(&mut bench, from, by);
    assert_near(&bench, labels(&bench)[0].secs, [1.0, 1.5]);
    // The middle moves all of it, and a marker moves by its flag.
    let (from, by) = (in_lane(&bench, 1.25, 0), in_lane(&bench, 0.55, 0));
    to(&mut bench, from, by);
    assert_near(&bench, labels(&bench)[0].secs, [0.3, 0.8]);
    let (from, by) = (in_lane(&bench, 1.2, 0), in_lane(&bench, 1.7, 0));
    to(&mut bench, from, by);
    assert_near(&bench, labels(&bench)[1].secs, [1.7; 2]);
    // A click takes it in hand and selects it; then its band is moved on the picture.
    let inside = in_lane(&bench, 0.5, 0);
    click(&mut bench, inside);
    assert_eq!(document(&bench).current_label().map(|label| label.id), Some(1));
    let (from, by) = (in_lane(&bench, 0.8, 0), in_lane(&bench, 0.9, 0));
    to(&mut bench, from, by);
    assert_eq!(document(&bench).selected_secs(), Some(labels(&bench)[0].secs), "its range stays selected");
    bench.key(CTRL, Key::Z);
    click(&mut bench, inside);
    bench.pick(Tool::SelectBox);
    let (from, by) = (at(&bench, 0.5, 5_000.0), at(&bench, 0.5, 8_000.0));
    to(&mut bench, from, by);
    let [low, high] = labels(&bench)[0].band_hz(0.0).unwrap();
    assert!(low == 1_000.0 && (high - 8_000.0).abs() < 100.0, "{low} {high}");
    let n_steps = document(&bench).history().position();
    assert_eq!(n_steps, 7, "each is a step");
    for _ in 0..5 {
        bench.key(CTRL, Key::Z);
    }
    assert_eq!(labels(&bench).iter().map(|label| label.secs).collect::<Vec<_>>(), [[0.4, 0.8], [1.2, 1.2]]);
    // Escape while it is held: nothing is moved.
    let (from, by) = (in_lane(&bench, 0.8, 0), in_lane(&bench, 1.0, 0));
    let button = |pos, pressed| Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: NONE };
    bench.harness.event(Event::PointerMoved(from));
    bench.harness.event(button(from, true));
    bench.harness.step();
    bench.harness.event(Event::PointerMoved(by));
    bench.harness.step();
    bench.key(NONE, Key::Escape);
    bench.harness.event(button(by, false));
    bench.settle();
    assert_eq!(labels(&bench)[0].secs, [0.4, 0.8]);
    // In the lanes the tool draws ranges and markers without a band.
    bench.pick(Tool::Label);
    let (from, by) = (in_lane(&bench, 1.4, 0), in_lane(&bench, 1.6, 0));
    to(&mut bench, from, by);
    let here = in_lane(&bench, 1.8, 0);
    click(&mut bench, here);
    let last = labels(&bench);
    assert_near(&bench, last[2].secs, [1.4, 1.6]);
    assert_near(&bench, last[3].secs, [1.8; 2]);
    assert!(last[2..].iter().all(|label| label.band_hz(1.0).is_none()));
}

#[test]
fn each_of_four_labels_that_overlap_is_clicked_in_a_lane_of_its_own() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    for k in 0..4 {
        bench.act(LabelAct::Draw { secs: [0.2 + 0.1 * f64::from(k), 1.5], hz: None });
    }
    bench.settle();
    for lane in [2, 0, 3, 1] {
        let there = in_lane(&bench, 1.0, lane);
        click(&mut bench, there);
        assert_eq!(document(&bench).current_label().map(|label| label.id), Some(lane as u64 + 1));
    }
}

/// In a low window the figures of a label come into view with it.
#[test]
fn figures_of_the_label_in_hand_come_into_view() {
    let mut bench = bench(Drawing::None);
    bench.harness.set_size([1280.0, 800.0].into());
    for k in 0..9 {
        bench.act(LabelAct::Draw { secs: [0.1 * f64::from(k), 0.1 * f64::from(k) + 0.05], hz: Some([500.0, 4_000.0]) });
    }
    for id in [1, 9] {
        bench.act(LabelAct::GoTo(id));
        bench.settle();
        let figure = bench.harness.get_by_label_contains("Above noise").rect();
        let heading = bench.harness.get_by_label("History panel").rect();
        assert!(figure.bottom() <= heading.top(), "of label {id}: {figure:?} under {heading:?}");
    }
}

#[test]
fn keys_act_on_the_label_in_hand_and_never_on_the_sound() {
    let mut bench = bench(Drawing::None);
    for k in 0..3 {
        let start = 0.5 * f64::from(k);
        bench.act(LabelAct::Draw { secs: [start, start + 0.2], hz: None });
    }
    bench.settle();
    let sound = bench.samples(0);
    bench.act(LabelAct::GoTo(1));
    bench.settle();
    bench.key(NONE, Key::Tab);
    assert_eq!(document(&bench).selected_secs(), Some([0.5, 0.7]));
    bench.key(SHIFT, Key::Tab);
    assert_eq!(document(&bench).current_label().map(|label| label.id), Some(1));
    bench.key(NONE, Key::Enter);
    assert_eq!(bench.harness.get_by_label("Text of the label").value().unwrap_or_default(), "");
    bench.fill("Text of the label", "verse");
    bench.click("Colour 3");
    bench.click("Rename");
    assert_eq!((texts(&bench)[0].as_str(), labels(&bench)[0].colour), ("verse", Some(2)));
    bench.key(NONE, Key::Tab);
    bench.key(NONE, Key::Delete);
    assert_eq!(texts(&bench), ["verse", ""]);
    bench.key(NONE, Key::Delete);
    assert_eq!((bench.samples(0), document(&bench).selection()), (sound.clone(), None), "once more erases nothing");
    bench.key(CTRL, Key::Z);
    bench.act(LabelAct::GoTo(3));
    bench.key(NONE, Key::Backspace);
    assert_eq!(labels(&bench).len(), 2);
    assert_eq!(bench.samples(0), sound, "no key has touched the sound");
    // Without a label in hand Delete is the sound's again.
    bench.act(LabelAct::GoTo(1));
    bench.settle();
    bench.key(NONE, Key::Escape);
    assert!(document(&bench).selection().is_some(), "its range stays selected");
    bench.act(LabelAct::GoTo(1));
    bench.act(SelectCommand::All);
    bench.act(LabelAct::GoTo(1));
    bench.act(LabelCommand::Select);
    bench.act(LabelCommand::LetGo);
    assert_eq!(document(&bench).selected_secs(), Some([0.0, 0.2]));
    assert!(document(&bench).current_label().is_none());
    bench.key(NONE, Key::Delete);
    assert_ne!(bench.samples(0), sound);
    assert_eq!(labels(&bench).len(), 2);
}

#[test]
fn a_text_is_offered_after_its_first_letters() {
    let mut bench = bench(Drawing::None);
    for (k, text) in ["crow", "crow", "cough"].iter().enumerate() {
        bench.act(LabelAct::Draw { secs: [0.1 * k as f64; 2], hz: None });
        bench.act(LabelAct::Name(k as u64 + 1));
        bench.settle();
        bench.fill("Text of the label", text);
        bench.key(NONE, Key::Enter);
    }
    bench.put_cursor(1.0);
    bench.key(NONE, Key::M);
    bench.fill("Text of the label", "c");
    let first = bench.harness.get_by_label("Use the text crow").rect();
    assert!(first.left() < bench.harness.get_by_label("Use the text cough").rect().left(), "the most used comes first");
    bench.fill("Text of the label", "cou");
    assert!(!bench.has("Use the text crow"));
    bench.click("Use the text cough");
    assert_eq!(texts(&bench), ["crow", "crow", "cough", "cough"]);
    // With keys alone: both are used twice now, and stand in the order of the alphabet.
    bench.put_cursor(1.5);
    bench.key(NONE, Key::M);
    bench.fill("Text of the label", "c");
    for key in [Key::ArrowDown, Key::ArrowRight, Key::Enter] {
        bench.key(NONE, key);
    }
    assert_eq!(texts(&bench), ["crow", "crow", "cough", "cough", "crow"]);
}

#[test]
fn the_list_is_filtered_sorted_stepped_through_and_emptied() {
    let mut bench = bench(Drawing::None);
    let rows = [("wren", 0.4, None), ("Crow", 0.1, Some([500.0, 900.0])), ("crow", 0.3, Some([100.0, 200.0]))];
    for (k, (text, length, hz)) in rows.into_iter().enumerate() {
        let start = 0.5 * k as f64;
        bench.act(LabelAct::Draw { secs: [start, start + length], hz });
        bench.act(LabelAct::Name(k as u64 + 1));
        bench.settle();
        bench.fill("Text of the label", text);
        bench.key(NONE, Key::Enter);
    }
    let listed = |bench: &Bench| -> Vec<u64> {
        bench.studio().labels().list.shown(document(bench)).iter().map(|label| label.id).collect()
    };
    let order = |bench: &mut Bench, filter: &str, sort, is_reversed| {
        bench.act(LabelAct::List(LabelOrder { filter: filter.into(), sort, is_reversed }));
        bench.settle();
        listed(bench)
    };
    assert_eq!(order(&mut bench, "", LabelSort::Time, false), [1, 2, 3]);
    assert_eq!(order(&mut bench, "", LabelSort::Time, true), [3, 2, 1]);
    assert_eq!(order(&mut bench, "", LabelSort::Text, false), [2, 3, 1]);
    assert_eq!(order(&mut bench, "", LabelSort::Length, false), [2, 3, 1]);
    assert_eq!(order(&mut bench, "", LabelSort::Frequency, false), [3, 2, 1], "without a band comes last");
    assert_eq!(order(&mut bench, "", LabelSort::Frequency, true), [2, 3, 1], "last either way");
    assert_eq!(order(&mut bench, "CRO", LabelSort::Length, true), [3, 2]);
    // Steps go along the list.
    bench.act(LabelAct::GoTo(3));
    bench.settle();
    bench.key(NONE, Key::Tab);
    assert_eq!(document(&bench).current_label().map(|label| label.id), Some(2));
    bench.key(NONE, Key::Tab);
    assert!(bench.notices().iter().any(|(_, what)| what == "No label follows."), "{:?}", bench.notices());
    bench.act(LabelCommand::RemoveShown);
    bench.settle();
    assert_eq!(texts(&bench), ["wren"]);
    assert_eq!(listed(&bench), [0u64; 0]);
    bench.key(CTRL, Key::Z);
    assert_eq!(labels(&bench).len(), 3);
    // In the panel.
    bench.act(LabelAct::List(LabelOrder::default()));
    bench.fill("Filter labels", "wren");
    assert_eq!(listed(&bench), [1]);
    assert!(bench.has("Label wren at 0:00.000") && !bench.has("Label Crow at 0:00.500"));
}

#[test]
fn what_was_found_is_listed_and_labelled_in_one_step() {
    let mut damaged = tone(96_000, 48_000.0, 440.0, 0.2);
    let places = add_clicks(&mut damaged, 12, 3);
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    bench.show(Snapshot::new(Source::from_channels(vec![damaged], 48_000).unwrap()));
    bench.act(FindCommand::Seek(Seek::Clicks));
    bench.settle();
    let third = places[2].start as f64 / 48_000.0;
    let row = format!("Place 3 of 12 at {}", sonobrush::base::clock_from_secs(third));
    let near = bench.harness.query_all_by_label_contains("Place 3 of 12").next().map(|node| node.rect());
    assert!(near.is_some(), "{row} is listed");
    bench.harness.query_all_by_label_contains("Place 3 of 12").next().unwrap().click();
    bench.settle();
    assert!((document(&bench).cursor_secs() - third).abs() < 1e-3, "{}", document(&bench).cursor_secs());
    assert!(labels(&bench).is_empty(), "places are no labels, and not in the history");
    bench.click("Label all found places\u{2026}");
    assert_eq!(bench.harness.get_by_label("Text of the label").value().unwrap_or_default(), "click");
    bench.click("Add");
    let n_steps = document(&bench).history().position();
    assert_eq!((labels(&bench).len(), n_steps), (12, 1));
    for (label, place) in labels(&bench).iter().zip(&places) {
        let [start, end] = label.secs.map(|secs| (secs * 48_000.0).round() as usize);
        assert!(start <= place.start && place.end <= end + 4 && end - start < 100, "{start} {end} {place:?}");
        assert_eq!(&*label.text, "click");
    }
    bench.key(CTRL, Key::D);
    assert!(bench.harness.query_all_by_label_contains("Place 4 of 12").next().is_none(), "they are gone with Ctrl+D");
}

#[test]
fn labels_are_exported_imported_and_measured() {
    let mut bench = bench(Drawing::None);
    bench.act(LabelAct::Draw { secs: [0.5, 1.5], hz: Some([500.0, 2_000.0]) });
    bench.act(LabelAct::Name(1));
    bench.settle();
    bench.fill("Text of the label", "tone");
    bench.key(NONE, Key::Enter);
    // What is measured at the label in hand: a sine of 1,000 Hz with a peak of 0.3, -10.5 dB of full scale.
    bench.act(LabelAct::GoTo(1));
    bench.settle();
    let measures = bench.studio().labels().measures().unwrap().clone();
    let [hz, _, db] = measures.cells.peak.unwrap();
    assert!((hz - 1_000.0).abs() < 1.0 && (db + 10.457_6).abs() < 0.1, "{hz} {db}");
    assert!(bench.harness.query_all_by_label_contains("Peak 1").next().is_some(), "it is shown");
    bench.dialogs.answer(Picked::File(bench.out("table")));
    bench.act(LabelCommand::Measure);
    bench.settle();
    let table = std::fs::read_to_string(bench.out("table.csv")).unwrap();
    let (names, row) = table.split_once('\n').unwrap();
    let of = |name: &str| {
        let at = names.split(',').position(|other| other == name).unwrap();
        row.trim_end().split(',').nth(at).unwrap().to_owned()
    };
    assert!((of("peak_hz").parse::<f64>().unwrap() - hz).abs() < 1e-9 && of("label") == "tone", "{table}");
    assert!(std::fs::read_to_string(bench.out("table.json")).unwrap().contains("\"n_fft\": 2048"));
    // As the name ends, so is the format; what is lost is said.
    bench.dialogs.answer(Picked::File(bench.out("a.txt")));
    bench.act(LabelCommand::Export);
    bench.settle();
    let audacity = std::fs::read_to_string(bench.out("a.txt")).unwrap();
    assert_eq!(audacity, "0.500000\t1.500000\ttone\n\\\t500.000000\t2000.000000\n");
    bench.dialogs.answer(Picked::File(bench.out("a.srt")));
    bench.act(LabelCommand::Export);
    bench.settle();
    let said = |bench: &Bench, what: &str| {
        let all = bench.studio().notices().all();
        all.iter().any(|notice| notice.what == what || notice.advice.as_deref() == Some(what))
    };
    assert!(said(&bench, "Saved 1 label as a.srt.") && said(&bench, "Not kept: 1 band."), "{:?}", bench.notices());
    bench.act(LabelCommand::Remove);
    bench.settle();
    bench.dialogs.answer(Picked::File(bench.out("a.txt")));
    bench.act(LabelCommand::Import);
    bench.settle();
    assert_eq!(texts(&bench), ["tone"]);
    assert!(said(&bench, "Imported 1 label from a.txt."), "{:?}", bench.notices());
    let label = &labels(&bench)[0];
    assert_eq!((label.secs, label.band_hz(0.0), label.id), ([0.5, 1.5], Some([500.0, 2_000.0]), 2));
    // One sentence with its place, and nothing is changed.
    std::fs::write(bench.out("bad.txt"), "0.5\t1.0\tgood\n0.7\tx\tbad\nx\t1.0\tworse\n").unwrap();
    bench.dialogs.answer(Picked::File(bench.out("bad.txt")));
    bench.act(LabelCommand::Import);
    bench.settle();
    let failed = bench.notices().into_iter().find(|(_, what)| what.starts_with("Cannot import the labels bad.txt"));
    assert!(failed.is_some_and(|(_, what)| what.contains("3:")), "{:?}", bench.notices());
    assert_eq!(labels(&bench).len(), 1);
}

#[test]
fn a_file_of_labels_beside_a_sound_is_offered() {
    let mut bench = Bench::with_clip(Drawing::None, "crow_44k_mono.flac");
    let sound = bench.out("call.flac");
    std::fs::copy(clip("crow_44k_mono.flac"), &sound).unwrap();
    std::fs::write(bench.out("call.txt"), "0.100000\t0.200000\tcaw\n0.300000\t0.400000\tcaw\n").unwrap();
    bench.open(sound.clone());
    bench.settle();
    let offer = "call.txt has 2 labels for this sound.";
    assert!(bench.notices().iter().any(|(_, what)| what == offer), "{:?}", bench.notices());
    assert!(labels(&bench).is_empty(), "nobody has agreed yet");
    bench.click("Import labels beside the file");
    assert_eq!(texts(&bench), ["caw", "caw"]);
    assert!(!bench.notices().iter().any(|(_, what)| what == offer), "the offer is gone");
    // Where nothing of it is new, or it is no file of labels, nothing is offered.
    std::fs::write(bench.out("call.txt"), "notes about a crow\n").unwrap();
    bench.open(sound);
    bench.settle();
    assert!(!bench.notices().iter().any(|(_, what)| what.contains("has 2 labels")), "{:?}", bench.notices());
}

/// A hundred thousand labels: a frame, and an edit, take no longer than a hand notices.
#[test]
fn a_hundred_thousand_labels_are_drawn_and_listed() {
    let mut bench = bench(Drawing::None);
    let text: std::sync::Arc<str> = "call".into();
    let label = |k: u32| Label::new([2e-5 * f64::from(k), 2e-5 * f64::from(k) + 1e-5], text.clone());
    let path = bench.out("many.csv");
    let rows: String =
        (0..100_000).map(label).map(|label| format!("{:?},{:?},call\n", label.secs[0], label.secs[1])).collect();
    std::fs::write(&path, format!("start_s,end_s,label\n{rows}")).unwrap();
    bench.dialogs.answer(Picked::File(path));
    bench.act(LabelCommand::Import);
    bench.settle();
    assert_eq!(document(&bench).history().labels().len(), 100_000);
    assert!(bench.has("Label call at 0:00.000"));
    bench.act(LabelAct::GoTo(99_999));
    bench.settle();
    assert!(
        bench.harness.query_all_by_label_contains("Remove label call").count() < 30,
        "only rows in view are laid out"
    );
    bench.act(LabelAct::Remove(50_000));
    bench.settle();
    assert_eq!(document(&bench).history().labels().len(), 99_999);
}

/// A broadcast WAV file that began at 13:45:30.5: 338 bytes before the count of samples since midnight (EBU Tech 3285).
#[test]
fn the_ruler_tells_the_time_of_day_of_a_broadcast_file() {
    if !has_gpu() {
        return;
    }
    let rate = 48_000u32;
    let since_midnight = (13 * 3_600 + 45 * 60 + 30) * u64::from(rate) + u64::from(rate) / 2;
    let mut bext = vec![0; 602];
    bext[338..346].copy_from_slice(&since_midnight.to_le_bytes());
    let samples = vec![0u8; 2 * 96_000];
    let mut file = Vec::new();
    let format: Vec<u8> =
        [&1u16.to_le_bytes()[..], &1u16.to_le_bytes(), &rate.to_le_bytes(), &(2 * rate).to_le_bytes()]
            .concat()
            .into_iter()
            .chain([2, 0, 16, 0])
            .collect();
    for (id, data) in [(b"bext", &bext), (b"fmt ", &format), (b"data", &samples)] {
        file.extend(id);
        file.extend((data.len() as u32).to_le_bytes());
        file.extend(data);
    }
    let mut bench = bench(Drawing::Wgpu);
    assert!(bench.studio().facts().has_document && !bench.studio().facts().has_time_of_day);
    let path = bench.out("field.wav");
    let riff = [b"RIFF".as_slice(), &(file.len() as u32 + 4).to_le_bytes(), b"WAVE", &file].concat();
    std::fs::write(&path, riff).unwrap();
    bench.open(path);
    bench.settle();
    let before = bench.harness.render().unwrap();
    assert_eq!(document(&bench).starts_at_secs(), Some(13.0 * 3_600.0 + 45.0 * 60.0 + 30.5));
    bench.act(ViewCommand::TimeOfDay);
    bench.settle();
    assert!(document(&bench).view().time_of_day);
    let after = bench.harness.render().unwrap();
    let top = bench.studio().viewport().unwrap().origin[1] as u32;
    let differs = |rows: std::ops::Range<u32>| {
        rows.into_iter().any(|y| (100..600).any(|x| before.get_pixel(x, y) != after.get_pixel(x, y)))
    };
    assert!(differs(top - 24..top), "the ruler counts otherwise");
    // Where the first second is cut, the sound begins a second later; what is put before it did not sound then.
    bench.select(Some([0.0, 1.0]), None);
    bench.key(CTRL, Key::Delete);
    assert_eq!(document(&bench).starts_at_secs(), Some(13.0 * 3_600.0 + 45.0 * 60.0 + 31.5));
}

//! The list of the library in the order that its headings give, which stays in its place while sounds come to it; and
//! what is done with one of its files.

use crate::studio_library::bench;
use crate::support::made_library::make_library;
use crate::support::signals::tone;
use crate::support::studio::{Bench, Drawing, NONE, SHIFT};
use crate::support::wav::{Format, Wav};
use egui::{Event, Key, MouseWheelUnit, PointerButton, Pos2, Rect, pos2, vec2};
use egui_kittest::kittest::Queryable;
use sonobrush::base::Folders;
use sonobrush::library::search::SoundQuery;
use sonobrush::library::store::{LibraryPlace, LibraryStore};
use sonobrush::workbench::commands::{BrowseCommand, LayoutCommand};
use sonobrush::workbench::{Browser, LibraryAct, LibraryMode, LibraryRow};
use std::path::Path;
use std::sync::Arc;

fn browser(bench: &Bench) -> &Browser {
    bench.studio().workbench().browser()
}

fn rows(bench: &Bench) -> Vec<Arc<LibraryRow>> {
    let all = browser(bench).entries().iter().map(|entry| browser(bench).row(entry.id).unwrap().clone());
    all.collect()
}

fn names(bench: &Bench) -> Vec<String> {
    rows(bench).iter().map(|row| row.name()).collect()
}

/// Those of sounds that have one come first, in ascending order.
fn is_ascending<T: PartialOrd>(values: &[Option<T>]) -> bool {
    let n = values.iter().flatten().count();
    values[..n].iter().all(Option::is_some) && values.iter().flatten().is_sorted()
}

#[test]
fn every_heading_sorts_by_mouse_and_keyboard() {
    let mut bench = bench(Drawing::None);
    let as_found = names(&bench);
    let by_name = ["drum hit.wav", "high note.wav", "low note.wav", "middle note.wav"];
    assert_ne!(as_found, by_name, "a folder inside comes after or before the file");
    bench.click("Sort by Name");
    assert_eq!(names(&bench), by_name);
    bench.click("Sort by Name, now ascending");
    assert!(names(&bench).iter().eq(by_name.iter().rev()));
    bench.click("Sort by Name, now descending");
    assert_eq!(names(&bench), as_found);
    // The hit is 0.25 s long, the notes 0.5 s; the middle note is 20 dB below the low one.
    bench.click("Sort by Length");
    assert_eq!(names(&bench)[0], "drum hit.wav");
    bench.click("Sort by Loudness");
    let lufs: Vec<Option<f64>> = rows(&bench).iter().map(|row| row.lufs).collect();
    assert!(is_ascending(&lufs) && names(&bench)[0] == "middle note.wav", "{lufs:?}");
    bench.click("Sort by Loudness, now ascending");
    assert_eq!(names(&bench)[0], "low note.wav", "the loudest first");
    // What shows no key comes last, either way.
    for heading in ["Sort by Key", "Sort by Key, now ascending"] {
        bench.click(heading);
        let mut keys: Vec<Option<String>> = rows(&bench).iter().map(|row| row.key.clone()).collect();
        assert_eq!(keys.pop(), Some(None), "{keys:?}");
        if heading.ends_with("ascending") {
            keys.reverse();
        }
        assert!(keys.len() == 3 && is_ascending(&keys), "{keys:?}");
    }
    // The same with the keyboard, and of what a search finds.
    bench.fill("Search the library", "note");
    bench.harness.get_by_label("Sort by Name").focus();
    bench.settle();
    bench.key(NONE, Key::Space);
    assert_eq!(names(&bench), by_name[1..]);
    bench.key(NONE, Key::Enter);
    assert!(names(&bench).iter().eq(by_name[1..].iter().rev()));
}

#[test]
fn similar_sounds_are_sorted_and_found_by_words_that_are_seen() {
    let mut bench = bench(Drawing::None);
    bench.act(LibraryAct::Choose {
        at: names(&bench).iter().position(|name| name == "low note.wav").unwrap(),
        is_audible: false,
    });
    bench.act(BrowseCommand::SimilarToSound);
    bench.settle();
    let alike = names(&bench);
    assert_eq!(alike.len(), 3, "{alike:?}");
    bench.click("Sort by Name");
    assert_eq!(names(&bench), ["drum hit.wav", "high note.wav", "middle note.wav"]);
    bench.click("Sort by Alike");
    assert!(names(&bench).iter().eq(alike.iter().rev()), "the least alike first");
    bench.click("Sort by Alike, now ascending");
    assert_eq!(names(&bench), alike);
    // What filters the list can be read and changed where it does.
    bench.fill("Search the library", "hit");
    assert_eq!(names(&bench), ["drum hit.wav"]);
    bench.act(BrowseCommand::Duplicates);
    bench.settle();
    assert!(!bench.has("Search the library") && !bench.has("Sort by Name"), "all duplicates are listed, in groups");
}

fn scroll(bench: &mut Bench, points: f32) {
    bench.harness.event(Event::PointerMoved(pos2(150.0, 500.0)));
    let (unit, delta, modifiers) = (MouseWheelUnit::Point, vec2(0.0, -points), egui::Modifiers::NONE);
    let (phase, source) = (egui::TouchPhase::Move, egui::MouseWheelSource::Unknown);
    bench.harness.event(Event::MouseWheel { unit, delta, modifiers, phase, source });
    bench.settle();
}

fn write_tone(path: &Path, hz: f64) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let bits = tone(4_800, 48_000.0, hz, 0.2).iter().map(|sample| i64::from(sample.to_bits())).collect();
    Wav { format: Format::F32, rate: 48_000, channels: vec![bits] }.write(path);
}

/// Where the row of a sound is, if it is in view.
fn row_of(bench: &Bench, name: &str) -> Option<Rect> {
    bench.harness.query_all_by_label_contains(&format!("{name},")).next().map(|node| node.rect())
}

#[test]
fn rows_stay_where_they_are_while_sounds_are_added_and_analysed() {
    let mut bench = Bench::new(Drawing::None);
    let all: Vec<String> = (0..24).map(|n| format!("tone {n:02}.wav")).collect();
    all.iter().enumerate().for_each(|(n, name)| write_tone(&bench.out("old").join(name), 200.0 + 50.0 * n as f64));
    let folder = bench.out("old");
    bench.act(LibraryAct::Add(vec![folder]));
    bench.settle();
    bench.click("Sort by Name");
    scroll(&mut bench, 7.0 * 44.0);
    let seen = |bench: &Bench| all.iter().filter_map(|name| row_of(bench, name)).collect::<Vec<_>>();
    let (before, place) = (seen(&bench), row_of(&bench, "tone 10.wav").unwrap());
    assert!(row_of(&bench, "tone 03.wav").is_none() && before.len() > 5, "{before:?}");
    click(&mut bench, place.center(), PointerButton::Primary);
    let in_progress = browser(&bench).chosen().unwrap().1;
    // Their names come before all others; frame by frame, until they are analysed.
    for (name, hz) in [("a.wav", 3_000.0), ("b.wav", 4_000.0), ("c.wav", 5_000.0)] {
        write_tone(&bench.out("new").join(name), hz);
    }
    let folder = bench.out("new");
    bench.act(LibraryAct::Add(vec![folder]));
    for _ in 0..60 {
        bench.harness.step();
        bench.jobs.run_until_idle();
        assert_eq!(row_of(&bench, "tone 10.wav"), Some(place), "{:?}", browser(&bench).added());
    }
    bench.settle();
    assert_eq!((browser(&bench).entries().len(), browser(&bench).added().report.analysed), (27, 3));
    assert_eq!(seen(&bench), before);
    assert_eq!(browser(&bench).chosen(), Some((13, in_progress)));
    // Another order begins at its top, and the sound in hand is in view.
    bench.click("Sort by Name, now ascending");
    assert!(row_of(&bench, "tone 10.wav").is_some());
}

fn click(bench: &mut Bench, at: Pos2, button: PointerButton) {
    bench.harness.event(Event::PointerMoved(at));
    for pressed in [true, false] {
        bench.harness.event(Event::PointerButton { pos: at, button, pressed, modifiers: NONE });
        bench.harness.step();
    }
    bench.settle();
}

#[test]
fn a_files_menu_finds_what_is_similar_to_it() {
    let mut bench = bench(Drawing::None);
    let row = bench.harness.get_by_label_contains("low note.wav,").rect();
    click(&mut bench, row.center(), PointerButton::Secondary);
    assert!(["Play", "Open", "Paste chosen sound at cursor", "Show in folder"].iter().all(|item| bench.has(item)));
    bench.click("Open similar to this");
    assert_eq!(browser(&bench).mode(), LibraryMode::Similar);
    let low = browser(&bench).compared().unwrap();
    assert_eq!(browser(&bench).row(low).unwrap().name(), "low note.wav");
    // By keys: the list, the first row, its menu.
    bench.act(BrowseCommand::All);
    bench.settle();
    bench.harness.get_by_label("4 sounds of the library").focus();
    bench.settle();
    bench.key(NONE, Key::ArrowDown);
    let (_, first) = browser(&bench).chosen().unwrap();
    bench.key(SHIFT, Key::F10);
    bench.harness.get_by_label("Open similar to this").focus();
    bench.settle();
    bench.key(NONE, Key::Enter);
    assert_eq!((browser(&bench).mode(), browser(&bench).compared()), (LibraryMode::Similar, Some(first)));
    assert!(bench.studio().layout().has_library(), "F10 alone shows and hides the panel");
}

#[test]
fn the_button_below_the_list_adds_a_folder() {
    let mut bench = Bench::new(Drawing::None);
    bench.act(LayoutCommand::Library);
    bench.settle();
    write_tone(&bench.out("more/one.wav"), 500.0);
    let folder = bench.out("more");
    bench.dialogs.answer(sonobrush::workbench::Picked::File(folder));
    bench.click("Add folder\u{2026}");
    assert_eq!(names(&bench), ["one.wav"]);
}

/// Names sort as in any list of files: the case of letters does not count.
#[test]
fn the_command_line_sorts_by_name_and_among_some() {
    let place = crate::support::program::Place::new();
    let place = LibraryPlace::new(&Folders::in_folder(place.path("x").as_path()), Some(&place.path("made.db")));
    make_library(&place, 12);
    let store = LibraryStore::open_to_read(&place).unwrap();
    let query =
        |is_descending, among| SoundQuery { sort: Some("name".into()), is_descending, among, ..SoundQuery::default() };
    let ids = |query: &SoundQuery| store.search(query).unwrap().iter().map(|sound| sound.id).collect::<Vec<_>>();
    assert_eq!(ids(&query(false, None)), [1, 10, 11, 12, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(ids(&query(true, Some(vec![3, 11, 7, 99]))), [7, 3, 11]);
}

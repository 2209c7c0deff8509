//! A library of many sounds: what is drawn, searched and compared. Few of them here, half a million with
//! `SONOBRUSH_LONG_TESTS`; times are printed, and checked in an optimised build (`benches/library/panel.rs` checks them
//! while
//! sounds are added).
#![allow(clippy::print_stdout, reason = "figures are told")]

use super::library_store::{json, place_of, tone, write};
use super::support::made_library::{LIKE, NEAREST, make_library};
use super::support::program::Place;
use super::support::studio::{Bench, Drawing};
use egui::{Event, Modifiers, MouseWheelUnit, pos2, vec2};
use sonobrush::base::{ErrorKind, Progress};
use sonobrush::library::search::{FIRST_SOUNDS, MAX_RANKED, SoundFilter, SoundQuery};
use sonobrush::library::similar::SimilarDials;
use sonobrush::library::store::LibraryStore;
use sonobrush::workbench::commands::{BrowseCommand, LayoutCommand};
use sonobrush::workbench::{Jobs, LibraryAct, LibraryQuery};
use std::time::{Duration, Instant};

const MAX_SEARCH: Duration = Duration::from_millis(50);
const MAX_FRAME: Duration = Duration::from_millis(8);

fn n_sounds() -> i64 {
    if std::env::var_os("SONOBRUSH_LONG_TESTS").is_some() { 500_000 } else { 12_000 }
}

/// Whether times are held.
fn is_optimised() -> bool {
    !cfg!(debug_assertions)
}

/// The first sounds with some words in their names, and how long that took.
fn first_with(place: &Place, text: &str, filter: Option<&str>, max: usize) -> (Vec<i64>, Duration) {
    let filter = filter.map(|filter| SoundFilter::parse(filter).unwrap());
    let query = SoundQuery { text: text.into(), filter, max: Some(max), ..SoundQuery::default() };
    let began = Instant::now();
    let found = LibraryStore::open_to_read(&place_of(place)).unwrap().search(&query).unwrap();
    (found.iter().map(|sound| sound.id).collect(), began.elapsed())
}

/// Two words that all sounds have are found in the order of the sounds, before all are read; others the best first.
fn words_are_ranked_where_they_tell_sounds_apart(place: &Place) {
    assert!(n_sounds() > MAX_RANKED as i64);
    let (found, _) = first_with(place, "pack hit", None, 500);
    assert_eq!(found, (1..=500).collect::<Vec<i64>>());
    let (found, _) = first_with(place, "hit 99", None, 3);
    assert_eq!(found, [99, 999, 9_999], "99 is in their names and in their folder's");
    let (found, took) = first_with(place, "pack hit", Some("duration_secs < 10"), 100);
    println!("two words that all have and a filter: {took:.2?} to the first {}", found.len());
    assert!(found.is_sorted() && found.iter().all(|id| id % 60 < 10) && found.len() == 100, "{found:?}");
    assert!(!is_optimised() || took <= MAX_SEARCH, "{took:?}");
}

#[test]
fn the_first_sounds_of_a_long_list_are_known_before_the_rest() {
    const N: i64 = 6_000;
    let place = Place::new();
    make_library(&place_of(&place), N);
    let store = LibraryStore::open_to_read(&place_of(&place)).unwrap();
    for (text, n) in [("", N), ("pack hit", N), ("hit 599", 11)] {
        let query = SoundQuery { text: text.into(), ..SoundQuery::default() };
        let mut reported: Vec<Vec<i64>> = Vec::new();
        let all = store.sound_ids(&query, &Progress::new(), &mut |first| reported.push(first.to_vec())).unwrap();
        assert_eq!(all.len() as i64, n, "{text}");
        let first = all.chunks(FIRST_SOUNDS).next().filter(|_| all.len() > FIRST_SOUNDS);
        assert_eq!(reported.first().map(Vec::as_slice), first, "{text}");
        assert!(reported.len() < 2, "{text}: {} times", reported.len());
    }
    // Cancelling stops the rest.
    let progress = Progress::new();
    let stopped = store.sound_ids(&SoundQuery::default(), &progress, &mut |_| progress.cancel());
    assert_eq!(stopped.unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(store.sound_ids_after(N - 2, &Progress::new()).unwrap(), [N - 1, N]);
    // By their numbers, in the order of the request.
    let some: Vec<Option<i64>> = store
        .sounds(&[30, N + 1, 17], &Progress::new())
        .unwrap()
        .into_iter()
        .map(|sound| sound.map(|sound| sound.id))
        .collect();
    assert_eq!(some, [Some(30), None, Some(17)]);
    let short = SoundFilter::parse("duration_secs < 1").unwrap();
    let mut picker = store.picker(Some(&short)).unwrap();
    assert_eq!([59, 60, 61, N + 1].map(|id| picker.takes(id).unwrap()), [false, true, false, false]);
}

/// Frames with jobs on threads, as a window has them, until something is so.
fn until(bench: &mut Bench, what: &str, mut is_so: impl FnMut(&Bench) -> bool) {
    let began = Instant::now();
    while !is_so(bench) {
        assert!(began.elapsed() < Duration::from_secs(60), "never: {what}");
        bench.clock.advance(0.1);
        bench.harness.step();
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_long_list_grows_while_sounds_are_added() {
    const N: usize = 6_000;
    const N_NEW: usize = 60;
    let place = Place::new();
    make_library(&place_of(&place), N as i64);
    (0..N_NEW).for_each(|number| write(&place, &format!("in/new {number}.wav"), tone(number, 1_600)));
    let mut bench = Bench::with_jobs(Drawing::None, tempfile::tempdir().unwrap(), Jobs::threads(|| ()));
    bench.act(LibraryAct::Use(place.path("l/lib.db")));
    bench.act(LayoutCommand::Library);
    let n_listed = |bench: &Bench| bench.studio().workbench().browser().entries().len();
    until(&mut bench, "the list", |bench| n_listed(bench) == N);
    bench.act(LibraryAct::Choose { at: N - 1, is_audible: false });
    bench.act(LibraryAct::Add(vec![place.path("in")]));
    let mut lengths = Vec::new();
    until(&mut bench, "all of them", |bench| {
        let browser = bench.studio().workbench().browser();
        lengths.push((browser.entries().len(), browser.added().is_running));
        browser.entries().len() == N + N_NEW && !browser.added().is_running
    });
    assert!(lengths.is_sorted_by_key(|(n, _)| *n), "no sound left the list: {lengths:?}");
    assert!(lengths.iter().any(|(n, is_running)| *n > N && *is_running), "none was listed before the end: {lengths:?}");
    let browser = bench.studio().workbench().browser();
    assert!(browser.entries().is_sorted_by_key(|entry| entry.id));
    assert_eq!(browser.chosen(), Some((N - 1, N as i64)), "the sound in hand is where it was");
}

#[test]
fn what_is_similar_is_the_same_in_the_panel_as_in_the_store() {
    let place = Place::new();
    make_library(&place_of(&place), 6_000);
    let database = rusqlite::Connection::open(place_of(&place).database()).unwrap();
    database.execute("UPDATE file SET missing_since_ns = 1 WHERE sound = ?1", [NEAREST[0]]).unwrap();
    let mut bench = Bench::new(Drawing::None);
    bench.act(LibraryAct::Use(place.path("l/lib.db")));
    bench.act(LayoutCommand::Library);
    bench.settle();
    bench.act(LibraryAct::Choose { at: LIKE as usize - 1, is_audible: false });
    bench.act(BrowseCommand::SimilarToSound);
    let store = LibraryStore::open_to_read(&place_of(&place)).unwrap();
    let query = store.similar_to(LIKE).unwrap();
    // Every sound, one in sixty, and eight in sixty: all, few and enough of the nearest.
    for choice in [None, Some(0), Some(2)] {
        let chips = sonobrush::workbench::CHIPS.map(|chip| choice.filter(|_| chip.name == "Duration"));
        bench.act(LibraryAct::Find(LibraryQuery { chips, ..LibraryQuery::default() }));
        bench.settle();
        let entries = bench.studio().workbench().browser().entries();
        let listed: Vec<i64> = entries.iter().map(|entry| entry.id).collect();
        let filter = choice.map(|at| SoundFilter::parse(sonobrush::workbench::CHIPS[0].choices[at].condition).unwrap());
        let similar = store.similar(&query, Some(LIKE), &SimilarDials::default(), filter.as_ref(), 200).unwrap();
        let expected: Vec<i64> = similar.iter().map(|similar| similar.sound.id).collect();
        assert_eq!(listed, expected, "{choice:?}");
        // Of the one in sixty, one has no file.
        assert_eq!(expected.len(), if choice == Some(0) { 99 } else { 200 });
    }
}

#[test]
fn a_library_of_any_size_is_scrolled_searched_and_compared_at_once() {
    let n = n_sounds();
    let place = Place::new();
    make_library(&place_of(&place), n);
    let mut bench = Bench::new(Drawing::None);
    bench.act(LibraryAct::Use(place.path("l/lib.db")));
    bench.act(LayoutCommand::Library);
    let began = Instant::now();
    bench.settle();
    println!("{n} sounds listed after {:.2?}", began.elapsed());
    assert_eq!(bench.studio().workbench().browser().entries().len(), n as usize);
    // Scrolled by the wheel, frame by frame: as many rows are drawn as there is room for.
    let at = pos2(150.0, 400.0);
    bench.harness.event(Event::PointerMoved(at));
    let mut frames: Vec<Duration> = Vec::new();
    for notch in 0..120 {
        let unit = MouseWheelUnit::Point;
        let delta = vec2(0.0, if notch % 3 == 0 { -4_400.0 } else { -44.0 });
        let (modifiers, phase) = (Modifiers::NONE, egui::TouchPhase::Move);
        let source = egui::MouseWheelSource::Unknown;
        bench.harness.event(Event::MouseWheel { unit, delta, modifiers, phase, source });
        let began = Instant::now();
        bench.harness.step();
        frames.push(began.elapsed());
        bench.jobs.run_until_idle();
    }
    frames.sort();
    let [median, p99] = [frames[60], frames[118]];
    println!("frames while {n} sounds are scrolled: {median:.2?}, p99 {p99:.2?}");
    assert!(!is_optimised() || p99 <= MAX_FRAME, "{p99:?}");
    // Two words and a filter.
    let began = Instant::now();
    let chips = sonobrush::workbench::CHIPS.map(|chip| (chip.name == "Duration").then_some(2));
    bench.act(LibraryAct::Find(LibraryQuery { text: "pack hit".into(), chips, ..LibraryQuery::default() }));
    bench.settle();
    println!("two words and a filter: {:.2?} to the list", began.elapsed());
    let found = bench.studio().workbench().browser().entries();
    assert!(!found.is_empty() && found.iter().all(|entry| (2.0..=10.0).contains(&((entry.id % 60) as f64 + 0.5))));
    words_are_ranked_where_they_tell_sounds_apart(&place);
    // Compared with all others, exactly.
    let began = Instant::now();
    let similar = json(&place, &["similar", &LIKE.to_string(), "-n", "3"]);
    println!("similar, by a command that reads all of it first: {:.2?}", began.elapsed());
    let ids: Vec<i64> = similar.as_array().unwrap().iter().map(|sound| sound["id"].as_i64().unwrap()).collect();
    assert_eq!(ids, NEAREST);
}

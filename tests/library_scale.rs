//! A library of many sounds: what is drawn, searched and compared. Few of them here, half a million with
//! `SONOBRUSH_LONG_TESTS`; times are told, and held in an optimised build.
#![allow(clippy::print_stdout, reason = "figures are told")]

use super::library_store::{json, place_of};
use super::support::program::Place;
use super::support::random::Random;
use super::support::studio::{Bench, Drawing};
use egui::{Event, Modifiers, MouseWheelUnit, pos2, vec2};
use sonobrush::library::search::{MOST_RANKED, SoundFilter, SoundQuery};
use sonobrush::library::store::{LibraryLock, LibraryStore};
use sonobrush::workbench::commands::LayoutCommand;
use sonobrush::workbench::{LibraryAct, LibraryQuery};
use std::time::{Duration, Instant};

const N_VALUES: usize = 48;
/// The sound that others are compared with, and those that are made most like it, the nearest first.
const LIKE: i64 = 17;
const NEAREST: [i64; 3] = [900, 300, 600];
const LONGEST_SEARCH: Duration = Duration::from_millis(50);
const LONGEST_FRAME: Duration = Duration::from_millis(8);

fn n_sounds() -> i64 {
    if std::env::var_os("SONOBRUSH_LONG_TESTS").is_some() { 500_000 } else { 12_000 }
}

/// Whether times are held.
fn is_optimised() -> bool {
    !cfg!(debug_assertions)
}

/// A library of so many made-up sounds with names, lengths and vectors; their files are on a disk that is not there.
fn library_of(place: &Place, n: i64) {
    let place = place_of(place);
    let lock = LibraryLock::try_take(&place).unwrap().unwrap();
    drop(LibraryStore::open_to_write(&place, &lock, &mut Vec::new()).unwrap());
    let mut connection = rusqlite::Connection::open(place.database()).unwrap();
    let transaction = connection.transaction().unwrap();
    transaction
        .execute_batch(&format!(
            "INSERT INTO folder(id, path, watched) VALUES (1, CAST('/gone' AS BLOB), 0);
             WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < {n})
             INSERT INTO sound(id, file_hash, audio_hash, kind, duration_secs, sample_rate, channels, format, first_seen_ns)
               SELECT k, randomblob(32), randomblob(32), 'sound', k % 60 + 0.5, 48000, 1, 'WAV, 24 bit', k FROM n;
             INSERT INTO file(folder, path, name, bytes, modified_ns, sound)
               SELECT 1, CAST('pack ' || (id % 100) || '/hit ' || id || '.wav' AS BLOB), 'hit ' || id || '.wav', 1, 1, id
               FROM sound;
             INSERT INTO text(rowid, name, path, tags)
               SELECT id, 'hit ' || id || '.wav', 'pack ' || (id % 100) || '/hit ' || id || '.wav', '' FROM sound;"
        ))
        .unwrap();
    {
        let insert = "INSERT INTO descriptor(sound, version, silent, lufs, vector) VALUES (?1, 1, 0, -20.0, ?2)";
        let mut insert = transaction.prepare(insert).unwrap();
        let mut random = Random::new(5);
        let like: Vec<f32> = (0..N_VALUES).map(|_| random.between(-1.0, 1.0) as f32).collect();
        for id in 1..=n {
            let rank = NEAREST.iter().position(|near| *near == id).map(|rank| rank as f32 + 1.0);
            let values: Vec<f32> = match rank {
                _ if id == LIKE => like.clone(),
                Some(rank) => like.iter().map(|value| value + 0.001 * rank).collect(),
                None => (0..N_VALUES).map(|_| random.between(-30.0, 30.0) as f32).collect(),
            };
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            insert.execute(rusqlite::params![id, bytes]).unwrap();
        }
    }
    transaction.commit().unwrap();
}

/// The first sounds with some words in their names, and how long that took.
fn first_with(place: &Place, text: &str, filter: Option<&str>, most: usize) -> (Vec<i64>, Duration) {
    let filter = filter.map(|filter| SoundFilter::parse(filter).unwrap());
    let query = SoundQuery { text: text.into(), filter, most: Some(most), ..SoundQuery::default() };
    let began = Instant::now();
    let found = LibraryStore::open_to_read(&place_of(place)).unwrap().search(&query).unwrap();
    (found.iter().map(|sound| sound.id).collect(), began.elapsed())
}

/// Two words that all sounds have are found in the order of the sounds, before all are read; others the best first.
fn words_are_ranked_where_they_tell_sounds_apart(place: &Place) {
    assert!(n_sounds() > MOST_RANKED as i64);
    let (found, _) = first_with(place, "pack hit", None, 500);
    assert_eq!(found, (1..=500).collect::<Vec<i64>>());
    let (found, _) = first_with(place, "hit 99", None, 3);
    assert_eq!(found, [99, 999, 9_999], "99 is in their names and in their folder's");
    let (found, took) = first_with(place, "pack hit", Some("duration_secs < 10"), 100);
    println!("two words that all have and a filter: {took:.2?} to the first {}", found.len());
    assert!(found.is_sorted() && found.iter().all(|id| id % 60 < 10) && found.len() == 100, "{found:?}");
    assert!(!is_optimised() || took <= LONGEST_SEARCH, "{took:?}");
}

#[test]
fn a_library_of_any_size_is_scrolled_searched_and_compared_at_once() {
    let n = n_sounds();
    let place = Place::new();
    library_of(&place, n);
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
    assert!(!is_optimised() || p99 <= LONGEST_FRAME, "{p99:?}");
    // Two words and a filter.
    let began = Instant::now();
    let chips = sonobrush::workbench::CHIPS.map(|chip| (chip.name == "Duration").then_some(2));
    bench.act(LibraryAct::Find(LibraryQuery { text: "pack hit".into(), chips }));
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

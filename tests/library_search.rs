//! What the library finds: by words, conditions and likeness, again under another name, and as tables.

use super::library_store::{assert_intact, json, library, place_of, tone, write};
use super::support::made_library::{LIKE, NEAREST, make_library};
use super::support::program::Place;
use super::support::random::Random;
use super::support::wav::{Format, Wav, clip};
use serde_json::Value;
use sonobrush::base::Progress;
use sonobrush::library::descriptors::COLUMNS;
use sonobrush::library::search::{SoundFilter, SoundQuery};
use sonobrush::library::similar::{
    N_DIMENSIONS, SimilarDials, SimilarIndex, SimilarTo, SoundVector, VectorScale, VectorTable,
};
use sonobrush::library::store::LibraryStore;
use sonobrush::media::Source;
use std::sync::Arc;

fn ids(found: &Value) -> Vec<i64> {
    found.as_array().unwrap().iter().map(|sound| sound["id"].as_i64().unwrap()).collect()
}

/// Names of the first file of each sound, without folders.
fn names(found: &Value) -> Vec<String> {
    let name = |sound: &Value| sound["paths"][0].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    found.as_array().unwrap().iter().map(name).collect()
}

fn drums(place: &Place) {
    write(place, "in/Drums/Snare_Tight.wav", tone(1, 1_600));
    write(place, "in/Drums/snare loose.wav", tone(2, 4_000));
    write(place, "in/Drums/kick.wav", tone(3, 2_400));
    write(place, "in/Pads/Caf\u{e9} pad.wav", tone(4, 8_000));
    library(place, &["add", "in"]);
}

#[test]
fn words_are_found_in_names_paths_and_tags() {
    let place = Place::new();
    drums(&place);
    let found = |words: &[&str]| {
        let mut names = names(&json(&place, &[&["search"], words].concat()));
        names.sort();
        names
    };
    assert_eq!(found(&["snare"]), ["Snare_Tight.wav", "snare loose.wav"]);
    assert_eq!(found(&["SNA", "ti"]), ["Snare_Tight.wav"]);
    assert_eq!(found(&["cafe"]), ["Caf\u{e9} pad.wav"]);
    assert_eq!(found(&["drums"]).len(), 3);
    assert_eq!(found(&[]).len(), 4);
    assert_eq!(found(&["nowhere"]).len(), 0);
    // A name counts more than a folder.
    write(&place, "in/Snare room/x.wav", tone(9, 900));
    library(&place, &["add", "in"]);
    assert_eq!(names(&json(&place, &["search", "snare"])).last().unwrap(), "x.wav");
    // Operators of the index are words like others.
    for odd in ["\"", "snare OR kick", "NEAR(", "name : x", "a*b", "- ' \" ; --", "\0"] {
        let query = SoundQuery { text: odd.into(), ..SoundQuery::default() };
        let store = LibraryStore::open_to_read(&place_of(&place)).unwrap();
        assert!(store.search(&query).unwrap().len() <= 5, "{odd}");
    }
    // Tags: set, found, replaced, removed.
    let kick = ids(&json(&place, &["search", "kick"]))[0].to_string();
    library(&place, &["tag", &kick, "Mood=Very dark"]);
    assert_eq!(found(&["dark"]), ["kick.wav"]);
    library(&place, &["tag", &kick, "mood=bright"]);
    assert_eq!((found(&["dark"]).len(), found(&["mood", "bright"]).len()), (0, 1));
    library(&place, &["tag", &kick, "mood="]);
    assert_eq!(found(&["bright"]).len(), 0);
    let kept = String::from_utf8(place.read("l/lib.db.tags.jsonl")).unwrap();
    assert!(kept.lines().count() == 3 && kept.lines().last().unwrap().contains("null"), "{kept}");
}

/// Letters with marks have two forms: macOS writes names in the decomposed one, keyboards the composed one.
#[test]
fn names_are_found_in_either_form_of_their_letters() {
    let place = Place::new();
    let words = [
        ("\u{fc}berflug", "u\u{308}berflug"),
        ("\u{439}\u{43e}\u{433}\u{443}\u{440}\u{442}", "\u{438}\u{306}\u{43e}\u{433}\u{443}\u{440}\u{442}"),
        ("\u{30ac}\u{30e9}\u{30b9}", "\u{30ab}\u{3099}\u{30e9}\u{30b9}"),
        ("\u{d55c}\u{ae00}", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"),
    ];
    for (at, (composed, decomposed)) in words.iter().enumerate() {
        write(&place, &format!("in/{composed} a.wav"), tone(2 * at, 900));
        write(&place, &format!("in/{decomposed} b.wav"), tone(2 * at + 1, 900));
    }
    library(&place, &["add", "in"]);
    for (composed, decomposed) in words {
        for question in [composed, decomposed] {
            let found = json(&place, &["search", question]);
            assert_eq!(found.as_array().unwrap().len(), 2, "{question:?}: {found}");
        }
    }
    // A tag, too.
    library(&place, &["tag", "1", "mood=fr\u{f6}hlich"]);
    assert_eq!(ids(&json(&place, &["search", "fro\u{308}h"])), [1]);
    // A mark that goes with no letter of one form is a part of its word.
    write(&place, "in/x\u{304}yz.wav", tone(9, 900));
    library(&place, &["add", "in"]);
    assert_eq!(json(&place, &["search", "x\u{304}y"]).as_array().unwrap().len(), 1);
}

#[test]
fn conditions_are_parsed_and_bound() {
    let place = Place::new();
    drums(&place);
    let found = |condition: &str| {
        let mut names = names(&json(&place, &["search", "--where", condition]));
        names.sort();
        names.len()
    };
    assert_eq!(found("duration_secs < 0.4"), 2);
    assert_eq!(found("duration_secs >= 0.2 and duration_secs <= 0.3"), 2);
    assert_eq!(found("not duration_secs < 0.4"), 2);
    assert_eq!(found("duration_secs < 0.25 or (duration_secs > 0.9 AND channels = 1)"), 2);
    assert_eq!(found("format = 'wav, 16 BIT' and silent = false"), 4);
    assert_eq!(found("format = \"' or 1=1 --\""), 0);
    assert_eq!(found("loudness_range < 1000 or not loudness_range < 1000"), 0, "none has a value");
    let order = json(&place, &["search", "--sort", "duration_secs", "--reverse", "-n", "2"]);
    assert_eq!(names(&order), ["Caf\u{e9} pad.wav", "snare loose.wav"]);
    for (wrong, what) in [
        ("", "a name is missing"),
        ("duration_secs", "needs one of"),
        ("duration_secs <", "needs a number"),
        ("duration_secs < 'a'", "compared with a number"),
        ("key = 3", "compared with a quoted text"),
        ("key = 'A", "not closed"),
        ("(lufs > 1", "a bracket is not closed"),
        ("lufs > 1 lufs < 2", "is not expected"),
        ("lufs > 1e999", "is not a number"),
        ("file_hash = 'a'", "nothing is known as"),
        ("lufs > 1; DROP TABLE sound", "is not expected"),
        ("lufs > (SELECT 1)", "needs a number"),
    ] {
        let error = SoundFilter::parse(wrong).unwrap_err();
        assert!(error.message().contains(what), "{wrong}: {error}");
    }
    let long = |n: usize| vec!["lufs > -99"; n].join(" or ");
    assert!(SoundFilter::parse(&long(16)).is_ok() && SoundFilter::parse(&long(17)).is_err());
    assert!(SoundFilter::parse(&format!("{}lufs > 1{}", "(".repeat(99), ")".repeat(99))).is_err());
    assert_eq!(found(&long(16)), 4);
    assert!(
        place.failed(&["library", "--library", "l/lib.db", "search", "--sort", "id; --"]).contains("nothing is known")
    );
}

#[test]
fn every_column_is_a_number_or_text_of_the_description() {
    for column in COLUMNS {
        let name = column.name;
        assert!(column.is_described || ["format", "picture_secs"].contains(&name), "{name}");
    }
}

/// Vectors by chance around three centres.
fn vectors(n: usize) -> Vec<SoundVector> {
    let mut random = Random::new(48);
    let value = |random: &mut Random, number: usize, at: usize| {
        (number % 3) as f32 * (at % 5) as f32 + random.between(-1.0, 1.0) as f32 * (1.0 + at as f32)
    };
    (0..n).map(|number| std::array::from_fn(|at| value(&mut random, number, at))).collect()
}

#[test]
fn the_nearest_are_those_of_the_definition() {
    let vectors = vectors(3_000);
    let scale = VectorScale::of(&vectors).unwrap();
    assert!(VectorScale::of(&vectors[..63]).is_none() && VectorScale::of(&vectors[..64]).is_some());
    let mut table = VectorTable::default();
    let f0 = |at: usize| if at.is_multiple_of(2) { Some(100.0 + at as f32) } else { None };
    vectors.iter().enumerate().for_each(|(at, vector)| table.push(at as i64, vector, f0(at), &scale));
    let mut dials = SimilarDials::default();
    for (name, value) in [("pitch", 1.5), ("timbre", 2.0), ("time", 0.0)] {
        dials.set(name, value).unwrap();
    }
    assert!(dials.set("colour", 1.0).is_err() && dials.set("time", 4.1).is_err());
    let query = SimilarTo { vector: vectors[70], f0_hz: f0(70) };
    let found = table.nearest(&query, &scale, &dials, 40);
    // By the definition, in f64.
    let scaled = |vector: &SoundVector, at: usize| {
        f64::from(((vector[at] - scale.centre[at]) / scale.spread[at]).clamp(-5.0, 5.0))
    };
    let weight = |at: usize| match at {
        0..20 => 2.0,
        20..40 => 0.7,
        45.. => 0.0,
        _ => 1.0,
    };
    let distance = |number: usize| {
        let square = |at: usize| (weight(at) * (scaled(&vectors[70], at) - scaled(&vectors[number], at))).powi(2);
        let octaves = f0(number).map_or(0.0, |hz| f64::from(hz / 170.0).log2() * 2.0 * 1.5);
        ((0..N_DIMENSIONS).map(square).sum::<f64>() + octaves * octaves).sqrt()
    };
    let mut expected: Vec<(f64, i64)> = (0..vectors.len()).map(|number| (distance(number), number as i64)).collect();
    expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    assert_eq!((found.len(), found[0]), (40, (70, 0.0)));
    for ((id, found), (expected, number)) in found.iter().zip(&expected) {
        assert!((f64::from(*found) - expected).abs() < 1e-4 && id == number, "{id} {found}, {number} {expected}");
    }
    // Medians and deviations, one dimension by hand.
    let mut column: Vec<f32> = vectors.iter().map(|vector| vector[7]).collect();
    column.sort_by(f32::total_cmp);
    let middle = (column[1_499] + column[1_500]) / 2.0;
    assert_eq!(scale.centre[7], middle);
    let mut away: Vec<f32> = column.iter().map(|value| (value - middle).abs()).collect();
    away.sort_by(f32::total_cmp);
    assert_eq!(scale.spread[7], 1.4826 * ((away[1_499] + away[1_500]) / 2.0));
}

/// More sounds than one thread takes at once, all the same except for some that differ a little.
#[test]
fn equal_sounds_come_in_the_order_of_their_numbers() {
    const N: i64 = 20_000;
    let scale = VectorScale { centre: [0.0; N_DIMENSIONS], spread: [1.0; N_DIMENSIONS] };
    let mut table = VectorTable::default();
    let is_apart = |id: i64| id % 4 > 0;
    (0..N).rev().for_each(|id| table.push(id, &[if is_apart(id) { 0.5 } else { 0.0 }; N_DIMENSIONS], None, &scale));
    let query = SimilarTo { vector: [0.0; N_DIMENSIONS], f0_hz: None };
    let nearest = |max: usize| -> Vec<i64> {
        table.nearest(&query, &scale, &SimilarDials::default(), max).into_iter().map(|(id, _)| id).collect()
    };
    let mut expected: Vec<i64> = (0..N).collect();
    expected.sort_by_key(|&id| (is_apart(id), id));
    for max in [0, 1, 7, 5_003, N as usize, usize::MAX] {
        let n = max.min(N as usize);
        assert!(nearest(max) == expected[..n], "{max}");
    }
}

/// What is new comes to what is kept, which is not read again: what was changed in it secretly stays as it was.
#[test]
fn vectors_of_added_sounds_come_to_those_that_were_read() {
    let place = Place::new();
    make_library(&place_of(&place), 5_000);
    let database = rusqlite::Connection::open(place_of(&place).database()).unwrap();
    let store = LibraryStore::open_to_read(&place_of(&place)).unwrap();
    let index_after = |before: &Arc<SimilarIndex>| store.similar_index(Some(before.clone()), &Progress::new()).unwrap();
    let query = store.similar_to(LIKE).unwrap();
    let nearest = |index: &SimilarIndex| -> Vec<i64> {
        index.nearest(&query, &SimilarDials::default(), 4).into_iter().map(|(id, _)| id).collect()
    };
    let first = store.similar_index(None, &Progress::new()).unwrap();
    let before = [LIKE, NEAREST[0], NEAREST[1], NEAREST[2]];
    assert_eq!(nearest(&first), before);
    assert!(Arc::ptr_eq(&index_after(&first), &first), "nothing changed");
    let like = format!("(SELECT vector FROM descriptor WHERE sound = {LIKE})");
    let describe = |id: i64, n_described: i64| {
        let rows = format!(
            "INSERT INTO descriptor(sound, version, silent, vector) VALUES ({id}, 1, 0, {like});
             INSERT INTO stats(run, kind, engine, items) VALUES ('a run', 'describe', 'cpu', {n_described})
               ON CONFLICT DO UPDATE SET items = {n_described};"
        );
        database.execute_batch(&rows).unwrap();
    };
    // Two are listed; the second is described first.
    let listed = "INSERT INTO sound(id, file_hash, kind, first_seen_ns)
                    VALUES (5001, randomblob(32), 'sound', 1), (5002, randomblob(32), 'sound', 1)";
    database.execute_batch(listed).unwrap();
    describe(5_002, 1);
    database.execute(&format!("UPDATE descriptor SET vector = {like} WHERE sound = 4000"), []).unwrap();
    let second = index_after(&first);
    assert_eq!(nearest(&second), [LIKE, 5_002, NEAREST[0], NEAREST[1]]);
    assert_eq!(nearest(&first), before, "whoever has it searches in it");
    describe(5_001, 2);
    let third = index_after(&second);
    assert_eq!(nearest(&third), [LIKE, 5_001, 5_002, NEAREST[0]]);
    // One was described again, so all are read.
    database.execute("UPDATE stats SET items = 3", []).unwrap();
    assert_eq!(nearest(&index_after(&third)), [LIKE, 4_000, 5_001, 5_002]);
    // Another scale.
    let scale = "INSERT INTO scale(version, n_sounds, centre, spread)
                   SELECT 1, 5000, vector, vector FROM descriptor WHERE sound = 1";
    database.execute(scale, []).unwrap();
    assert_eq!(nearest(&index_after(&third)), [LIKE, 4_000, 5_001, 5_002]);
}

#[test]
fn the_shipped_scale_is_whole() {
    let scale = VectorScale::shipped();
    assert!(scale.spread.iter().all(|spread| spread.is_finite() && *spread >= 1e-3));
    assert!(scale.centre[0].abs() > 1.0 && scale.spread.iter().any(|spread| *spread != 1.0));
}

#[test]
fn similar_sounds_are_found_and_scored() {
    let place = Place::new();
    // Tones in two families: short and dark, long and bright, and one of them quieter.
    for number in 0..4 {
        write(&place, &format!("in/dark {number}.wav"), tone(number, 1_600));
        write(&place, &format!("in/bright {number}.wav"), tone(60 + number, 6_000));
    }
    let quiet = tone(1, 1_600).into_iter().map(|sample| sample / 2).collect();
    write(&place, "in/quiet.wav", quiet);
    write(&place, "in/silence.wav", vec![0; 3_000]);
    library(&place, &["add", "in"]);
    let id = |name: &str| ids(&json(&place, &["search", name]))[0].to_string();
    let found = json(&place, &["similar", &id("quiet"), "-n", "4"]);
    assert_eq!(names(&found)[0], "dark 1.wav");
    assert!(names(&found).iter().all(|name| name.starts_with("dark")), "{:?}", names(&found));
    let scores: Vec<f64> = found.as_array().unwrap().iter().map(|sound| sound["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b) && scores[0] < 100.0 && scores[0] > 30.0, "{scores:?}");
    // A file that is in the library finds itself.
    let found = json(&place, &["similar", "in/bright 2.wav", "-n", "3"]);
    assert_eq!((names(&found)[0].as_str(), found[0]["score"].as_f64()), ("bright 2.wav", Some(100.0)));
    let only = json(&place, &["similar", "in/bright 2.wav", "--where", "duration_secs < 0.3"]);
    assert!(names(&only).iter().all(|name| !name.starts_with("bright")));
    assert_eq!(only.as_array().unwrap().len(), 5);
    // A part of a file, and what cannot be compared.
    json(&place, &["similar", "in/bright 2.wav", "--time", "0.1,0.4"]);
    let run =
        |arguments: &[&str]| place.failed(&[&["library", "--library", "l/lib.db", "similar"], arguments].concat());
    assert!(run(&["in/bright 2.wav", "--time", "5,6"]).contains("nothing lies from 5 s"));
    assert!(run(&[&id("silence")]).contains("silent"));
    assert!(run(&["9999"]).contains("no sound 9999"));
    assert!(run(&["1", "--weight", "colour=1"]).contains("no weight is called"));
    let nothing = ["timbre", "texture", "pitch", "brightness", "time"].map(|name| format!("--weight={name}=0"));
    let arguments: Vec<&str> = ["1"].into_iter().chain(nothing.iter().map(String::as_str)).collect();
    assert!(run(&arguments).contains("every weight is 0"));
}

/// A clip's samples, mixed by a function of the sample's number and value.
fn variant(place: &Place, name: &str, change: impl Fn(usize, f32) -> f32, n_before: usize) {
    let source = Source::open(&clip("drum_break_44k_stereo.flac"), &Progress::new()).unwrap().source;
    let mut samples = vec![0.0; source.info().n_samples as usize];
    source.read(0, 0, &mut samples).unwrap();
    let mut out = vec![0; n_before];
    out.extend(samples.iter().enumerate().map(|(at, value)| (change(at, *value) * 32_000.0) as i64));
    Wav { format: Format::Pcm(16), rate: 44_100, channels: vec![out] }.write(&place.path(name));
}

#[test]
fn duplicates_are_grouped_by_the_level_that_joins_them() {
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    write(&place, "in/a.wav", tone(1, 1_600));
    std::fs::copy(place.path("in/a.wav"), place.path("in/copy of a.wav")).unwrap();
    // The same samples with a chunk more.
    let mut tagged = place.read("in/a.wav");
    tagged.extend(b"LIST\x0e\0\0\0INFOINAM\x02\0\0\0hi");
    let n = tagged.len() as u32 - 8;
    tagged[4..8].copy_from_slice(&n.to_le_bytes());
    place.write("in/tagged.wav", tagged);
    // The same short sound, quieter.
    write(&place, "in/quiet.wav", tone(1, 1_600).into_iter().map(|sample| sample / 2).collect());
    write(&place, "in/other.wav", (0..3_000).map(|at| ((at * at / 7) % 6_000) as i64 - 3_000).collect());
    // The same recording, quieter and a second later.
    variant(&place, "in/drums.wav", |_, value| value, 0);
    variant(&place, "in/drums later.wav", |_, value| value * 0.4, 44_100);
    library(&place, &["add", "in"]);
    let groups = json(&place, &["duplicates"]);
    let levels: Vec<&str> = groups.as_array().unwrap().iter().map(|group| group["level"].as_str().unwrap()).collect();
    assert_eq!(levels, ["recording", "picture"], "{groups:#}");
    let recording = &groups[0]["sounds"];
    let later = recording.as_array().unwrap().iter().find(|sound| sound["id"] != groups[0]["keep"]).unwrap();
    let offset = later["offset_secs"].as_f64().unwrap();
    assert!((offset.abs() - 1.0).abs() < 0.13 && later["distance"].as_f64().unwrap() < 0.15, "{later}");
    let picture = groups[1]["sounds"].as_array().unwrap();
    let mut n_paths: Vec<usize> = picture.iter().map(|sound| sound["paths"].as_array().unwrap().len()).collect();
    n_paths.sort_unstable();
    assert_eq!(n_paths, [1, 1, 2], "{groups:#}");
    assert_eq!(groups[1]["keep"], picture[0]["id"]);
    // One level at a time.
    let of_level = |level: &str| {
        let groups = json(&place, &["duplicates", "--level", level]);
        let count = |group: &Value| group["sounds"].as_array().unwrap().len();
        let mut counts: Vec<usize> = groups.as_array().unwrap().iter().map(count).collect();
        counts.sort_unstable();
        counts
    };
    assert_eq!((of_level("file"), of_level("audio")), (vec![1], vec![2]));
    assert_eq!((of_level("recording"), of_level("picture")), (vec![2], vec![2, 3]));
    let strict = json(&place, &["duplicates", "--level", "picture", "--threshold", "0"]);
    let distances = |group: &Value| group["sounds"].as_array().unwrap().iter().all(|sound| sound["distance"] == 0.0);
    assert!(strict.as_array().unwrap().iter().all(distances), "{strict:#}");
    // The tag of the file itself is found, too.
    assert_eq!(names(&json(&place, &["search", "title hi"])), ["tagged.wav"]);
    let identified = json(&place, &["identify", "in/drums later.wav"]);
    assert_eq!(identified.as_array().unwrap().len(), 2, "{identified}");
    assert_eq!(identified[0]["offset_secs"], 0.0);
    assert!(place.failed(&["library", "--library", "l/lib.db", "identify", "in/a.wav"]).contains("shorter than 3 s"));
    let printed = library(&place, &["duplicates"]);
    assert!(printed.contains("keep") && printed.contains("copy of a.wav"), "{printed}");
    assert!(library(&place, &["add", "in", "--detect-duplicates"]).ends_with(&printed));
    assert_intact(&place);
}

#[test]
fn recordings_are_compared_as_far_as_is_asked() {
    let place = Place::new();
    drums(&place);
    let mut random = Random::new(120);
    let mut words = |n: usize| -> Vec<u32> { (0..n).map(|_| (random.bits() >> 32) as u32).collect() };
    // The second begins 1,000 words into the first, at 123.8 s.
    let (before, shared) = (words(1_000), words(200));
    let connection = rusqlite::Connection::open(place_of(&place).database()).unwrap();
    for (id, words) in [(1, [before, shared.clone()].concat()), (2, [shared, words(50)].concat())] {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let replace = "INSERT OR REPLACE INTO words(sound, version, words) VALUES (?1, 1, ?2)";
        connection.execute(replace, rusqlite::params![id, bytes]).unwrap();
    }
    let found = |secs: &[&str]| json(&place, &[&["duplicates", "--level", "recording"], secs].concat());
    assert_eq!(found(&[]), serde_json::json!([]));
    assert_eq!(found(&["--fingerprint-secs", "123"]), serde_json::json!([]));
    let groups = found(&["--fingerprint-secs", "130"]);
    let offset = groups[0]["sounds"][1]["offset_secs"].as_f64().unwrap();
    assert!((offset.abs() - 123.81).abs() < 0.01, "{groups:#}");
    let output = place.run(&["library", "--library", "l/lib.db", "duplicates", "--fingerprint-secs", "2"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("3..=86400"), "{said}");
}

#[test]
fn tables_are_whole_or_absent() {
    let place = Place::new();
    drums(&place);
    assert!(library(&place, &["export", "-o", "tables", "--csv"]).contains("4 sounds, 4 files"));
    let text = String::from_utf8(place.read("tables/sounds.csv")).unwrap();
    let head: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    assert!(COLUMNS.iter().all(|column| head.contains(&column.name)) && text.lines().count() == 5, "{text}");
    let files = String::from_utf8(place.read("tables/files.csv")).unwrap();
    assert!(files.contains("Snare_Tight.wav") && files.lines().count() == 5);
    library(&place, &["export", "-o", "parquet"]);
    for name in ["sounds.parquet", "files.parquet"] {
        let bytes = place.read(&format!("parquet/{name}"));
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{name}");
    }
    let line = place.failed(&["library", "--library", "l/lib.db", "export", "-o", "tables"]);
    assert!(line.contains("already there"), "{line}");
    assert!(!place.path("tables.partial").exists() && !place.path("parquet.partial").exists());
}

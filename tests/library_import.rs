//! Libraries that several machines made, each of its part of a manifest, become one: the same as one machine makes.

use super::library_store::{assert_intact, json, library, sounds, write};
use super::support::program::{Place, failure};
use serde_json::Value;

/// Everything that a library says of its sounds, except their numbers.
fn contents(place: &Place, database: &str) -> Vec<String> {
    let found: Value =
        serde_json::from_str(&place.done(&["library", "--library", database, "search", "--json"])).unwrap();
    let mut rows: Vec<String> = found.as_array().unwrap().iter().map(|sound| without_number(sound.clone())).collect();
    rows.sort();
    rows
}

fn without_number(mut sound: Value) -> String {
    sound["id"] = Value::Null;
    sound["paths"].as_array_mut().unwrap().sort_by_key(Value::to_string);
    sound.to_string()
}

fn import(place: &Place, arguments: &[&str]) -> [u64; 5] {
    let report = json(place, &[&["import"], arguments].concat());
    ["sounds", "known", "files", "failed", "waiting"].map(|name| report[name].as_u64().unwrap())
}

/// Six sounds and a copy, and one that is damaged, added in three parts to `s0.db` to `s2.db`.
fn parts(place: &Place) {
    sounds(place, "in", 6);
    // A melody of ten seconds, long enough to be recognised.
    let pitch = |at: usize| 0.05 + 0.4 * ((at / 800 * 7_919) % 97) as f64 / 97.0;
    write(
        place,
        "in/deeper/long.wav",
        (0..80_000).map(|at| (8_000.0 * (at as f64 * pitch(at)).sin()) as i64).collect(),
    );
    std::fs::copy(place.path("in/tone 001.wav"), place.path("in/a copy.wav")).unwrap();
    place.write("in/bad.wav", "no sound");
    place.done(&["features", "--list", "in", "-o", "m.json"]);
    for index in 0..3 {
        let (shard, database) = (format!("{index}/3"), format!("s{index}.db"));
        place.done(&["library", "--library", &database, "add", "--manifest", "m.json", "--shard", &shard]);
    }
}

#[test]
fn parts_that_three_machines_added_are_what_one_adds() {
    let place = Place::new();
    parts(&place);
    place.done(&["library", "--library", "one.db", "add", "in"]);
    let each: Vec<usize> = ["s0.db", "s1.db", "s2.db"].iter().map(|shard| contents(&place, shard).len()).collect();
    assert!(each.iter().all(|n| *n > 0 && *n < 7), "each machine has a part: {each:?}");
    assert_eq!(import(&place, &["s0.db", "s1.db", "s2.db"]), [7, 1, 9, 1, 0]);
    assert!(contents(&place, "l/lib.db") == contents(&place, "one.db"));
    assert_eq!(json(&place, &["failures"])[0]["path"], json_of(&place, "one.db", "failures")[0]["path"]);
    // Words and vectors came along, too.
    let long = place.path("in/deeper/long.wav").to_string_lossy().into_owned();
    let found = json(&place, &["identify", &long]);
    assert_eq!(found[0]["offset_secs"], 0.0, "{found}");
    let similar = json(&place, &["similar", &long, "-n", "1"]);
    assert!(similar[0]["score"].as_f64().unwrap() > 99.9, "{similar}");
    assert_intact(&place);
    // What was imported is known; so is what is imported again.
    let again = json(&place, &["add", "in"]);
    assert_eq!(["found", "analysed", "recognised", "failed"].map(|name| again[name].as_u64().unwrap()), [9, 0, 0, 0]);
    assert_eq!(import(&place, &["s1.db"]), [0, 0, 0, 0, 0]);
    assert_intact(&place);
}

fn json_of(place: &Place, database: &str, action: &str) -> Value {
    serde_json::from_str(&place.done(&["library", "--library", database, action, "--json"])).unwrap()
}

#[test]
fn a_folder_that_lies_elsewhere_here_is_found_there() {
    let place = Place::new();
    parts(&place);
    std::fs::rename(place.path("in"), place.path("elsewhere")).unwrap();
    // One of the folders here holds a part of it already.
    library(&place, &["add", "elsewhere/deeper"]);
    import(&place, &["s0.db", "s1.db", "s2.db", "--root", "elsewhere"]);
    let found = json(&place, &["search"]);
    let below = place.path("elsewhere").canonicalize().unwrap();
    let is_below = |path: &Value| std::path::Path::new(path.as_str().unwrap()).starts_with(&below);
    let paths: Vec<&Value> =
        found.as_array().unwrap().iter().flat_map(|sound| sound["paths"].as_array().unwrap()).collect();
    assert!(paths.len() == 8 && paths.iter().all(|path| is_below(path)), "{paths:?}");
    assert_intact(&place);
    let again = json(&place, &["add", "elsewhere"]);
    assert_eq!((&again["analysed"], &again["failed"]), (&0.into(), &0.into()), "{again}");
}

#[test]
fn tags_that_come_along_outlive_the_database() {
    let place = Place::new();
    parts(&place);
    let tag = |database: &str, words: &str, tag: &str| {
        let found = place.done(&["library", "--library", database, "search", words, "--json"]);
        let id = serde_json::from_str::<Value>(&found).unwrap()[0]["id"].to_string();
        place.done(&["library", "--library", database, "tag", &id, tag]);
    };
    let n_found = |words: &str| json(&place, &["search", words]).as_array().unwrap().len();
    let all = ["s0.db", "s1.db", "s2.db"];
    let of_tone = |words: &str| {
        let holds = |shard: &&&str| {
            let found = place.done(&["library", "--library", **shard, "search", words, "--json"]);
            !serde_json::from_str::<Value>(&found).unwrap().as_array().unwrap().is_empty()
        };
        *all.iter().find(holds).unwrap()
    };
    tag(of_tone("tone 002"), "tone 002", "mood=dark");
    tag(of_tone("tone 004"), "tone 004", "mood=gloomy");
    import(&place, &all);
    assert_eq!([n_found("dark"), n_found("gloomy")], [1, 1]);
    // Damaged and rebuilt from the folder: the tags are there.
    let stored = place.read("l/lib.db");
    place.write("l/lib.db", &stored[..stored.len() / 2]);
    assert_eq!(json(&place, &["add", "in"])["analysed"], 7);
    assert_eq!([n_found("dark"), n_found("gloomy")], [1, 1]);
    // What is said here counts, also of a sound that was forgotten since; so does what was said only here.
    tag("l/lib.db", "tone 002", "mood=bright");
    tag("l/lib.db", "tone 003", "mood=odd");
    library(&place, &["remove", "in"]);
    assert_eq!(n_found("tone"), 0);
    import(&place, &all);
    assert_eq!(["dark", "bright", "odd", "gloomy"].map(n_found), [0, 1, 1, 1]);
    assert_intact(&place);
}

#[test]
fn what_cannot_be_imported_is_one_line() {
    let place = Place::new();
    parts(&place);
    place.write("text.db", "no library");
    library(&place, &["import", "s0.db"]);
    for (shard, what) in [
        ("text.db", "is not a Sonobrush library"),
        ("none.db", "does not exist yet"),
        ("l/lib.db", "is this library itself"),
    ] {
        let said = failure(&place.run(&["library", "--library", "l/lib.db", "import", shard]));
        assert!(said.contains(what), "{shard}: {said}");
    }
    std::fs::create_dir(place.path("other")).unwrap();
    place.done(&["library", "--library", "s0.db", "add", "other"]);
    let said = failure(&place.run(&["library", "--library", "l/lib.db", "import", "s0.db", "--root", "in"]));
    assert!(said.contains("has 2 folders"), "{said}");
    // Shards that do not exist.
    for shard in ["3/3", "-1/4"] {
        let output = place.run(&["library", "--library", "x.db", "add", "--manifest", "m.json", "--shard", shard]);
        assert!(!output.status.success() && !place.path("x.db").exists());
    }
    // A part is one of a manifest: each machine would add the whole folder.
    let output = place.run(&["library", "--library", "x.db", "add", "other", "--shard", "0/2"]);
    assert!(!output.status.success() && !place.path("x.db").exists());
    assert_intact(&place);
}

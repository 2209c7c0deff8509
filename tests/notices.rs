//! What scripts see: notices on standard error whether or not it is a terminal, the failure as the last line, and both
//! in reports; files of which only a part was read; the steps of long work in the log.

use super::library_store::{json, library, sounds};
use super::support::program::{Place, failure, notices_in};
use super::support::wav::{Format, Wav, clip};
use serde_json::Value;
use sonobrush::base::few_notices;
use std::process::Output;

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Half of a FLAC file.
fn cut_off(place: &Place, name: &str) {
    let whole = std::fs::read(clip("guitar_chord_44k_stereo.flac")).unwrap();
    place.write(name, &whole[..whole.len() / 2]);
}

fn tone(place: &Place, name: &str) {
    let samples = (0..8_000).map(|at| (8_000.0 * (at as f64 * 0.1).sin()) as i64).collect();
    Wav { format: Format::Pcm(16), rate: 8_000, channels: vec![samples] }.write(&place.path(name));
}

/// A script of edits that lie beyond every sound, each of which is a notice.
fn edits_beyond(place: &Place, name: &str, n: usize, last: &str) {
    let beyond = r#"{"brush": {"kind": "erase"}, "select": {"time": [100.0, 101.0]}}"#;
    let edits = [vec![beyond; n].join(", "), last.to_owned()];
    let edits: Vec<&str> = edits.iter().map(String::as_str).filter(|edits| !edits.is_empty()).collect();
    place.write(name, format!(r#"{{"version": 1, "edits": [{}]}}"#, edits.join(", ")));
}

#[test]
fn a_notice_is_told_without_a_terminal_and_stands_in_the_json() {
    let place = Place::new();
    cut_off(&place, "cut.flac");
    for arguments in [
        &["info", "cut.flac"][..],
        &["export", "cut.flac", "-o", "o.wav"],
        &["save", "cut.flac", "-o", "o.sonobrush"],
        &["image", "cut.flac", "-o", "o.png", "--size", "64x64"],
        &["library", "describe", "cut.flac"],
        &["library", "hash", "cut.flac"],
        &["library", "picture", "cut.flac", "-o", "p.png"],
    ] {
        let (_, notices) = place.done_with_notices(arguments);
        assert!(notices.len() == 1 && notices[0].contains("is cut off: "), "{arguments:?}: {notices:?}");
        // Not a word of it with --quiet.
        let output = place.run(&[arguments, &["--quiet"]].concat());
        assert_eq!((output.status.code(), &stderr(&output)[..]), (Some(0), ""), "{arguments:?}");
    }
    let (info, notices) = place.done_with_notices(&["info", "cut.flac", "--json"]);
    let info: Value = serde_json::from_str(&info).unwrap();
    assert_eq!(info["notices"], serde_json::json!(notices));
    for arguments in [["library", "describe"], ["library", "hash"]] {
        let printed = place.done(&[&arguments[..], &["cut.flac", "--json"]].concat());
        let printed: Value = serde_json::from_str(&printed).unwrap();
        let printed = printed.get(0).unwrap_or(&printed);
        assert_eq!(printed["notices"], info["notices"], "{arguments:?}");
    }
    // A broken setting is one, too, and stands in every report.
    std::fs::create_dir_all(place.path(".config/sonobrush")).unwrap();
    place.write(".config/sonobrush/settings.json", r#"{"version": 1, "history_mb": "many"}"#);
    for (arguments, report) in [
        (&["info", "cut.flac", "--json"][..], None),
        (&["stft", "cut.flac", "-o", "o.npy"], Some("o.json")),
        (&["transform", "cut.flac", "--kind", "stft", "-o", "t.npy"], Some("t.json")),
    ] {
        let (printed, notices) = place.done_with_notices(arguments);
        let report: Value = match report {
            Some(report) => serde_json::from_slice(&place.read(report)).unwrap(),
            None => serde_json::from_str(&printed).unwrap(),
        };
        assert!(notices.len() == 2 && notices[0].contains("history_mb"), "{arguments:?}: {notices:?}");
        assert_eq!(report["notices"], serde_json::json!(notices), "{arguments:?}");
    }
}

#[test]
fn a_file_is_told_twenty_notices_and_how_many_more_there_are() {
    let place = Place::new();
    tone(&place, "in.wav");
    let paint = ["paint", "in.wav", "--script", "s.json", "-o", "o.wav", "--report", "r.json"];
    for (n, last) in [(19, "edits[18]: "), (20, "edits[19]: "), (21, "and 1 more")] {
        edits_beyond(&place, "s.json", n, "");
        let (_, notices) = place.done_with_notices(&paint);
        assert_eq!(notices.len(), n);
        assert!(notices[n - 1].starts_with(last), "{n}: {notices:?}");
    }
    edits_beyond(&place, "s.json", 33, "");
    let (_, notices) = place.done_with_notices(&paint);
    assert_eq!(notices.len(), 21, "{notices:?}");
    assert!(notices[19].starts_with("edits[19]: "), "{notices:?}");
    assert_eq!(notices[20], "and 13 more");
    let report: Value = serde_json::from_slice(&place.read("r.json")).unwrap();
    assert_eq!(report["notices"].as_array().unwrap().len(), 33, "all stand in the report");
    // What fails after them is the last line all the same, and all that is left with --quiet.
    edits_beyond(&place, "bad.json", 33, r#"{"brush": {"kind": "lengthen"}}"#);
    let paint = ["paint", "in.wav", "--script", "bad.json", "-o", "o.wav"];
    let (loud, quiet) = (place.run(&paint), place.run(&[&paint[..], &["--quiet"]].concat()));
    let line = failure(&loud);
    assert_eq!(stderr(&quiet), format!("{line}\n"));
    let n_reported = notices_in(&stderr(&loud)).len();
    assert!(n_reported == 0 || n_reported == 21, "{n_reported}");
}

/// Some come when a file is read, more when it is analysed, and another command may report them again.
#[test]
fn notices_that_were_cut_before_are_counted_once() {
    let notices = |n: usize| (0..n).map(|number| format!("notice {number}")).collect::<Vec<String>>();
    for (n, n_lines, more) in [(0, 0, None), (19, 19, None), (20, 20, None), (21, 21, Some(1)), (33, 21, Some(13))] {
        let few = few_notices(&notices(n));
        let last = more.map_or(format!("notice {}", n.saturating_sub(1)), |more: usize| format!("and {more} more"));
        assert_eq!((few.len(), n == 0 || few.last() == Some(&last)), (n_lines, true), "{n}: {few:?}");
        assert_eq!(few_notices(&few), few, "{n} again");
        // One more that comes later.
        let later = few_notices(&[few, vec!["later".to_owned()]].concat());
        let all = few_notices(&[notices(n), vec!["later".to_owned()]].concat());
        assert_eq!((later.len(), later.last()), (all.len(), all.last()), "{n} and one");
    }
    assert_eq!(few_notices(&["and so on and more".to_owned()]), ["and so on and more"]);
}

/// Lists of sounds have no place for them: each sound has what there is to know of the one that was asked about.
#[test]
fn lists_of_sounds_that_were_found_hold_the_notices_of_the_one_asked_about() {
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    std::fs::copy(clip("drum_break_44k_stereo.flac"), place.path("in/drums.flac")).unwrap();
    tone(&place, "in/tone.wav");
    library(&place, &["add", "in"]);
    let whole = std::fs::read(place.path("in/drums.flac")).unwrap();
    place.write("cut.flac", &whole[..whole.len() * 9 / 10]);
    for command in ["similar", "identify"] {
        let arguments = ["library", "--library", "l/lib.db", command, "cut.flac", "--json"];
        let (printed, notices) = place.done_with_notices(&arguments);
        let found: Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(notices.len(), 1, "{command}: {notices:?}");
        for sound in found.as_array().unwrap() {
            assert_eq!(sound["notices"], serde_json::json!(notices), "{command}: {found:#}");
        }
        assert!(!found.as_array().unwrap().is_empty() && found[0]["id"].is_i64(), "{command}: {found:#}");
        // An intact file gives no notice.
        assert_eq!(json(&place, &[command, "in/drums.flac"])[0]["notices"], serde_json::json!([]), "{command}");
    }
}

#[test]
fn a_failure_is_the_last_line_behind_the_notices() {
    let place = Place::new();
    cut_off(&place, "cut.flac");
    // The sound is read, with a notice; the edit at its end asks for what it does not have.
    let channel = r#"{"brush": {"kind": "gain", "gain_db": -6}, "channels": [7]}"#;
    edits_beyond(&place, "s.json", 0, channel);
    let paint = ["paint", "cut.flac", "--script", "s.json", "-o", "o.wav"];
    let loud = place.run(&paint);
    let line = failure(&loud);
    assert!(line.contains("channel"), "{line}");
    assert_eq!(notices_in(&stderr(&loud)).len(), 1, "{}", stderr(&loud));
    let quiet = place.run(&[&paint[..], &["--quiet"]].concat());
    assert_eq!(stderr(&quiet), format!("{line}\n"));
}

#[test]
fn sounds_are_described_together_and_by_their_number_in_the_library() {
    let place = Place::new();
    sounds(&place, "in", 2);
    cut_off(&place, "cut.flac");
    library(&place, &["add", "in"]);
    let found = json(&place, &["search", "tone"]);
    let id = found[0]["id"].as_i64().unwrap();
    let named = format!("library:{id}");
    let alone: Value = serde_json::from_str(&place.done(&["library", "describe", "cut.flac", "--json"])).unwrap();
    let many = json(&place, &["describe", "cut.flac", &named]);
    assert_eq!(many.as_array().unwrap().len(), 2);
    assert_eq!(many[0], alone, "as alone");
    assert_eq!(many[1]["path"], found[0]["paths"][0]);
    assert_eq!(many[1]["lufs"], found[0]["lufs"], "{many:#}");
    // For people a heading each; notices name their file; what cannot be read does not stop the rest.
    place.write("bad.wav", b"RIFF");
    let output = place.run(&["library", "--library", "l/lib.db", "describe", "cut.flac", "bad.wav", &named]);
    let line = failure(&output);
    assert!(line.contains("1 of 3 files") && line.contains("bad.wav"), "{line}");
    assert!(notices_in(&stderr(&output))[0].starts_with("cut.flac: "), "{}", stderr(&output));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(printed.matches("duration_secs").count(), 2, "{printed}");
    assert!(printed.starts_with("cut.flac\n") && printed.contains("\n\n"), "{printed}");
    let line = place.failed(&["library", "--library", "l/lib.db", "describe", "library:999"]);
    assert!(line.contains("999"), "{line}");
}

/// In the index, the report, the log and on standard error.
#[test]
fn features_name_a_file_of_which_only_a_part_was_read() {
    let place = Place::new();
    std::fs::create_dir(place.path("in")).unwrap();
    cut_off(&place, "in/cut.flac");
    tone(&place, "in/whole.wav");
    let mut command = place.command(&["features", "in", "-o", "out", "--json"]);
    let output = command.env("SONOBRUSH_LOG", "warn").output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let notices = notices_in(&stderr(&output));
    assert!(notices.iter().any(|notice| notice.contains("in/cut.flac: ")), "{notices:?}");
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let written: Value = serde_json::from_slice(&place.read("out/features.json")).unwrap();
    for report in [&printed, &written] {
        let noted = &report["noted"];
        assert_eq!((noted.as_array().unwrap().len(), &noted[0]["path"]), (1, &Value::from("cut.flac")), "{report:#}");
        let said = noted[0]["notices"][0].as_str().unwrap();
        assert!(notices.iter().any(|notice| notice.ends_with(said)), "{said}: {notices:?}");
        let all = report["notices"].as_array().unwrap();
        assert!(all.iter().any(|notice| notice.as_str().unwrap().contains("zeros were added")), "{report:#}");
    }
    let log = String::from_utf8(place.read(".local/state/sonobrush/sonobrush.log")).unwrap();
    assert!(log.contains("in/cut.flac: "), "{log}");
    let indexed = super::features_index::notices_of(&place, "out");
    assert!(indexed[0].as_ref().is_some_and(|notice| notice.contains("is cut off: ")), "{indexed:?}");
    assert_eq!(indexed[1], None);
    // Shards say the same, together.
    place.done(&["features", "--list", "in", "-o", "m.json"]);
    for index in ["0/2", "1/2"] {
        place.done(&["features", "--shard", index, "--manifest", "m.json", "-o", "shards"]);
    }
    place.done(&["features", "--merge", "shards", "-o", "merged"]);
    assert!(place.read("merged/files.parquet") == place.read("out/files.parquet"));
    let merged: Value = serde_json::from_slice(&place.read("merged/features.json")).unwrap();
    assert_eq!((&merged["noted"], &merged["notices"]), (&written["noted"], &written["notices"]));
}

#[test]
fn the_log_holds_the_steps_of_features_and_of_the_library() {
    let place = Place::new();
    sounds(&place, "in", 3);
    let verbose = |arguments: &[&str], level: &str| {
        let mut command = place.command(arguments);
        stderr(&command.env("SONOBRUSH_LOG", level).arg("-v").output().unwrap())
    };
    let features = verbose(&["features", "in", "-o", "out"], "debug");
    for step in ["listed", "begins", "task begins", "task done", "synced and logged", "written", "in place"] {
        assert!(features.contains(step), "{step}: {features}");
    }
    let added = verbose(&["library", "--library", "l/lib.db", "add", "in"], "debug");
    for step in ["works on the queue", "scans", "scanned", "opened", "analysed, in ms", "written"] {
        assert!(added.contains(step), "{step}: {added}");
    }
    assert!(added.contains("tone 002.wav"), "{added}");
    let silent = verbose(&["features", "in", "-o", "again"], "warn");
    assert!(!silent.contains("task begins"), "{silent}");
}

//! `sonobrush paint` of folders: one script over many files.
#![allow(clippy::print_stdout, reason = "prints where kills hit, and figures")]

use super::support::program::{Place, failure, notices_in};
use super::support::signals::Rng;
use super::support::wav::{Format, Wav, clip};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

const RATE: u32 = 16_000;

fn is_long() -> bool {
    std::env::var_os("SONOBRUSH_LONG_TESTS").is_some()
}

/// Noise of a few thousand samples with a tone, 16 bit, another for each seed.
fn sound(path: &Path, seed: u64, n_channels: usize) {
    let mut rng = Rng(seed + 1);
    let sample = |n: usize, rng: &mut Rng| {
        let tone = 0.2 * (std::f64::consts::TAU * 440.0 * n as f64 / f64::from(RATE)).sin();
        ((tone + 0.05 * rng.between(-1.0, 1.0)) * 32_767.0) as i64
    };
    let channels = (0..n_channels).map(|_| (0..8_000).map(|n| sample(n, &mut rng)).collect()).collect();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    Wav { format: Format::Pcm(16), rate: RATE, channels }.write(path);
}

fn script(place: &Place, edits: Value) {
    place.write("s.json", json!({"version": 1, "edits": edits}).to_string());
}

/// A stroke, a hole and a gap: what depends on cells, on their surroundings and on time.
fn some_edits(place: &Place) {
    script(
        place,
        json!([
            {"brush": {"kind": "gain", "gain_db": -12.0}, "transform": {"n_fft": 512, "hop": 128},
             "stroke": {"points": [[0.05, 300.0, 1.0], [0.2, 900.0, 1.0]], "radius": [0.03, 200.0]}},
            {"brush": {"kind": "erase"}, "transform": {"n_fft": 512, "hop": 128},
             "select": {"time": [0.2, 0.25], "frequency": [1000.0, 3000.0]}},
            {"brush": {"kind": "insert_silence", "at": 0.01, "secs": 0.05}}]),
    );
}

/// Files below a folder by their path in it, without what killed writers left.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            // The state of the program, and what killed writers left.
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The lines of a report that can be read: the head, then the others.
fn report(place: &Place, name: &str) -> Vec<Value> {
    let text = String::from_utf8(place.read(name)).unwrap();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// The last line of each file of a report.
fn last_lines(place: &Place, name: &str) -> BTreeMap<String, Value> {
    let lines = report(place, name).into_iter().filter(|line| line["file"].is_string());
    lines.map(|line| (line["file"].as_str().unwrap().to_owned(), line)).collect()
}

/// A run that is refused before anything is written: its one sentence.
fn refused(place: &Place, arguments: &[&str]) -> String {
    let before = files(place.folder.path());
    let output = place.run(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
    assert!(files(place.folder.path()) == before, "{arguments:?} wrote something");
    let last = stderr.lines().last().unwrap().to_owned();
    assert!(last.starts_with("sonobrush: ") && output.stdout.is_empty(), "{stderr}");
    last
}

#[test]
fn a_batch_is_single_runs_bit_for_bit_for_any_number_of_jobs() {
    let place = Place::new();
    some_edits(&place);
    for seed in 0..6 {
        sound(&place.path(&format!("in/{seed}.wav")), seed, 1 + seed as usize % 2);
    }
    sound(&place.path("in/deep/er/0.wav"), 20, 1);
    std::fs::write(place.path("in/no_sound.txt"), "text").unwrap();
    std::fs::copy(clip("crow_44k_mono.flac"), place.path("in/crow.flac")).unwrap();
    std::fs::copy(clip("choir_44k_stereo_float64.wav"), place.path("in/deep/choir.wav")).unwrap();
    std::fs::copy(clip("../coded/alac.m4a"), place.path("in/coded.m4a")).unwrap();
    let mut all = Vec::new();
    for jobs in ["1", "3", "8"] {
        let folder = format!("out{jobs}");
        let run =
            ["paint", "in", "--script", "s.json", "-o", &folder, "--jobs", jobs, "--report", "r.jsonl", "--overwrite"];
        let (said, _) = place.done_with_notices(&run);
        assert_eq!(said, format!("{folder}: 10 of 10 files painted\n"));
        all.push(files(&place.path(&folder)));
    }
    let names: Vec<&str> = all[0].keys().map(String::as_str).collect();
    let expected = ["0.wav", "1.wav", "2.wav", "3.wav", "4.wav", "5.wav", "coded.wav", "crow.flac"];
    assert_eq!(names, [&expected[..], &["deep/choir.wav", "deep/er/0.wav"]].concat());
    assert!(all[1] == all[0] && all[2] == all[0], "another number of jobs gives other bytes");
    for (name, bytes) in &all[0] {
        let input = format!("in/{}", if name == "coded.wav" { "coded.m4a" } else { name });
        let output = if name.ends_with(".flac") { "single.flac" } else { "single.wav" };
        place.done_with_notices(&["paint", &input, "--script", "s.json", "-o", output]);
        assert!(place.read(output) == *bytes, "{name} is not what a single run writes");
    }
    // The report lists the files read and written.
    let lines = report(&place, "r.jsonl");
    assert_eq!((lines[0]["version"].as_u64(), lines[0]["n"].as_u64()), (Some(1), Some(10)));
    assert_eq!(lines[0]["script"], blake3::hash(&place.read("s.json")).to_hex().to_string());
    assert_eq!(lines.last().unwrap()["totals"]["done"], 10);
    for line in last_lines(&place, "r.jsonl").values() {
        let (file, output) = (line["file"].as_str().unwrap(), line["output"].as_str().unwrap());
        assert_eq!(line["status"], "done");
        assert_eq!(line["in_hash"], blake3::hash(&place.read(&format!("in/{file}"))).to_hex().to_string());
        assert_eq!(line["out_hash"], blake3::hash(&all[0][output]).to_hex().to_string());
        assert_eq!(line["edits"].as_array().unwrap().len(), 3);
        assert!(line["score"].as_f64().is_some_and(|score| (0.0..=1.0).contains(&score)));
    }
}

/// A folder in which 1 of 20 files is damaged, and 1 of 20 has no label of the kind that the script asks for.
fn make_mixed(place: &Place, n_files: usize) {
    script(
        place,
        json!([{"brush": {"kind": "gain", "gain_db": -6.0}, "transform": {"n_fft": 512, "hop": 128},
                "select": {"time": [0.0, 0.1]}, "anchor": {"to": "label", "text": "cough*"}}]),
    );
    let mut labels = String::from("file,start_s,end_s,label\n");
    for n in 0..n_files {
        let path = place.path(&format!("in/{n:04}.wav"));
        sound(&path, n as u64, 2);
        let text = if n % 20 == 3 { "sneeze" } else { "cough of a child" };
        labels += &format!("{n:04}.wav,0.{},0.3,{text}\n", 10 + n % 10);
        if n % 20 == 7 {
            let mut bytes = std::fs::read(&path).unwrap();
            bytes.truncate(30);
            std::fs::write(&path, bytes).unwrap();
        }
    }
    place.write("labels.csv", labels);
}

/// By default a few files, with `SONOBRUSH_LONG_TESTS` the thousand of which 960 are done.
#[test]
fn what_is_damaged_or_does_not_fit_is_a_reason_and_all_else_is_done() {
    let n_files = if is_long() { 1_000 } else { 60 };
    let n_wrong = n_files / 20;
    let place = Place::new();
    make_mixed(&place, n_files);
    let budget_mb = 200;
    let megabytes = budget_mb.to_string();
    let run = ["paint", "in", "--script", "s.json", "-o", "out", "--labels", "labels.csv", "--report", "r.jsonl"];
    let mut child = place
        .command(&run)
        .args(["--memory", &megabytes])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    #[cfg(target_os = "linux")]
    {
        let max = super::support::program::max_megabytes(&mut child);
        println!("{n_files} files took {max} MB at most, with a budget of {budget_mb} MB");
        assert!(max <= budget_mb + 100, "{max} MB");
    }
    let output = child.wait_with_output().unwrap();
    let said = failure(&output);
    assert!(said.starts_with(&format!("sonobrush: {} of {n_files} files failed", 2 * n_wrong)), "{said}");
    let lines = last_lines(&place, "r.jsonl");
    assert_eq!(lines.len(), n_files);
    assert_eq!(files(&place.path("out")).len(), n_files - 2 * n_wrong);
    for (n, line) in lines.values().enumerate() {
        let (status, error) = (line["status"].as_str().unwrap(), &line["error"]);
        match n % 20 {
            3 => {
                assert_eq!((status, &error["kind"], &error["place"]), ("failed", &json!("script"), &json!("edits[0]")));
                assert_eq!(error["sentence"], "edits[0]: there is no label \"cough*\"");
            }
            7 => assert_eq!((status, error["sentence"].is_string()), ("failed", true), "{line}"),
            _ => {
                assert_eq!((status, error), ("done", &Value::Null));
                assert_eq!(line["anchors"][0]["text"], "cough of a child");
                assert!(
                    (line["anchors"][0]["time"][0].as_f64().unwrap() - (0.1 + 0.01 * (n % 10) as f64)).abs() < 1e-9
                );
            }
        }
        assert!(line["score"] == 1.0 || status == "done");
        assert_eq!(status == "done", place.path(&format!("out/{n:04}.wav")).exists());
    }
    let totals = &report(&place, "r.jsonl").pop().unwrap()["totals"];
    assert_eq!(
        (totals["done"].as_u64(), totals["failed"].as_u64()),
        (Some((n_files - 2 * n_wrong) as u64), Some(2 * n_wrong as u64))
    );
}

/// A run that is under way: some of its files are written, not all, unless it was too quick.
fn started(place: &Place, after: Duration) -> Child {
    let run = ["paint", "in", "--script", "s.json", "-o", "out", "--report", "r.jsonl", "--jobs", "2"];
    let child = place.command(&run).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(after);
    child
}

const RESUME: [&str; 9] = ["paint", "in", "--script", "s.json", "-o", "out", "--report", "r.jsonl", "--resume"];

#[test]
fn a_run_that_is_killed_goes_on_to_the_same_bytes_and_a_report_of_all() {
    let place = Place::new();
    some_edits(&place);
    for seed in 0..40 {
        sound(&place.path(&format!("in/{}/{seed:02}.wav", seed % 3)), seed, 1);
    }
    let began = Instant::now();
    place.done(&["paint", "in", "--script", "s.json", "-o", "whole", "--jobs", "2"]);
    let took = began.elapsed();
    let whole = files(&place.path("whole"));
    let n_kills = if is_long() { 40 } else { 4 };
    let mut n_partly = 0;
    for kill in 0..n_kills {
        let mut child = started(&place, took.mul_f64((f64::from(kill) + 0.5) / f64::from(n_kills)));
        child.kill().unwrap();
        child.wait().unwrap();
        let left = files(&place.path("out"));
        assert!(left.iter().all(|(name, bytes)| whole[name] == *bytes), "kill {kill}: an output is not whole");
        n_partly += u32::from(!left.is_empty() && left.len() < whole.len());
        let text = std::fs::read(place.path("r.jsonl")).unwrap_or_default();
        if kill % 2 == 0 && text.iter().filter(|byte| **byte == b'\n').count() > 1 {
            // The kill may have cut the last line.
            place.write("r.jsonl", &text[..text.len() - 7]);
        }
        place.done(&RESUME);
        assert!(files(&place.path("out")) == whole, "kill {kill}");
        let lines = last_lines(&place, "r.jsonl");
        assert_eq!(lines.len(), 40, "kill {kill}");
        assert!(lines.values().all(|line| line["status"] != "failed"), "kill {kill}");
        std::fs::remove_dir_all(place.path("out")).unwrap();
        std::fs::remove_file(place.path("r.jsonl")).unwrap();
    }
    println!("{n_partly} of {n_kills} kills hit a run of {took:?} amid");
}

#[test]
fn what_is_done_is_skipped_and_what_changed_is_done_again() {
    let place = Place::new();
    some_edits(&place);
    for seed in 0..4 {
        sound(&place.path(&format!("in/{seed}.wav")), seed, 1);
    }
    place.done(&RESUME[..8]);
    let whole = files(&place.path("out"));
    let said = refused(&place, &RESUME[..8]);
    assert!(said.contains("r.jsonl: is already there; add --resume"), "{said}");
    // One input changes, one output is damaged, one is gone; the last line is torn.
    sound(&place.path("in/0.wav"), 100, 1);
    place.write("out/1.wav", "no sound");
    std::fs::remove_file(place.path("out/2.wav")).unwrap();
    let mut text = place.read("r.jsonl");
    text.extend(b"{\"file\":\"3.wav\",\"out");
    place.write("r.jsonl", text);
    let said = place.done(&RESUME);
    assert_eq!(said, "out: 4 of 4 files painted, 1 done before\n");
    let now = files(&place.path("out"));
    assert!(["1.wav", "2.wav", "3.wav"].iter().all(|name| now[*name] == whole[*name]));
    assert!(now["0.wav"] != whole["0.wav"]);
    let lines = last_lines(&place, "r.jsonl");
    let status = |name: &str| lines[name]["status"].as_str().unwrap().to_owned();
    assert_eq!(["0.wav", "1.wav", "2.wav", "3.wav"].map(status), ["done", "done", "done", "skipped"]);
    let text = String::from_utf8(place.read("r.jsonl")).unwrap();
    assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{text}");
    // Another script is another run; another file is no report.
    place.write("other.json", r#"{"version": 1, "edits": []}"#);
    let other = ["paint", "in", "--script", "other.json", "-o", "out", "--report", "r.jsonl", "--resume"];
    assert!(refused(&place, &other).contains("is the report of another script"));
    place.write("r.jsonl", "my notes\n");
    assert!(refused(&place, &RESUME).contains("r.jsonl: already exists and is no report"));
}

#[test]
fn what_does_not_go_together_is_refused_before_anything_is_written() {
    let place = Place::new();
    some_edits(&place);
    for name in ["in/a.wav", "in/b/a.wav", "more/a.wav", "more/c.wav"] {
        sound(&place.path(name), 1, 1);
    }
    std::fs::copy(clip("../coded/alac.m4a"), place.path("more/c.m4a")).unwrap();
    let run = |rest: &[&str]| refused(&place, &[&["paint"], rest, &["--script", "s.json"]].concat());
    let says = |rest: &[&str], what: &str| {
        let said = run(rest);
        assert!(said.contains(what), "{rest:?}: {said}");
    };
    says(&["more", "-o", "out"], "would be the output of c.m4a and of c.wav");
    says(&["in", "-o", "out", "--name", "{name}"], "would be the output of a.wav and of b/a.wav");
    says(&["in", "-o", "out", "--name", "x"], "would be the output of");
    says(&["in", "-o", "out", "--name", "../{name}"], "is no name within the output folder");
    says(&["in", "-o", "out", "--name", "{label}"], "{label} is no part of a name");
    says(&["in", "-o", "in/out"], "lies within the input");
    says(&["in/a.wav", "more/a.wav", "-o", "."], "is an input, which is never overwritten");
    says(&["in/a.wav", "more/a.wav", "-o", ".", "--overwrite"], "is an input, which is never overwritten");
    says(&["in", "-o", "s.json"], "is a file, and several outputs need a folder");
    says(&["in/a.wav", "more/a.wav", "-o", "out.wav"], "would be a folder");
    says(&["in", "missing", "-o", "out"], "missing: could not be read");
    says(&["in", "-o", "out", "--report", "no/r.jsonl"], "its folder must exist");
    says(&["in", "-o", "out", "--source", "x"], "--source is for a single project");
    says(&["in/a.wav", "-o", "out.wav", "--jobs", "2"], "--jobs is for a folder");
    says(&["in/a.wav", "-o", "out.wav", "--overwrite"], "--overwrite is for a folder");
    place.write("bad.json", r#"{"version": 1, "edits": [{"brush": {"kind": "gain", "gain_db": 900}}]}"#);
    let said = refused(&place, &["paint", "in", "--script", "bad.json", "-o", "out"]);
    assert!(said.contains("bad.json: edits[0].brush.gain_db"), "{said}");
    std::fs::create_dir_all(place.path("out/b")).unwrap();
    place.write("out/b/a.wav", "mine");
    says(&["in", "-o", "out"], "out/b/a.wav: is already there");
    assert_eq!(place.done(&["paint", "in", "--script", "s.json", "-o", "out", "--overwrite"]).lines().count(), 1);
    assert!(place.read("out/b/a.wav") != b"mine");
    // Names of several pieces, in folders of their own, and numbers.
    let named = [
        "paint",
        "in",
        "more/a.wav",
        "--script",
        "s.json",
        "-o",
        "named",
        "--name",
        "all/{n:02}_{name}",
        "--as",
        "flac",
    ];
    place.done(&named);
    let names: Vec<String> = files(&place.path("named")).into_keys().collect();
    assert_eq!(names, ["all/01_a.flac", "all/02_a.flac", "all/03_a.flac"]);
}

#[test]
#[cfg(unix)]
fn an_interrupt_leaves_whole_files_or_none() {
    let place = Place::new();
    some_edits(&place);
    for seed in 0..60 {
        sound(&place.path(&format!("in/{seed:02}.wav")), seed, 2);
    }
    let began = Instant::now();
    place.done(&["paint", "in", "--script", "s.json", "-o", "whole", "--jobs", "2"]);
    let took = began.elapsed();
    let whole = files(&place.path("whole"));
    let child = started(&place, took / 2);
    super::features::send("INT", &child);
    let output: Output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let left = files(&place.path("out"));
    assert!(left.iter().all(|(name, bytes)| whole[name] == *bytes), "an output is not whole");
    if output.status.code() == Some(0) {
        return println!("the run was over before it could be interrupted");
    }
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.lines().last().unwrap().contains("run the same command with --resume"), "{stderr}");
    let entries = std::fs::read_dir(place.path("out")).unwrap().flatten();
    assert!(
        entries.into_iter().all(|entry| !entry.file_name().to_string_lossy().starts_with('.')),
        "half a file is left"
    );
    place.done(&RESUME);
    assert!(files(&place.path("out")) == whole);
}

/// A single file reads the labels beside it where an edit is anchored to one, and a file of labels that is named.
#[test]
fn labels_beside_a_sound_and_those_named_are_found() {
    let place = Place::new();
    let edit = |more: Value| {
        let mut edit = json!({"brush": {"kind": "gain", "gain_db": -60.0}, "transform": {"n_fft": 256, "hop": 64}});
        for (name, value) in more.as_object().unwrap() {
            edit[name] = value.clone();
        }
        json!([edit])
    };
    sound(&place.path("a.wav"), 1, 1);
    sound(&place.path("b.wav"), 1, 1);
    place.write("a.txt", "0.25\t0.375\tcough\n");
    place.write("other.csv", "start_s,end_s,label\n0.25,0.375,cough\n");
    script(&place, edit(json!({"select": {"time": [0.25, 0.375]}})));
    place.done(&["paint", "b.wav", "--script", "s.json", "-o", "numbers.wav"]);
    let anchor = json!({"to": "label", "text": "cough", "edge": "span"});
    script(&place, edit(json!({"select": {"time": [0.0, 1.0]}, "anchor": anchor})));
    place.done(&["paint", "a.wav", "--script", "s.json", "-o", "beside.wav"]);
    place.done(&["paint", "b.wav", "--script", "s.json", "-o", "named.wav", "--labels", "other.csv"]);
    let said = place.failed(&["paint", "b.wav", "--script", "s.json", "-o", "none.wav"]);
    assert_eq!(said, "sonobrush: s.json: edits[0]: there is no label \"cough\"");
    let samples = |name: &str| Wav::read(&place.path(name)).channels;
    assert!(samples("beside.wav") == samples("numbers.wav") && samples("named.wav") == samples("numbers.wav"));
    // A run that goes on does again what other labels lie beside now.
    sound(&place.path("in/a.wav"), 1, 1);
    sound(&place.path("in/b.wav"), 2, 1);
    let run = ["paint", "in", "--script", "s.json", "-o", "out", "--report", "r.jsonl", "--resume"];
    for name in ["in/a.txt", "in/b.txt"] {
        place.write(name, "0.25\t0.375\tcough\n");
    }
    assert_eq!(place.done(&run[..8]), "out: 2 of 2 files painted\n");
    assert_eq!(place.done(&run), "out: 2 of 2 files painted, 2 done before\n");
    place.write("in/b.txt", "0.5\t0.75\tcough\n");
    assert_eq!(place.done(&run), "out: 2 of 2 files painted, 1 done before\n");
    script(&place, edit(json!({"select": {"time": [0.5, 0.75]}})));
    place.done(&["paint", "in/b.wav", "--script", "s.json", "-o", "later.wav"]);
    assert!(samples("out/b.wav") == samples("later.wav"));
}

#[test]
fn files_that_came_out_unlike_the_others_are_among_the_worst() {
    let place = Place::new();
    // A gain over a second in which all but a few have the same mix of a tone that is kept and one that goes.
    script(
        &place,
        json!([{"brush": {"kind": "gain", "gain_db": -60.0}, "transform": {"n_fft": 512, "hop": 128},
                "select": {"time": [0.1, 0.4], "frequency": [300.0, 600.0]}}]),
    );
    let planted = [17, 53];
    for n in 0..60u64 {
        let path = place.path(&format!("in/{n:02}.wav"));
        sound(&path, n, 1);
        if planted.contains(&n) {
            // The tone is elsewhere.
            let mut rng = Rng(n + 1);
            let sample = |k: usize, rng: &mut Rng| {
                let tone = 0.2 * (std::f64::consts::TAU * 2_000.0 * k as f64 / f64::from(RATE)).sin();
                ((tone + 0.05 * rng.between(-1.0, 1.0)) * 32_767.0) as i64
            };
            let channels = vec![(0..8_000).map(|k| sample(k, &mut rng)).collect()];
            Wav { format: Format::Pcm(16), rate: RATE, channels }.write(&path);
        }
    }
    place.done(&["paint", "in", "--script", "s.json", "-o", "out", "--report", "r.jsonl"]);
    let found = sonobrush::library::paint_files::PaintReport::read(&place.path("r.jsonl")).unwrap().unwrap();
    let worst: Vec<String> = found.worst_first().iter().take(3).map(|(line, _)| line.file.to_string()).collect();
    assert!(planted.iter().all(|n| worst.contains(&format!("{n:02}.wav"))), "{worst:?}");
    let totals = found.totals.unwrap();
    let raised: Vec<String> = totals.raised.iter().map(|raised| raised.file.to_string()).collect();
    assert!(planted.iter().all(|n| raised.contains(&format!("{n:02}.wav"))), "{raised:?}");
}

/// The page lists every file, the worst first, and shows what changed in painted files, before and after.
#[test]
fn a_review_shows_what_changed_and_the_worst_first() {
    let place = Place::new();
    script(
        &place,
        json!([{"brush": {"kind": "erase"}, "transform": {"n_fft": 512, "hop": 128}, "select": {"time": [0.2, 0.3]}}]),
    );
    for (n, name) in ["a.wav", "b <i>&\"c\".wav", "d.wav"].into_iter().enumerate() {
        sound(&place.path(&format!("in/{name}")), n as u64, 1);
    }
    place.write("in/z.wav", "no sound");
    let run = ["paint", "in", "--script", "s.json", "-o", "out", "--report", "r.jsonl", "--review", "r.html"];
    failure(&place.run(&run));
    let page = String::from_utf8(place.read("r.html")).unwrap();
    let sections: Vec<&str> = page.split("<section ").skip(1).collect();
    assert_eq!(sections.len(), 4);
    assert!(
        sections[0].starts_with("class=\"failed\"") && sections[0].contains("z.wav") && !sections[0].contains("<img")
    );
    assert!(page.contains("b &lt;i&gt;&amp;&quot;c&quot;.wav") && !page.contains("<i>"));
    let score = |section: &&str| -> f64 {
        section.split("data-score=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    assert!(sections.is_sorted_by(|a, b| score(a) >= score(b)), "{:?}", sections.iter().map(score).collect::<Vec<_>>());
    let file = format!("file://{}", place.path("in/a.wav").display());
    assert!(!page.contains(&file), "the page names no place of this machine");
    for section in &sections[1..] {
        let pictures: Vec<Vec<u8>> = section
            .split("data:image/png;base64,")
            .skip(1)
            .map(|text| bytes_from_base64(text.split('"').next().unwrap()))
            .collect();
        assert_eq!(pictures.len(), 2, "before and after");
        let seen = |png: &[u8]| sonobrush::view::colours_from_png(png).unwrap();
        let ((size, before), (_, after)) = (seen(&pictures[0]), seen(&pictures[1]));
        assert_eq!(size, [480, 180]);
        assert!(before != after, "what changed is seen");
    }
    assert!(
        refused(&place, &["paint", "in/a.wav", "--script", "s.json", "-o", "o.wav", "--review", "r.html"])
            .contains("--review is for a folder")
    );
    let own = ["paint", "in", "--script", "s.json", "-o", "more", "--review", "s.json"];
    assert!(refused(&place, &own).contains("s.json"));
    // A page that is there is kept, unless it is ours and the run goes on, or it is to be replaced.
    let reported = refused(&place, &["paint", "in", "--script", "s.json", "-o", "more", "--review", "r.html"]);
    assert!(
        reported.contains("r.html: is already there; choose another name for the page, or add --overwrite"),
        "{reported}"
    );
    std::fs::remove_file(place.path("r.html")).unwrap();
    let on = [&run[..], &["--resume"]].concat();
    failure(&place.run(&on));
    failure(&place.run(&on));
    assert!(String::from_utf8(place.read("r.html")).unwrap().contains("class=\"skipped\""));
    place.write("r.html", "<html>mine</html>");
    assert!(refused(&place, &on).contains("r.html: is already there"));
    failure(&place.run(&[&on[..], &["--overwrite"]].concat()));
    assert!(place.read("r.html") != b"<html>mine</html>");
}

#[test]
fn damaged_labels_end_a_batch_with_one_sentence() {
    let place = Place::new();
    some_edits(&place);
    sound(&place.path("in/a.wav"), 1, 1);
    place.write("l.csv", "start_s,end_s,label\n0.5,x,a\n");
    let reported = refused(&place, &["paint", "in", "--script", "s.json", "-o", "new/out", "--labels", "l.csv"]);
    assert!(reported.ends_with("l.csv: 2:5: expected an end in seconds, found \"x\""), "{reported}");
    assert!(!place.path("new").exists());
}

/// RFC 4648, by the alphabet.
fn bytes_from_base64(text: &str) -> Vec<u8> {
    const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut word, mut n_bits) = (Vec::new(), 0u32, 0);
    for sign in text.bytes().filter(|sign| *sign != b'=') {
        word = word << 6 | SIGNS.iter().position(|known| *known == sign).unwrap() as u32;
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            bytes.push((word >> n_bits) as u8);
        }
        word &= (1 << n_bits) - 1;
    }
    bytes
}

#[test]
fn a_single_file_among_damaged_ones_tells_its_notices_with_its_name() {
    let place = Place::new();
    place.write("s.json", r#"{"version": 1, "edits": []}"#);
    sound(&place.path("in/a.wav"), 1, 1);
    place.write("in/b.wav", "no sound");
    let output = place.run(&["paint", "in", "--script", "s.json", "-o", "out"]);
    assert_eq!(failure(&output), "sonobrush: 1 of 2 files failed; the notes above say why");
    let notices = notices_in(&String::from_utf8_lossy(&output.stderr));
    assert!(notices.iter().any(|notice| notice.starts_with("b.wav: ")), "{notices:?}");
    assert_eq!(files(&place.path("out")).into_keys().collect::<Vec<_>>(), ["a.wav"]);
}

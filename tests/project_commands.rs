//! `save`, `verify` and `export`, and projects where other commands take a sound.
#![allow(clippy::print_stdout, reason = "figures, with --nocapture")]

use crate::support::program::Place;
use crate::support::sessions::{SCRIPT, write_wav};
use serde_json::Value;

/// A sound, a script and a project of both.
fn place(more: &[&str]) -> Place {
    let place = Place::new();
    write_wav(&place.path("in.wav"));
    place.write("s.json", SCRIPT);
    place.done(&[&["save", "in.wav", "--script", "s.json", "-o", "p.sonobrush"], more].concat());
    place
}

#[test]
fn what_is_saved_and_exported_is_what_is_painted() {
    let place = place(&[]);
    place.done(&["paint", "in.wav", "--script", "s.json", "-o", "painted.wav"]);
    place.done(&["export", "p.sonobrush", "-o", "exported.wav"]);
    assert_eq!(place.read("exported.wav"), place.read("painted.wav"));
    let found: Value = serde_json::from_str(&place.done(&["verify", "p.sonobrush", "--json"])).unwrap();
    assert_eq!((&found["edits"], &found["position"]), (&6.into(), &6.into()));
    assert!(found["source"].as_str().unwrap().ends_with("in.wav"));
    assert!(place.done(&["verify", "p.sonobrush"]).starts_with("intact\n"));
    place.done(&["export", "p.sonobrush", "-o", "float.wav", "--format", "float32"]);
    assert!(place.read("float.wav").len() > place.read("exported.wav").len());
}

#[test]
fn a_project_stands_wherever_a_sound_does() {
    let place = place(&[]);
    place.write("none.json", r#"{"version": 1, "edits": []}"#);
    place.done(&["paint", "p.sonobrush", "--script", "none.json", "-o", "again.wav"]);
    place.done(&["export", "p.sonobrush", "-o", "exported.wav"]);
    assert_eq!(place.read("again.wav"), place.read("exported.wav"));
    let info: Value = serde_json::from_str(&place.done(&["info", "p.sonobrush", "--json"])).unwrap();
    assert_eq!((&info["frames"], &info["channels"]), (&36_000.into(), &2.into()));
    assert_eq!(info["format"], "project of WAV, 16 bit, 6 edits");
    place.done(&["image", "p.sonobrush", "-o", "p.png"]);
    // As floats: the project's own samples are not rounded.
    place.done(&["export", "p.sonobrush", "--format", "float32", "-o", "float.wav"]);
    place.done(&["image", "float.wav", "-o", "e.png"]);
    assert!(place.read("p.png") == place.read("e.png"));
    // Adds edits to those of the project.
    place.write(
        "more.json",
        r#"{"version": 1, "edits": [{"brush": {"kind": "erase"}, "select": {"time": [0.3, 0.31]}}]}"#,
    );
    place.done(&["save", "p.sonobrush", "--script", "more.json", "-o", "q.sonobrush"]);
    assert!(place.done(&["verify", "q.sonobrush"]).contains("7, at 7"));
}

/// The samples of a WAV file; headers differ by who wrote them.
fn samples_of(wav: Vec<u8>) -> Vec<u8> {
    let at = wav.windows(4).position(|id| id == b"data").unwrap();
    wav[at..].to_vec()
}

fn first_word(line: &str) -> Option<&str> {
    line.split_whitespace().next()
}

/// Each command that takes a sound is given a project and the same sound exported as floats: both must say the same,
/// and not what the sound was before its edits.
#[test]
fn every_command_gives_the_edited_sound_of_a_project() {
    let place = place(&["--embed"]);
    place.write("none.json", r#"{"version": 1, "edits": []}"#);
    place.done(&["export", "p.sonobrush", "--format", "float32", "-o", "edited.wav"]);
    let commands: [(&str, &[&str], &str); 8] = [
        ("paint", &["--script", "none.json", "--format", "float32"], "wav"),
        ("image", &[], "png"),
        ("stft", &["--n-fft", "1024"], "npy"),
        ("transform", &["--matrix", "--hop", "1024"], "npy"),
        ("pitch", &[], "csv"),
        ("notes", &[], "csv"),
        ("save", &[], "sonobrush"),
        ("export", &["--format", "float32"], "wav"),
    ];
    for (command, options, ending) in commands {
        let of = |input: &str| {
            let out = format!("{command}-{}.{ending}", input.replace('.', "_"));
            place.done(&[&[command, input, "-o", &out], options].concat());
            if command == "save" {
                let wav = format!("{out}.wav");
                place.done(&["export", &out, "--format", "float32", "-o", &wav]);
                return samples_of(place.read(&wav));
            }
            if ending == "wav" { samples_of(place.read(&out)) } else { place.read(&out) }
        };
        let [project, edited, before] = ["p.sonobrush", "edited.wav", "in.wav"].map(of);
        assert!(project == edited, "{command} of a project is not of its edited sound");
        assert!(project != before, "{command} of a project is of the sound before its edits");
    }
    let frames = |input: &str| {
        let info: Value = serde_json::from_str(&place.done(&["info", input, "--json"])).unwrap();
        info["frames"].clone()
    };
    assert!(frames("p.sonobrush") == frames("edited.wav") && frames("p.sonobrush") != frames("in.wav"));
    // No command that takes a sound is missing here: those that are left take none, or nothing but a project.
    let help = place.done(&["--help"]);
    let listed = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let listed = listed.take_while(|line| line.starts_with("  "));
    let names: Vec<&str> = listed.filter(|line| !line.starts_with("   ")).filter_map(first_word).collect();
    // What tables say of projects is tested with the tables.
    let others = [
        "labels", "measure", "find", "features", "library", "voices", "record", "info", "verify", "devices", "config",
        "bench", "help",
    ];
    let known = |name: &&str| commands.iter().any(|(command, ..)| command == name) || others.contains(name);
    assert!(names.len() >= 10 && names.iter().all(known), "{names:?}");
}

#[test]
fn a_spectrogram_of_a_project_takes_the_options_of_one() {
    let place = place(&[]);
    place.done(&["stft", "p.sonobrush", "-o", "before.npy"]);
    std::fs::rename(place.path("in.wav"), place.path("moved.wav")).unwrap();
    let line = place.failed(&["stft", "p.sonobrush", "-o", "after.npy"]);
    assert!(line.contains("in.wav") && line.contains("--source"), "{line}");
    assert!(!place.path("after.npy").exists());
    place.done(&["stft", "p.sonobrush", "--source", "moved.wav", "-o", "after.npy"]);
    assert!(place.read("before.npy") == place.read("after.npy"));
}

#[test]
fn a_project_that_contains_its_sound_needs_it_no_more() {
    let place = place(&["--embed"]);
    place.done(&["export", "p.sonobrush", "-o", "before.wav"]);
    std::fs::remove_file(place.path("in.wav")).unwrap();
    place.done(&["export", "p.sonobrush", "-o", "after.wav"]);
    assert_eq!(place.read("before.wav"), place.read("after.wav"));
    assert!(place.done(&["verify", "p.sonobrush"]).contains("contained (in.wav)"));
    // It stays contained in what is saved from it.
    place.done(&["save", "p.sonobrush", "-o", "q.sonobrush"]);
    assert!(place.done(&["verify", "q.sonobrush"]).contains("contained (in.wav)"));
    let left = std::fs::read_dir(place.state()).unwrap().flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name()).filter(|name| name != "sonobrush.log").collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_sound_that_moved_or_changed_is_told_with_the_option_that_helps() {
    let place = place(&[]);
    place.done(&["export", "p.sonobrush", "-o", "before.wav"]);
    std::fs::rename(place.path("in.wav"), place.path("moved.wav")).unwrap();
    for command in [&["verify", "p.sonobrush"][..], &["export", "p.sonobrush", "-o", "o.wav"]] {
        let line = place.failed(command);
        assert!(line.contains("in.wav") && line.contains("--source"), "{line}");
    }
    assert!(!place.path("o.wav").exists());
    place.done(&["export", "p.sonobrush", "--source", "moved.wav", "-o", "o.wav"]);
    assert_eq!(place.read("o.wav"), place.read("before.wav"));
    let mut bytes = place.read("moved.wav");
    bytes[2000] ^= 1;
    place.write("in.wav", bytes);
    let line = place.failed(&["export", "p.sonobrush", "-o", "o.wav"]);
    assert!(line.contains("--changed-source"), "{line}");
    place.done(&["export", "p.sonobrush", "--changed-source", "-o", "o.wav"]);
}

#[test]
fn a_damaged_project_is_no_success_and_part_of_it_only_where_asked_for() {
    let place = place(&[]);
    let mut bytes = place.read("p.sonobrush");
    // In the text of the fourth edit.
    let at = bytes.windows(8).position(|window| window == b"lengthen").unwrap();
    bytes[at] ^= 1;
    place.write("p.sonobrush", bytes);
    for command in [&["verify", "p.sonobrush"][..], &["export", "p.sonobrush", "-o", "o.wav"]] {
        let line = place.failed(command);
        assert!(line.contains("p.sonobrush: is damaged"), "{line}");
    }
    assert!(!place.path("o.wav").exists());
    assert!(place.failed(&["info", "p.sonobrush"]).contains("3 of its 6 edits"));
    place.done(&["export", "p.sonobrush", "--partly", "-o", "o.wav"]);
    place.write(
        "part.json",
        SCRIPT
            .replace(&SCRIPT[SCRIPT.find("{\"brush\": {\"kind\": \"lengthen\"").unwrap() - 4..], "]}")
            .replace(",\n  ]", "]"),
    );
    place.done(&["paint", "in.wav", "--script", "part.json", "-o", "part.wav"]);
    assert_eq!(place.read("o.wav"), place.read("part.wav"));
}

/// Eleven days behind half a second: what is known to be silence is not transformed.
#[test]
fn a_picture_of_eleven_days_of_silence_takes_no_time() {
    let place = Place::new();
    write_wav(&place.path("in.wav"));
    let days = r#"{"version": 1, "edits": [{"brush": {"kind": "lengthen", "secs": 950400}},
        {"brush": {"kind": "tone", "level_db": -6.0},
         "stroke": {"points": [[900000.0, 1000.0, 1.0], [900000.5, 1000.0, 1.0]], "axis": "log",
                    "radius": [0.1, 0.25]}}]}"#;
    place.write("s.json", days);
    place.done(&["save", "in.wav", "--script", "s.json", "-o", "p.sonobrush"]);
    let began = std::time::Instant::now();
    place.done(&["image", "p.sonobrush", "-o", "p.png"]);
    let took = began.elapsed();
    println!("a picture of eleven days: {took:?}");
    // To transform them takes most of an hour.
    assert!(took < std::time::Duration::from_secs(10), "{took:?}");
    let (size, colours) = sonobrush::view::colours_from_png(&place.read("p.png")).unwrap();
    let rows = |x: usize| (0..size[1]).map(move |y| (y * size[0] + x) * 3);
    let column = |x: usize| rows(x).map(|at| colours[at..at + 3].to_vec()).collect::<Vec<_>>();
    let differs = |x: usize| column(x) != column(size[0] / 2);
    let seen: Vec<usize> = (0..size[0]).filter(|&x| differs(x)).collect();
    assert!(seen.contains(&0), "the sound at the start");
    let stroke = (900_000.25 / 950_400.5 * size[0] as f64) as usize;
    assert!(seen.iter().any(|&x| x.abs_diff(stroke) <= 1), "the stroke at {stroke}: {seen:?}");
    assert!(seen.iter().all(|&x| x <= 1 || x.abs_diff(stroke) <= 1), "and nothing else: {seen:?}");
}

#[test]
fn labels_of_a_script_that_do_not_fit_are_refused_before_anything_is_written() {
    let place = place(&[]);
    let script = |brush: &str| format!(r#"{{"version": 1, "edits": [{{"brush": {brush}}}]}}"#);
    place.write("wrong.json", script(r#"{"kind": "labels", "remove": [7]}"#));
    assert!(place.failed(&["save", "in.wav", "--script", "wrong.json", "-o", "q.sonobrush"]).contains("label 7"));
    assert!(!place.path("q.sonobrush").exists());
    place.write("right.json", script(r#"{"kind": "labels", "set": [{"id": 7, "time": [0.1, 0.2], "text": "a"}]}"#));
    place.done(&["save", "in.wav", "--script", "right.json", "-o", "q.sonobrush"]);
    assert!(place.done(&["verify", "q.sonobrush"]).contains("1, at 1"));
}

#[test]
fn a_project_of_version_1_opens_as_it_did_when_it_was_new() {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/version_1.sonobrush");
    let place = Place::new();
    place.done(&["export", golden, "-o", "out.wav"]);
    let wanted = std::fs::read(golden.replace(".sonobrush", ".wav")).unwrap();
    assert!(place.read("out.wav") == wanted);
    assert!(place.done(&["verify", golden]).contains("2, at 2"));
}

#[test]
fn outputs_that_would_destroy_an_input_or_promise_another_format_are_refused() {
    let place = place(&[]);
    assert!(place.failed(&["save", "in.wav", "-o", "in.wav"]).contains("in.wav"));
    assert!(place.failed(&["save", "p.sonobrush", "-o", "p.sonobrush"]).contains("input file"));
    assert!(place.failed(&["save", "in.wav", "-o", "p.wav"]).contains(".sonobrush"));
    assert!(place.failed(&["export", "p.sonobrush", "-o", "o.m4a"]).contains(".wav"));
    assert!(place.failed(&["export", "in.wav.sonobrush", "-o", "o.wav"]).contains("no file in.wav.sonobrush in /"));
    place.write("fake.sonobrush", "no project");
    assert!(place.failed(&["verify", "fake.sonobrush"]).contains("not a Sonobrush project"));
    assert_eq!(place.run(&["verify"]).status.code(), Some(2));
}

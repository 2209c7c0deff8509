//! What would destroy a file, or take for ever, is refused in one sentence.

use crate::support::program::Place;
use crate::support::sessions::write_wav;

fn place() -> Place {
    let place = Place::new();
    write_wav(&place.path("in.wav"));
    place.write("s.json", r#"{"version": 1, "edits": [{"brush": {"kind": "gain", "gain_db": -6}}]}"#);
    place
}

#[test]
fn a_trace_replaces_nothing_but_traces() {
    let place = place();
    place.write("notes.txt", "mine");
    let whole = ["s.json", "in.wav", "notes.txt"].map(|name| place.read(name));
    std::fs::copy(place.path("in.wav"), place.path("sound.json")).unwrap();
    for trace in ["s.json", "notes.json", "sound.json"] {
        let reported = place.failed(&["paint", "in.wav", "--script", "s.json", "-o", "out.wav", "--trace", trace]);
        assert!(reported.contains("is not a trace"), "{reported}");
        assert!(!place.path("out.wav").exists(), "before anything is done");
    }
    // What the command itself has just written stays, too.
    let report = ["paint", "in.wav", "--script", "s.json", "-o", "out.wav", "--report", "r.json", "--trace", "r.json"];
    assert!(place.failed(&report).contains("is not a trace"));
    assert!(place.read("r.json").starts_with(b"{\n"));
    assert_eq!(["s.json", "in.wav", "notes.txt"].map(|name| place.read(name)), whole);
    // An older trace is what it is for.
    for _ in 0..2 {
        place.done(&["info", "in.wav", "--trace", "t.json"]);
    }
    assert!(place.read("t.txt").starts_with(b"span "));
}

#[test]
fn what_stands_behind_the_names_of_devices_is_not_replaced() {
    let place = place();
    let reported = place.failed(&["paint", "in.wav", "--script", "s.json", "-o", "/dev/stdout"]);
    assert!(reported.contains("not a regular file"), "{reported}");
}

#[test]
fn numbers_that_would_take_for_ever_are_refused() {
    let place = place();
    for smoothing in ["[1e18, 500]", "[0.048, 1e15]", "[1e6, 500]"] {
        let edit = format!(r#"{{"brush": {{"kind": "denoise", "learn": [0, 0.4], "smoothing": {smoothing}}}}}"#);
        place.write("d.json", format!(r#"{{"version": 1, "edits": [{edit}]}}"#));
        let reported = place.failed(&["paint", "in.wav", "--script", "d.json", "-o", "out.wav"]);
        assert!(reported.contains("edits[0].brush.smoothing: must lie within"), "{reported}");
    }
    // Far from any sound: nothing to paste, no defect.
    place.write(
        "p.json",
        r#"{"version": 1, "edits": [{"brush": {"kind": "paste", "offset": [1e308, 0], "axis": "linear", "clip":
            {"rate": 44100, "first_sample": 9223372036854775807, "channels": ["AACAPwAAgD8="]}}}]}"#,
    );
    let output = place.run(&["paint", "in.wav", "--script", "p.json", "-o", "out.wav"]);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("defect"), "{output:?}");
    let empty = format!(r#"{{"version": 1, "edits": [{}{{}}]}}"#, "{},".repeat(19_000_000));
    place.write("many.json", empty);
    let reported = place.failed(&["paint", "in.wav", "--script", "many.json", "-o", "out.wav"]);
    assert!(reported.contains("million values"), "{reported}");
}

#[cfg(target_os = "linux")]
#[test]
fn sound_taken_out_by_a_killed_command_is_cleared() {
    let place = place();
    place.done(&["save", "in.wav", "--script", "s.json", "--embed", "-o", "p.sonobrush"]);
    place.done(&["export", "p.sonobrush", "-o", "out.wav"]);
    let state = place.state();
    // No process has this number.
    let left = state.join("contained-4194305");
    std::fs::write(&left, "left").unwrap();
    place.done(&["export", "p.sonobrush", "-o", "out.wav"]);
    assert!(!left.exists());
}

#[cfg(unix)]
#[test]
fn a_log_that_is_no_file_is_passed_over() {
    let place = place();
    place.done(&["info", "in.wav"]);
    let log = place.state().join("sonobrush.log");
    std::fs::remove_file(&log).ok();
    assert!(std::process::Command::new("mkfifo").arg(&log).status().unwrap().success());
    place.done(&["info", "in.wav"]);
}

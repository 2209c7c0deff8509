//! Transforms that are refused, each with one sentence and its place: in scripts, by commands, and as acts.

use crate::support::bad_rows::bad_rows;
use crate::support::program::Place;
use crate::support::sessions::write_wav;
use serde_json::{Value, json};
use sonobrush::document::Script;

/// Transforms refused on reading the script, with the reason.
fn bad_transforms() -> Vec<(Value, &'static str)> {
    let log = |field: &str, value: Value| {
        let mut text = json!({"kind": "rows", "scale": "log"});
        text[field] = value;
        text
    };
    let list = |frequencies: Value| json!({"kind": "rows", "scale": "list", "frequencies": frequencies});
    let many: Vec<u32> = (100..1_125).collect();
    vec![
        (log("bins", json!(3)), "bins 3 is not 4 to 96"),
        (log("bins", json!(97)), "bins 97 is not 4 to 96"),
        (json!({"kind": "rows", "scale": "mel", "bands": 7}), "bands 7 is not 8 to 512"),
        (json!({"kind": "rows", "scale": "bark", "bands": 513}), "bands 513 is not 8 to 512"),
        (log("fmin", json!(9.9)), "fmin 9.9 Hz is below 10 Hz"),
        (log("fmax", json!(60)), "fmin 32.703 Hz is not below half of the highest frequency, 60 Hz"),
        (log("gamma", json!(-1)), "gamma -1 Hz is not 0 to 1000 Hz"),
        (log("gamma", json!(1001)), "gamma 1001 Hz is not 0 to 1000 Hz"),
        (list(json!([100, 200, 300])), "frequencies: 3 values are not 4 to 1024"),
        (list(json!(many)), "frequencies: 1025 values are not 4 to 1024"),
        (list(json!([100, 200, 200, 300])), "frequencies: 200 Hz after 200 Hz does not ascend"),
        (
            list(json!([100, 200, 300, 600, 1200])),
            "frequencies: the spacing changes by more than a factor of 1.5 between 200 and 300 Hz",
        ),
        (json!({"kind": "rows", "scale": "htk"}), "scale is not log, mel, bark or list"),
    ]
}

/// Transforms refused because of the sound's rate, 48 kHz here.
fn bad_at_48000_hz() -> [(Value, &'static str); 4] {
    let fine: Vec<f64> = (0..24).map(|k| 21_690.0 + 100.0 * f64::from(k)).collect();
    [
        (json!({"kind": "rows", "fmax": 24_001}), "fmax 24001 Hz is above half the sample rate, 24000 Hz"),
        (json!({"kind": "rows", "fmin": 13_000}), "fmin 13000 Hz is not below half of the highest frequency, 24000 Hz"),
        (
            json!({"kind": "cqt", "bins": 96}),
            "a band of this transform at 32.7 Hz would reach over 44 s; raise fmin or gamma, or take fewer bins",
        ),
        (
            json!({"kind": "rows", "scale": "list", "frequencies": fine}),
            "a row at 23990.0 Hz leaves no room below half the sample rate; the highest must lie below 23950.0 Hz",
        ),
    ]
}

fn script(transform: &Value, in_edit: bool) -> String {
    let gain = json!({"kind": "gain", "gain_db": -6});
    let mut script = json!({"version": 1, "edits": [{"brush": gain}, {"brush": gain}]});
    match in_edit {
        true => script["edits"][1]["transform"] = transform.clone(),
        false => script["transform"] = transform.clone(),
    }
    script.to_string()
}

#[test]
fn a_script_with_bad_rows_names_their_place() {
    for (transform, why) in bad_transforms() {
        for (in_edit, place) in [(false, "transform"), (true, "edits[1].transform")] {
            let error = Script::parse(&script(&transform, in_edit)).unwrap_err();
            assert_eq!(error.message(), format!("{place}: {why}"), "{transform}");
        }
    }
    for (transform, _) in bad_at_48000_hz() {
        assert!(Script::parse(&script(&transform, true)).is_ok(), "{transform} is allowed at some rate");
    }
}

/// By every command that takes a transform, before anything is written.
#[test]
fn commands_refuse_bad_rows_with_their_place() {
    let place = Place::new();
    write_wav(&place.path("in.wav"));
    for (transform, why) in bad_at_48000_hz() {
        for (in_edit, index) in [(false, 0), (true, 1)] {
            place.write("s.json", script(&transform, in_edit));
            let reported = place.failed(&["paint", "in.wav", "--script", "s.json", "-o", "out.wav"]);
            assert!(reported.contains(&format!("s.json: edits[{index}]: {why}")), "{transform}: {reported}");
        }
    }
    for (transform, why) in bad_transforms().into_iter().chain(bad_at_48000_hz()) {
        let text = transform.to_string();
        for (command, output) in [("transform", "c.npy"), ("image", "c.png")] {
            let reported = place.failed(&[command, "in.wav", "-o", output, "--transform", &text]);
            assert!(
                reported.contains(why) && reported.trim_end().lines().count() == 1,
                "{command} {transform}: {reported}"
            );
        }
    }
    for name in ["out.wav", "c.npy", "c.png", "c.json"] {
        assert!(!place.path(name).exists(), "{name}");
    }
}

#[test]
fn rows_that_no_script_could_name_are_not_valid() {
    for transform in bad_rows() {
        let error = transform.clone().validated().unwrap_err();
        assert!(!error.message().is_empty() && !error.message().contains('\n'), "{transform:?}");
    }
}

//! Parameters: JSON, equality, presets, and refusals.

use super::{RATE, thirds, transforms};
use dsp::transforms::rows::{RowBank, RowGroup, RowsParams};
use serde_json::json;
use std::collections::HashSet;

fn read(text: serde_json::Value) -> Result<RowsParams, String> {
    serde_json::from_value(text).map_err(|error| error.to_string())
}

#[test]
fn json_is_the_documented_one() {
    let log = json!({"kind": "rows", "scale": "log", "bins": 24, "fmin": 32.703, "gamma": "erb"});
    let mel = json!({"kind": "rows", "scale": "mel", "bands": 128});
    assert_eq!(serde_json::to_value(RowsParams::music()).unwrap(), log);
    assert_eq!(serde_json::to_value(RowsParams::mel(128)).unwrap(), mel);
    assert_eq!(serde_json::to_string(&RowsParams::mel(128)).unwrap(), r#"{"kind":"rows","scale":"mel","bands":128}"#);
    assert_eq!(read(log).unwrap(), RowsParams::default());
    assert_eq!(read(mel).unwrap(), RowsParams::mel(128));
    assert_eq!(read(json!({"kind": "rows"})).unwrap(), RowsParams::default());
    assert_eq!(read(json!({"kind": "vqt", "bins": 48})).unwrap(), RowsParams::fine_pitch());
    assert_eq!(read(json!({"kind": "cqt", "bins": 48})).unwrap(), RowsParams::bass());
    assert_eq!(read(json!({"kind": "rows", "scale": "bark"})).unwrap(), RowsParams::speech());
    for (_, params, _) in transforms() {
        let text = serde_json::to_string(&params).unwrap();
        assert_eq!(serde_json::from_str::<RowsParams>(&text).unwrap(), params, "{text}");
    }
}

#[test]
fn equal_parameters_are_one_key() {
    let all: Vec<RowsParams> = transforms().into_iter().map(|(_, params, _)| params).collect();
    let set: HashSet<RowsParams> = all.iter().chain(&all).cloned().collect();
    let keys: HashSet<String> = all.iter().map(RowsParams::cache_key).collect();
    assert!(set.len() == all.len() && keys.len() == all.len());
    assert_ne!(RowsParams::log(24).with_gamma_hz(6.0), RowsParams::log(24).with_gamma_hz(6.0f64.next_up()));
    assert_eq!(RowsParams::log(24).with_gamma_hz(-0.0), RowsParams::log(24).with_gamma_hz(0.0));
}

#[test]
fn groups_are_those_of_the_page() {
    let bank = RowBank::new(&RowsParams::music(), RATE).unwrap();
    let of = |group: &RowGroup| (group.rows().len(), group.hop(), group.slice_len());
    let expected = [
        (1, 256, 65_536),
        (29, 1_024, 65_536),
        (56, 512, 32_768),
        (33, 256, 16_384),
        (28, 128, 8_192),
        (26, 64, 4_096),
        (25, 32, 2_048),
        (24, 16, 1_024),
        (5, 8, 512),
        (1, 8, 512),
    ];
    assert_eq!(bank.groups().iter().map(of).collect::<Vec<_>>(), expected);
    for row in 0..bank.rows().len() {
        assert!(bank.group_of(row).rows().contains(&row));
        assert!((bank.row_from_hz(bank.rows()[row].hz) - row as f64).abs() < 1e-9);
        assert!(
            (bank.row_from_hz(bank.hz_from_row(row as f64 + 0.3)) - (row as f64 + 0.3)).abs() < 1e-9
                || row == bank.rows().len() - 1
        );
    }
    for preset in [RowsParams::music(), RowsParams::fine_pitch(), RowsParams::bass(), RowsParams::speech()] {
        assert!(preset.validated_at(RATE).is_ok());
    }
}

#[test]
fn bad_parameters_are_one_sentence_each() {
    let log = |field: &str, value: serde_json::Value| {
        let mut text = json!({"kind": "rows", "scale": "log"});
        text[field] = value;
        text
    };
    let cases = [
        (log("bins", json!(3)), "bins 3 is not 4 to 96"),
        (log("bins", json!(97)), "bins 97 is not 4 to 96"),
        (log("bins", json!(24.5)), "bins 24.5 is not a whole number"),
        (json!({"kind": "rows", "scale": "mel", "bands": 7}), "bands 7 is not 8 to 512"),
        (json!({"kind": "rows", "scale": "bark", "bands": 513}), "bands 513 is not 8 to 512"),
        (log("fmin", json!(9.9)), "fmin 9.9 Hz is below 10 Hz"),
        (log("fmax", json!(60)), "fmin 32.703 Hz is not below half of the highest frequency, 60 Hz"),
        (log("gamma", json!(-1)), "gamma -1 Hz is not 0 to 1000 Hz"),
        (log("gamma", json!(1001)), "gamma 1001 Hz is not 0 to 1000 Hz"),
        (log("gamma", json!("ear")), "gamma is neither erb nor a number of hertz"),
        (
            json!({"kind": "rows", "scale": "mel", "gamma": "erb"}),
            "gamma erb is for rows on a log scale; use a number of hertz",
        ),
        (
            json!({"kind": "rows", "scale": "list", "frequencies": [100, 200, 300]}),
            "frequencies: 3 values are not 4 to 1024",
        ),
        (
            json!({"kind": "rows", "scale": "list", "frequencies": [100, 200, 200, 300]}),
            "frequencies: 200 Hz after 200 Hz does not ascend",
        ),
        (
            json!({"kind": "rows", "scale": "list", "frequencies": [100, 200, 300, 600, 1200]}),
            "frequencies: the spacing changes by more than a factor of 1.5 between 200 and 300 Hz",
        ),
        (json!({"kind": "rows", "scale": "log", "bands": 24}), "bands is not a field of rows on the scale log"),
        (json!({"kind": "rows", "scale": "htk"}), "scale is not log, mel, bark or list"),
        (json!({"kind": "wavelet"}), "kind is not rows, cqt or vqt"),
        (json!({"kind": "cqt", "gamma": 4}), "gamma is 0 for kind cqt; use kind rows"),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text.clone()).unwrap_err(), expected, "{text}");
    }
    assert!(read(json!({"kind": "rows", "hop": 4})).unwrap_err().starts_with("unknown field `hop`"));
}

#[test]
fn what_a_rate_does_not_allow_is_refused() {
    let refused = |params: RowsParams, rate: f64| params.validated_at(rate).unwrap_err().message().to_owned();
    assert_eq!(
        refused(RowsParams::log(24).with_fmax_hz(23_000.0), RATE),
        "fmax 23000 Hz is above half the sample rate, 22050 Hz"
    );
    assert_eq!(
        refused(RowsParams::log(24).with_fmin_hz(3_000.0), 8_000.0),
        "fmin 3000 Hz is not below half of the highest frequency, 4000 Hz"
    );
    assert_eq!(
        refused(RowsParams::list(&thirds()), 16_000.0),
        "a row at 12928.8 Hz leaves no room below half the sample rate; the highest must lie below 6615.6 Hz"
    );
    assert_eq!(
        refused(RowsParams::log(96).with_gamma_hz(0.0), RATE),
        "a band of this transform at 32.7 Hz would reach over 48 s; raise fmin or gamma, or take fewer bins"
    );
    assert!(RowsParams::log(96).validated_at(RATE).is_ok());
}

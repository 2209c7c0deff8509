//! Rows in scripts.

use base::Error;
use document::Script;
use dsp::Transform;
use dsp::transforms::rows::RowsParams;

fn read(brush: &str, transform: &str) -> Result<Script, Error> {
    Script::parse(&format!(r#"{{"version": 1, "transform": {transform}, "edits": [{{"brush": {brush}}}]}}"#))
}

const GAIN: &str = r#"{"kind": "gain", "gain_db": -6}"#;

#[test]
fn a_script_names_its_rows_and_is_written_as_it_was_read() {
    let cases = [
        (r#"{"kind": "rows", "scale": "log", "bins": 24, "fmin": 32.703, "gamma": "erb"}"#, RowsParams::music()),
        (r#"{"kind": "vqt"}"#, RowsParams::music()),
        (r#"{"kind": "cqt", "bins": 48}"#, RowsParams::bass()),
        (r#"{"kind": "rows", "scale": "mel"}"#, RowsParams::mel(128)),
        (r#"{"kind": "rows", "scale": "bark", "bands": 96}"#, RowsParams::speech()),
    ];
    for (json, params) in cases {
        let script = read(GAIN, json).unwrap();
        assert_eq!(script.edits[0].transform, Transform::Rows(params), "{json}");
        let written = script.to_json();
        assert_eq!(Script::parse(&written).unwrap(), script, "{written}");
    }
}

#[test]
fn bad_rows_are_one_sentence_with_their_place() {
    let cases = [
        (r#"{"kind": "rows", "bins": 2}"#, "bins 2 is not 4 to 96"),
        (r#"{"kind": "rows", "scale": "mel", "bands": 4}"#, "bands 4 is not 8 to 512"),
        (r#"{"kind": "rows", "n_fft": 2048}"#, "n_fft"),
        (r#"{"kind": "wavelet"}"#, "kind"),
    ];
    for (json, what) in cases {
        let error = read(GAIN, json).unwrap_err();
        let message = error.message();
        assert!(message.starts_with("transform") && message.contains(what) && !message.contains('\n'), "{message}");
    }
}

/// Old scripts stay unchanged: the field is written only if it differs from its default.
#[test]
fn the_axis_of_a_blur_is_written_where_it_is_not_linear() {
    let blur = |axis: &str| read(&format!(r#"{{"kind": "blur", "sigma": [0.02, 0.1]{axis}}}"#), r#"{"kind": "vqt"}"#);
    let written = |axis: &str| {
        let script = blur(axis).unwrap();
        assert_eq!(Script::parse(&script.to_json()).unwrap(), script);
        script.to_json()
    };
    assert!(written(r#", "sigma_axis": "log""#).contains("sigma_axis"));
    assert!(!written(r#", "sigma_axis": "linear""#).contains("sigma_axis"));
    assert!(!written("").contains("sigma_axis"));
    let error = blur(r#", "sigma_axis": "octaves""#).unwrap_err();
    assert!(error.message().starts_with("edits[0].brush.sigma_axis"), "{}", error.message());
}

//! Files of traces.

use serde_json::Value;

/// What the Trace Event Format asks of each kind of event.
pub fn check_chrome(file: &Value) {
    for event in file["traceEvents"].as_array().unwrap() {
        assert!(event["name"].is_string() && event["pid"].is_u64(), "{event}");
        match event["ph"].as_str().unwrap() {
            "X" => assert!(event["ts"].as_f64().unwrap() >= 0.0 && event["dur"].as_f64().unwrap() >= 0.0, "{event}"),
            "b" | "e" => {
                assert!(event["id"].is_u64() && event["ts"].is_number() && event["cat"].is_string(), "{event}")
            }
            "M" => assert!(event["args"]["name"].is_string(), "{event}"),
            other => panic!("{other} is no kind of ours"),
        }
    }
}

//! Defaults of omitted fields never change, since stored edits and scripts depend on them.

use document::Brush;
use serde_json::Value;
use std::collections::BTreeSet;

/// Scripts of each brush in its shortest forms, with the parameter values that they had in commit 1d031be, or in the
/// first commit with that brush.
const GOLDEN: &str = include_str!("../../../tests/golden/brushes_omitted.json");

fn read(script: &Value) -> Brush {
    Brush::from_json(&script.to_string()).unwrap_or_else(|error| panic!("{script}: {error}"))
}

#[test]
fn what_scripts_omit_of_a_brush_is_as_it_was() {
    let golden: Vec<Value> = serde_json::from_str(GOLDEN).unwrap();
    for case in &golden {
        let mut brush = read(&case["script"]);
        let written: Value = serde_json::from_str(&brush.to_json()).unwrap();
        let rows = brush.parameters();
        // Parameters that were added later are omitted from scripts if they have their default values.
        let is_known = |field: &str| case["values"].get(field).is_some();
        let values: Vec<_> = rows.iter().zip(brush.values()).collect();
        assert!(values.iter().all(|(row, _)| row.is_sparse || is_known(row.field)), "{}", case["script"]);
        let values = values.into_iter().filter(|(row, _)| is_known(row.field));
        let values: serde_json::Map<String, Value> =
            values.map(|(row, value)| (row.field.to_owned(), value.json())).collect();
        assert_eq!(written, case["written"], "{}", case["script"]);
        assert_eq!(Value::Object(values), case["values"], "{}", case["script"]);
    }
}

#[test]
fn every_kind_of_brush_has_its_shortest_form() {
    let golden: Vec<Value> = serde_json::from_str(GOLDEN).unwrap();
    let kinds: BTreeSet<&str> = golden.iter().filter_map(|case| case["script"]["kind"].as_str()).collect();
    // Brushes with required parameters are covered where those are tested.
    let all: BTreeSet<&str> =
        Brush::KINDS.iter().copied().filter(|kind| !["insert", "labels"].contains(kind)).collect();
    assert_eq!(kinds, all);
}

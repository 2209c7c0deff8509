//! Writes edits as JSON.

use super::anchor::EditAnchor;
use super::fields::{VERSION, short_number};
use crate::document::labels::{Label, label_to_value};
use crate::document::{Channels, Edit};
use crate::dsp::selections::find::{AlikeMethod, ClickMethod, Find};
use crate::dsp::{Axis, Combine, Selection, Shape, Stroke, Transform};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Mask values that are multiples of 1/100 are written with at most two decimals: many are whole percentages.
const MASK_PARTS: f64 = 100.0;

pub(super) fn script(labels: &[Label], edits: &[Edit], anchors: &BTreeMap<usize, EditAnchor>) -> Value {
    let mut object = Map::new();
    object.insert("version".into(), VERSION.into());
    if !labels.is_empty() {
        object.insert("labels".into(), labels.iter().map(label_to_value).collect());
    }
    let anchored = |(index, of_script): (usize, &Edit)| {
        let mut value = edit(of_script);
        if let Some(anchor) = anchors.get(&index) {
            value["anchor"] = anchor.to_value();
        }
        value
    };
    object.insert("edits".into(), edits.iter().enumerate().map(anchored).collect());
    Value::Object(object)
}

fn edit(edit: &Edit) -> Value {
    let mut object = Map::new();
    object.insert("brush".into(), edit.brush.to_value());
    object.insert("channels".into(), channels(&edit.channels));
    object.insert("transform".into(), transform(&edit.transform));
    match &edit.stroke {
        Some(edit_stroke) => object.insert("stroke".into(), stroke(edit_stroke)),
        None => object.insert("strength".into(), json!(edit.strength)),
    };
    if let Some(steps) = edit.consistency_steps {
        object.insert("consistency_steps".into(), json!(steps));
    }
    if let Some(select) = &edit.select {
        object.insert("select".into(), selection(select));
    }
    Value::Object(object)
}

pub(super) fn transform(transform: &Transform) -> Value {
    json!(transform)
}

fn channels(channels: &Channels) -> Value {
    match channels {
        Channels::All => json!("all"),
        Channels::Mid => json!("mid"),
        Channels::Side => json!("side"),
        Channels::List(list) => json!(list),
    }
}

fn stroke(stroke: &Stroke) -> Value {
    let points: Vec<Value> = stroke.points.iter().map(|point| json!([point.secs, point.hz, point.pressure])).collect();
    json!({
        "points": points, "axis": stroke.axis.name(), "radius": stroke.radius,
        "hardness": stroke.hardness, "strength": stroke.strength, "build_up": stroke.build_up,
    })
}

pub(crate) fn selection(selection: &Selection) -> Value {
    let with_op = |(combine, shape): &(Combine, Shape)| {
        let op = match combine {
            Combine::Add => "add",
            Combine::Subtract => "subtract",
            Combine::Intersect => "intersect",
        };
        let mut object = self::shape(shape);
        object["op"] = json!(op);
        object
    };
    selection.shapes.iter().map(with_op).collect()
}

fn shape(shape: &Shape) -> Value {
    match shape {
        Shape::Rectangle { secs, hz, feather, axis } => {
            let mut object = json!({"shape": "rectangle", "feather": feather, "axis": axis.name()});
            set_range(&mut object, "time", secs);
            set_range(&mut object, "frequency", hz);
            object
        }
        Shape::Polygon { points, feather, axis } => {
            json!({"shape": "polygon", "points": points, "feather": feather, "axis": axis.name()})
        }
        Shape::Stroke(shape) => {
            let mut object = stroke(shape);
            object["shape"] = json!("stroke");
            object
        }
        Shape::Harmonics { f0_hz, count, width_hz, secs, feather, axis } => {
            let mut object = json!({
                "shape": "harmonics", "f0": f0_hz, "count": count, "width": width_hz,
                "feather": feather, "axis": axis.name(),
            });
            set_range(&mut object, "time", secs);
            object
        }
        Shape::Wand { at, tolerance_db } => json!({"shape": "wand", "point": at, "tolerance_db": tolerance_db}),
        Shape::Find(find) => found(find),
        Shape::Moments(moments) => json!({
            "shape": "moments", "times": &moments.runs[..], "reach": moments.reach_secs, "feather": moments.feather_secs,
        }),
        Shape::Cells(cells) => {
            let row = |row: &[f32]| row.iter().map(|value| short_number(*value, MASK_PARTS)).collect::<Vec<f64>>();
            let rows: Vec<Vec<f64>> = cells.values.chunks(cells.size[1]).map(row).collect();
            let mut object = json!({"shape": "mask", "time": cells.secs, "frequency": cells.hz, "values": rows});
            if cells.axis != Axis::Linear {
                object["axis"] = json!(cells.axis.name());
            }
            object
        }
        Shape::Group(group) => json!({"shape": "group", "shapes": selection(group)}),
    }
}

fn found(find: &Find) -> Value {
    let kind = find.kind();
    match find {
        Find::Clicks { threshold, method } => {
            let mut object = json!({"shape": kind, "threshold": threshold});
            if *method != ClickMethod::default() {
                object["method"] = json!(method.name());
            }
            object
        }
        Find::Hum { f0_hz, count, width_hz, prominence_db } => json!({
            "shape": kind, "f0": f0_hz, "count": count, "width": width_hz, "prominence_db": prominence_db,
        }),
        Find::Speech | Find::Pauses | Find::SpeechCells => json!({"shape": kind}),
        Find::Clipping { level } => json!({"shape": kind, "level": level}),
        Find::Alike { secs, hz, similarity, method } => {
            let mut object = json!({"shape": kind, "time": secs, "similarity": similarity});
            if *method != AlikeMethod::default() {
                object["method"] = json!(method.name());
            }
            set_range(&mut object, "frequency", hz);
            object
        }
    }
}

fn set_range(object: &mut Value, name: &str, range: &Option<[f64; 2]>) {
    if let Some(range) = range {
        object[name] = json!(range);
    }
}

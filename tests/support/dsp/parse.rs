//! Strokes and selections as `cases.json` writes them. Its own reader, so that masks are not tested through scripts.

use dsp::strokes::brush::{Butterworth, Pass};
use dsp::{Axis, Combine, Grid, Point, Selection, Shape, StftParams, Stroke, Window};
use serde_json::Value;

fn pair(value: &Value) -> Option<[f64; 2]> {
    Some([value.get(0)?.as_f64()?, value.get(1)?.as_f64()?])
}

pub fn axis(value: &Value) -> Axis {
    value.as_str().map_or(Axis::Linear, |name| Axis::from_name(name).unwrap())
}

pub fn stroke(value: &Value) -> Option<Stroke> {
    let point = |p: &Value| Point {
        secs: p[0].as_f64().unwrap(),
        hz: p[1].as_f64().unwrap(),
        pressure: p[2].as_f64().unwrap(),
    };
    Some(Stroke {
        points: value.get("points")?.as_array()?.iter().map(point).collect(),
        axis: axis(&value["axis"]),
        radius: pair(&value["radius"])?,
        hardness: value["hardness"].as_f64()?,
        strength: value["strength"].as_f64()?,
        build_up: false,
    })
}

pub fn selection(value: &Value) -> Option<Selection> {
    let shape = |s: &Value| {
        let combine = match s["op"].as_str() {
            Some("subtract") => Combine::Subtract,
            Some("intersect") => Combine::Intersect,
            _ => Combine::Add,
        };
        let feather = pair(&s["feather"]).unwrap_or_default();
        let (secs, hz) = (pair(&s["time"]), pair(&s["frequency"]));
        (combine, Shape::Rectangle { secs, hz, feather, axis: axis(&s["axis"]) })
    };
    Some(Selection { shapes: value.as_array()?.iter().map(shape).collect() })
}

pub fn butterworth(pass: &str, cutoff: &Value, order: u64) -> Butterworth {
    let pass = match pass {
        "low" => Pass::Low,
        "high" => Pass::High,
        "band" => Pass::Band,
        "notch" => Pass::Notch,
        other => panic!("pass {other}"),
    };
    Butterworth { pass, cutoff: serde_json::from_value(cutoff.clone()).unwrap(), order: order as u32 }
}

/// The grid of a group of cases: rate 8,000 Hz, Hann.
pub fn grid(case: &Value, n_samples: usize) -> Grid {
    let number = |key: &str| case[key].as_u64().unwrap() as usize;
    let stft = StftParams { n_fft: number("n_fft"), hop: number("hop"), window: Window::Hann };
    Grid::new(stft, 8000.0, n_samples as u64)
}

//! Scripts: every default, every error with its place, and round trips.

use base::ErrorKind;
use document::brushes::{
    Blur, Brush, CloneSource, Contrast, Erase, Gain, ModulationFilter, Noise, ParameterLimits, ParameterValue, Sharpen,
    Smudge, Warp,
};
use document::{Channels, Edit, Script};
use dsp::repair::heal::{Direction, GapOrders, Heal, Surroundings};
use dsp::strokes::brush::{Along, Butterworth, Pass, Tone, WarpMode};
use dsp::{Axis, Combine, Point, Selection, Shape, StftParams, Stroke, Window};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A script with strokes, selections and several kinds of brushes.
const EXAMPLE: &str = r#"{"version": 1,
 "transform": {"kind": "stft", "n_fft": 2048, "hop": 512, "window": "hann"},
 "edits": [
  {"brush": {"kind": "gain", "gain_db": -24.0}, "channels": "all",
   "stroke": {"points": [[1.2, 440.0, 1.0], [1.8, 880.0, 1.0]], "axis": "log",
              "radius": [0.05, 0.25], "hardness": 0.5, "strength": 1.0}},
  {"brush": {"kind": "blur", "sigma": [0.02, 60.0]}, "channels": [0],
   "select": {"time": [0.5, 0.9], "frequency": [3000.0, 5000.0], "feather": [0.01, 100.0]}},
  {"brush": {"kind": "warp", "mode": "grab", "shift": [0.0, 200.0]}, "select": {"time": [1.0, 2.0], "frequency": [600.0, 1600.0]}},
  {"brush": {"kind": "band_filter", "pass": "notch", "cutoff": [45.0, 55.0], "order": 4}},
  {"brush": {"kind": "modulation_filter", "pass": "low", "along": "time", "cutoff": [8.0], "order": 4}, "select": {"time": [0, 1]}}]}"#;

fn butterworth(pass: Pass, cutoff: &[f64], order: u32) -> Butterworth {
    Butterworth { pass, cutoff: cutoff.to_vec(), order }
}

fn plain(brush: Brush) -> Edit {
    let transform = StftParams { n_fft: 2048, hop: 512, window: Window::Hann };
    Edit::of(brush, transform)
}

fn parse_edit(edit: Value) -> Edit {
    let text = json!({"version": 1, "edits": [edit]}).to_string();
    Script::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}")).edits.remove(0)
}

#[test]
fn the_example_means_what_it_says() {
    let point = |secs, hz| Point { secs, hz, pressure: 1.0 };
    let rectangle = |secs, hz, feather| Some(Selection::rectangle(Some(secs), hz, feather, Axis::Linear));
    let expected = [
        Edit {
            stroke: Some(Stroke {
                points: vec![point(1.2, 440.0), point(1.8, 880.0)],
                axis: Axis::Log,
                radius: [0.05, 0.25],
                hardness: 0.5,
                strength: 1.0,
                build_up: false,
            }),
            ..plain(Brush::Gain(Gain { gain_db: -24.0 }))
        },
        Edit {
            channels: Channels::List(vec![0]),
            select: rectangle([0.5, 0.9], Some([3000.0, 5000.0]), [0.01, 100.0]),
            ..plain(Brush::Blur(Blur { sigma: [0.02, 60.0], sigma_axis: Axis::Linear, rebuild_phase: false }))
        },
        Edit {
            select: rectangle([1.0, 2.0], Some([600.0, 1600.0]), [0.0, 0.0]),
            ..plain(Brush::Warp(Warp { mode: WarpMode::Grab { shift: [0.0, 200.0] }, peak_locking: true }))
        },
        plain(Brush::BandFilter(butterworth(Pass::Notch, &[45.0, 55.0], 4))),
        Edit {
            select: rectangle([0.0, 1.0], None, [0.0, 0.0]),
            ..plain(Brush::ModulationFilter(ModulationFilter {
                along: Along::Time,
                filters: vec![butterworth(Pass::Low, &[8.0], 4)],
                rebuild_phase: false,
            }))
        },
    ];
    assert_eq!(Script::parse(EXAMPLE).unwrap().edits, expected);
}

#[test]
fn every_default_is_the_one_stated() {
    assert_eq!(Script::parse(r#"{"version": 1, "edits": []}"#).unwrap().edits, []);
    assert_eq!(parse_edit(json!({"brush": {"kind": "erase"}})), plain(Brush::Erase(Erase)));
    // Defaults of a stroke: axis, hardness, strength, build_up.
    let stroke = parse_edit(json!({"brush": {"kind": "erase"}, "stroke": {"points": [[1, 2, 1]], "radius": [1, 2]}}));
    let points = vec![Point { secs: 1.0, hz: 2.0, pressure: 1.0 }];
    let expected =
        Stroke { points, axis: Axis::Linear, radius: [1.0, 2.0], hardness: 0.5, strength: 1.0, build_up: false };
    assert_eq!(stroke.stroke.as_ref(), Some(&expected));
    let spelled = json!({"points": [[1, 2, 1]], "radius": [1, 2], "axis": "linear", "hardness": 0.5, "strength": 1,
                         "build_up": false});
    assert_eq!(parse_edit(json!({"brush": {"kind": "erase"}, "stroke": spelled})), stroke);
    // Defaults of a selection: shape, op, feather, axis; both ranges may be missing.
    let select = parse_edit(json!({"brush": {"kind": "erase"}, "select": {}})).select.unwrap();
    assert_eq!(select, Selection::rectangle(None, None, [0.0; 2], Axis::Linear));
    let spelled = json!([{"shape": "rectangle", "op": "add", "feather": [0, 0], "axis": "linear"}]);
    assert_eq!(parse_edit(json!({"brush": {"kind": "erase"}, "select": spelled})).select, Some(select));
    // Defaults of brushes: order, mode.
    let filter = parse_edit(json!({"brush": {"kind": "band_filter", "pass": "high", "cutoff": [9]}}));
    assert_eq!(filter.brush, Brush::BandFilter(butterworth(Pass::High, &[9.0], 4)));
    let warp = parse_edit(json!({"brush": {"kind": "warp", "shift": [0.1, -3]}}));
    assert_eq!(warp.brush, Brush::Warp(Warp { mode: WarpMode::Grab { shift: [0.1, -3.0] }, peak_locking: true }));
}

#[test]
fn transforms_of_script_and_edit() {
    let text = r#"{"version": 1, "transform": {"n_fft": 1024, "window": "sine"}, "edits": [
        {"brush": {"kind": "erase"}},
        {"brush": {"kind": "erase"}, "transform": {"kind": "stft", "n_fft": 4096, "hop": 256, "window": "kaiser"}},
        {"brush": {"kind": "erase"}, "transform": {}}]}"#;
    let transforms: Vec<_> =
        Script::parse(text).unwrap().edits.iter().map(|edit| *edit.transform.as_stft().unwrap()).collect();
    let stft = |n_fft, hop, window| StftParams { n_fft, hop, window };
    // A size given alone keeps the default overlap, a quarter; an edit's own transform starts from the defaults.
    let expected = [stft(1024, 256, Window::Sine), stft(4096, 256, Window::Kaiser), stft(2048, 512, Window::Hann)];
    assert_eq!(transforms, expected);
    for window in Window::ALL {
        let edit = json!({"brush": {"kind": "erase"}, "transform": {"window": window.name()}});
        assert_eq!(parse_edit(edit).transform.as_stft().unwrap().window, window);
    }
}

#[test]
fn selections_and_channels_are_read() {
    let select = json!([{"time": [0, 1]}, {"op": "subtract", "frequency": [0, 100], "axis": "log"},
                        {"op": "intersect", "shape": "rectangle", "frequency": [50, 90], "feather": [0.5, 2]}]);
    let edit = parse_edit(json!({"brush": {"kind": "erase"}, "select": select, "strength": 0.5, "channels": "mid"}));
    let rectangle = |secs, hz, feather, axis| Shape::Rectangle { secs, hz, feather, axis };
    let shapes = vec![
        (Combine::Add, rectangle(Some([0.0, 1.0]), None, [0.0; 2], Axis::Linear)),
        (Combine::Subtract, rectangle(None, Some([0.0, 100.0]), [0.0; 2], Axis::Log)),
        (Combine::Intersect, rectangle(None, Some([50.0, 90.0]), [0.5, 2.0], Axis::Linear)),
    ];
    assert_eq!(edit.select, Some(Selection { shapes }));
    assert_eq!((edit.strength, edit.channels), (0.5, Channels::Mid));
    for (value, channels) in
        [(json!("all"), Channels::All), (json!("side"), Channels::Side), (json!([2, 0]), Channels::List(vec![2, 0]))]
    {
        assert_eq!(parse_edit(json!({"brush": {"kind": "erase"}, "channels": value})).channels, channels);
    }
}

#[test]
fn defaults_and_refusals_of_the_later_brushes() {
    let brush = |brush: Value| parse_edit(json!({"brush": brush})).brush;
    let line = json!({"points": [[0.1, 440, 1], [0.2, 880, 0.5]], "radius": [0.05, 25]});
    assert_eq!(
        brush(json!({"kind": "sharpen", "sigma": [0.1, 9]})),
        Brush::Sharpen(Sharpen { sigma: [0.1, 9.0], sigma_axis: Axis::Linear, amount: 1.0 })
    );
    assert_eq!(
        brush(json!({"kind": "contrast", "amount": 2})),
        Brush::Contrast(Contrast { amount: 2.0, pivot_db: -40.0 })
    );
    assert_eq!(brush(json!({"kind": "noise", "level_db": -30})), Brush::Noise(Noise { level_db: -30.0, seed: 0 }));
    assert_eq!(brush(json!({"kind": "clone", "offset": [-1, 20]})), Brush::Clone(CloneSource { offset: [-1.0, 20.0] }));
    let tone = parse_edit(json!({"brush": {"kind": "tone", "level_db": -20}, "stroke": line}));
    let expected = Tone {
        level_db: -20.0,
        harmonics: 1,
        spacing: 1.0,
        inharmonicity: 0.0,
        slope_db: -6.0,
        pan: 0.0,
        fade_secs: 0.0,
    };
    assert_eq!(tone.brush, Brush::Tone(expected));
    assert_eq!(tone.consistency_steps, None);
    assert_eq!(parse_edit(json!({"brush": {"kind": "smudge"}, "stroke": line})).brush, Brush::Smudge(Smudge));
    let steps = parse_edit(json!({"brush": {"kind": "erase"}, "consistency_steps": 16}));
    assert_eq!(steps.consistency_steps, Some(16));

    let erase = json!({"brush": {"kind": "erase"}, "consistency_steps": 3});
    for wrong in [json!(17), json!(-1), json!(0.5), json!("many")] {
        refused(&erase, "/consistency_steps", wrong, ".consistency_steps");
    }
    let tone = json!({"brush": {"kind": "tone", "level_db": -20}, "stroke": line});
    refused(&tone, "/brush/level_db", json!(25), ".brush.level_db");
    refused(&tone, "/brush/harmonics", json!(0), ".brush.harmonics");
    refused(&tone, "/brush/harmonics", json!(129), ".brush.harmonics");
    refused(&tone, "/brush/inharmonicity", json!(-0.1), ".brush.inharmonicity");
    refused(&tone, "/stroke/build_up", json!(true), "");
    let noise = json!({"brush": {"kind": "noise", "level_db": -20}});
    refused(&noise, "/brush/seed", json!(-1), ".brush.seed");
    refused(&noise, "/brush", json!({"kind": "smudge"}), "");
    assert_eq!(brush(json!({"kind": "heal"})), Brush::Heal(Heal::default()));
    assert_eq!(brush(json!({"kind": "heal", "mode": "interpolate"})), Brush::Heal(Heal::INTERPOLATE));
    assert_eq!(brush(json!({"kind": "heal", "mode": "gap"})), Brush::Heal(Heal::GAP));
    assert_eq!(brush(json!({"kind": "heal", "mode": "gap", "orders": "one"})), Brush::Heal(Heal::GAP));
    assert_eq!(brush(json!({"kind": "heal", "mode": "gap", "orders": "weighed"})), Brush::Heal(Heal::WEIGHED_GAP));
    assert_eq!(brush(json!({"kind": "heal", "mode": "pattern"})), Brush::Heal(Heal::PATTERN));
    let heal = json!({"brush": {"kind": "heal", "context": {"time": [0.1, 0]}, "weights": {"frequency": [0, 1]}}});
    refused(&heal, "/brush/context/time/0", json!(0), ".brush.context.time");
    refused(&heal, "/brush/context/time/1", json!(-1), ".brush.context.time[1]");
    refused(&heal, "/brush/weights/frequency/1", json!(0), ".brush.weights.frequency");
    refused(&heal, "/brush/weights/frequency/1", json!(2), ".brush.weights.frequency[1]");
    refused(&heal, "/brush/weights", json!({"hz": 1}), ".brush.weights");
    let heal = json!({"brush": {"kind": "heal", "mode": "interpolate", "context": [1, 1], "order": 4}});
    refused(&heal, "/brush/order", json!(0), ".brush.order");
    refused(&heal, "/brush/order", json!(33), ".brush.order");
    refused(&heal, "/brush/mode", json!("gap"), ".brush");
    refused(&heal, "/brush/mode", json!("magic"), ".brush.mode");
    let sharpen = json!({"brush": {"kind": "sharpen", "sigma": [0.1, 9]}});
    refused(&sharpen, "/brush/amount", json!(-1), ".brush.amount");
    refused(&sharpen, "/brush/sigma/0", json!(-1), ".brush.sigma[0]");
    refused(&json!({"brush": {"kind": "clone", "offset": [0, 1]}}), "/brush/offset", json!(1), ".brush.offset");
}

#[test]
fn labels_stand_beside_the_edits() {
    let text = r#"{"version": 1, "labels": [
        {"time": [1.0, 1.5], "frequency": [2000, 4500.5], "text": "a \"b\"", "confidence": 0.25, "channel": 1,
         "colour": 11, "columns": [["tier", "words"]]},
        {"id": 7, "time": [2, 1]}], "edits": [{"brush": {"kind": "erase"}}]}"#;
    let script = Script::parse(text).unwrap();
    assert_eq!((script.labels.labels.len(), script.labels.n_swapped, script.edits.len()), (2, 1, 1));
    let [full, named] = &script.labels.labels[..] else { panic!("two") };
    assert_eq!((full.id, full.secs, full.low_hz, full.high_hz), (0, [1.0, 1.5], Some(2_000.0), Some(4_500.5)));
    assert_eq!((&*full.text, full.confidence, full.channel, full.colour), ("a \"b\"", Some(0.25), Some(1), Some(11)));
    assert_eq!((full.columns.get("tier"), named.id, named.secs), (Some("words"), 7, [1.0, 2.0]));
    let again = Script::parse(&script.to_json()).unwrap();
    assert_eq!((again.labels.labels, again.edits), (script.labels.labels.clone(), script.edits.clone()));
    // New ids follow the highest of those in the script and of the sound.
    let ids = |next_id: u64| {
        let edit = script.labels_edit(next_id).unwrap();
        let Brush::Labels(brush) = edit.brush else { panic!("an edit of labels") };
        brush.set.iter().map(|label| label.id).collect::<Vec<_>>()
    };
    assert_eq!((ids(1), ids(20)), (vec![8, 7], vec![20, 7]));
    assert!(Script::default().labels_edit(1).is_none());
    for (label, place) in [
        (json!({"time": [0, null]}), "labels[1].time[1]: must be a number"),
        (json!({"time": [0, 1], "frequency": [-1, 5]}), "labels[1].frequency[0]: must not be negative"),
        (json!({"time": [0, 1], "id": 0}), "labels[1].id: must be a whole number above 0"),
        (json!({"time": [0, 1], "colour": 12}), "labels[1].colour: must be 0 to 11"),
        (json!(3), "labels[1]: must be an object"),
    ] {
        let script = json!({"version": 1, "labels": [{"time": [0, 1]}, label], "edits": []});
        assert_eq!(Script::parse(&script.to_string()).unwrap_err().message(), place);
    }
    let none = json!({"version": 1, "labels": {}, "edits": []});
    assert_eq!(Script::parse(&none.to_string()).unwrap_err().message(), "labels: must be a list");
}

/// Checks that an edit is accepted, and that a copy with one value replaced is refused, naming the place.
#[track_caller]
fn refused(edit: &Value, pointer: &str, wrong: Value, place: &str) {
    let script = |edit: &Value| json!({"version": 1, "edits": [{"brush": {"kind": "erase"}}, edit]}).to_string();
    Script::parse(&script(edit)).unwrap_or_else(|e| panic!("right before it is made wrong: {e}"));
    let mut bad = edit.clone();
    match bad.pointer_mut(pointer) {
        Some(value) => *value = wrong.clone(),
        None => {
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            bad.pointer_mut(parent).unwrap()[name] = wrong.clone();
        }
    }
    match Script::parse(&script(&bad)) {
        Ok(_) => panic!("{pointer} = {wrong} was accepted"),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Script);
            let message = error.message();
            assert!(message.starts_with(&format!("edits[1]{place}: ")), "{pointer} = {wrong}: {message}");
            assert!(!message.contains('\n') && !message.ends_with('.'), "one sentence: {message}");
        }
    }
}

fn stroked() -> Value {
    json!({"brush": {"kind": "gain", "gain_db": -6}, "channels": [0, 1],
           "transform": {"kind": "stft", "n_fft": 1024, "hop": 256, "window": "hann"},
           "stroke": {"points": [[0.1, 440, 1], [0.2, 880, 0.5]], "axis": "log", "radius": [0.05, 0.25],
                      "hardness": 0.5, "strength": 1, "build_up": false}})
}

#[test]
fn strokes_that_make_no_sense_are_refused_by_place() {
    let ok = stroked();
    let refuse = |pointer: &str, wrong: Value, place: &str| refused(&ok, pointer, wrong, place);
    for wrong in [json!(0), json!(-0.1), json!(null), json!("1"), json!([])] {
        refuse("/stroke/radius/0", wrong.clone(), ".stroke.radius[0]");
        refuse("/stroke/radius/1", wrong, ".stroke.radius[1]");
    }
    refuse("/stroke/radius", json!([1]), ".stroke.radius");
    refuse("/stroke/radius", json!([1, 2, 3]), ".stroke.radius");
    refuse("/stroke/radius", json!(0.5), ".stroke.radius");
    for wrong in [json!(-0.01), json!(1.01), json!(null), json!(true)] {
        refuse("/stroke/hardness", wrong.clone(), ".stroke.hardness");
        refuse("/stroke/strength", wrong.clone(), ".stroke.strength");
        refuse("/stroke/points/1/2", wrong, ".stroke.points[1][2]");
    }
    for hz in [json!(0), json!(-440)] {
        refuse("/stroke/points/0/1", hz, ".stroke.points[0][1]");
    }
    refuse("/stroke/points/0/0", json!("now"), ".stroke.points[0][0]");
    refuse("/stroke/points/1", json!([1, 2]), ".stroke.points[1]");
    refuse("/stroke/points/1", json!([1, 2, 1, 1]), ".stroke.points[1]");
    refuse("/stroke/points", json!([]), ".stroke.points");
    refuse("/stroke/points", json!({}), ".stroke.points");
    refuse("/stroke/axis", json!("octave"), ".stroke.axis");
    refuse("/stroke/build_up", json!(1), ".stroke.build_up");
    refuse("/stroke/hardnes", json!(0.5), ".stroke");
    refuse("/stroke", json!([]), ".stroke");
    // On a linear axis, 0 Hz is a valid frequency.
    let mut linear = ok.clone();
    linear["stroke"]["axis"] = json!("linear");
    linear["stroke"]["points"][0][1] = json!(0);
    parse_edit(linear);
}

#[test]
fn brushes_that_make_no_sense_are_refused_by_place() {
    let ok = stroked();
    for wrong in [json!(-120.1), json!(24.1), json!(null), json!("-6 dB")] {
        refused(&ok, "/brush/gain_db", wrong, ".brush.gain_db");
    }
    refused(&ok, "/brush/kind", json!("healing"), ".brush.kind");
    refused(&ok, "/brush/kind", json!(7), ".brush.kind");
    refused(&ok, "/brush/gain", json!(1), ".brush");
    refused(&ok, "/brush", json!({"kind": "gain"}), ".brush");
    refused(&ok, "/brush", json!({"gain_db": 1}), ".brush");
    refused(&ok, "/brush", json!("erase"), ".brush");
    refused(&ok, "/brush", json!({"kind": "erase", "gain_db": 1}), ".brush");

    let blur = json!({"brush": {"kind": "blur", "sigma": [0.02, 60]}});
    refused(&blur, "/brush/sigma/0", json!(-0.001), ".brush.sigma[0]");
    refused(&blur, "/brush/sigma/1", json!(-1), ".brush.sigma[1]");
    refused(&blur, "/brush/sigma", json!([1]), ".brush.sigma");

    let low = json!({"brush": {"kind": "band_filter", "pass": "low", "cutoff": [100], "order": 8}});
    let band = json!({"brush": {"kind": "band_filter", "pass": "band", "cutoff": [100, 200]}});
    for wrong in [json!(0), json!(9), json!(2.5), json!(-1), json!("4")] {
        refused(&low, "/brush/order", wrong, ".brush.order");
    }
    for wrong in [json!(0), json!(-5), json!(null)] {
        refused(&low, "/brush/cutoff/0", wrong.clone(), ".brush.cutoff[0]");
        refused(&band, "/brush/cutoff/0", wrong, ".brush.cutoff[0]");
    }
    refused(&low, "/brush/cutoff", json!(100), ".brush.cutoff");
    refused(&low, "/brush/cutoff", json!([100, 200]), ".brush.cutoff");
    refused(&low, "/brush/cutoff", json!([]), ".brush.cutoff");
    refused(&band, "/brush/cutoff", json!([100]), ".brush.cutoff");
    refused(&band, "/brush/cutoff", json!([200, 100]), ".brush.cutoff");
    refused(&band, "/brush/cutoff", json!([200, 200]), ".brush.cutoff");
    refused(&low, "/brush/pass", json!("lowpass"), ".brush.pass");
    refused(&low, "/brush", json!({"kind": "band_filter", "cutoff": [1]}), ".brush");
    refused(&low, "/brush", json!({"kind": "band_filter", "pass": "low"}), ".brush");

    let both = json!({"brush": {"kind": "modulation_filter", "pass": "low", "along": "both", "cutoff": [[8], [2]]}});
    refused(&both, "/brush/along", json!("space"), ".brush.along");
    refused(&both, "/brush/along", json!("time"), ".brush.cutoff");
    refused(&both, "/brush/cutoff", json!([8, 2]), ".brush.cutoff[0]");
    refused(&both, "/brush/cutoff", json!([[8]]), ".brush.cutoff");
    refused(&both, "/brush/cutoff/1", json!([2, 3]), ".brush.cutoff[1]");
    refused(&both, "/brush/cutoff/1/0", json!(0), ".brush.cutoff[1][0]");
    refused(&both, "/brush/order", json!(9), ".brush.order");

    let warp = json!({"brush": {"kind": "warp", "mode": "grab", "shift": [0, 200]}});
    refused(&warp, "/brush/mode", json!("pull"), ".brush.mode");
    refused(&warp, "/brush/shift", json!([1]), ".brush.shift");
    refused(&warp, "/brush/shift/1", json!(null), ".brush.shift[1]");
    refused(&warp, "/brush", json!({"kind": "warp"}), ".brush");
    refused(&warp, "/brush", json!({"kind": "warp", "mode": "push"}), ""); // a push needs a stroke
}

#[test]
fn selections_transforms_and_the_rest_are_refused_by_place() {
    let ok = json!({"brush": {"kind": "erase"}, "strength": 0.5, "channels": "all",
                    "transform": {"kind": "stft", "n_fft": 1024, "hop": 256, "window": "hann"},
                    "select": [{"time": [0, 1], "frequency": [10, 20], "feather": [0, 0], "axis": "mel"}]});
    let refuse = |pointer: &str, wrong: Value, place: &str| refused(&ok, pointer, wrong, place);
    refuse("/select/0/feather/0", json!(-0.1), ".select[0].feather[0]");
    refuse("/select/0/feather/1", json!(-1), ".select[0].feather[1]");
    refuse("/select/0/time", json!([1, 0]), ".select[0].time");
    refuse("/select/0/frequency", json!([20, 10]), ".select[0].frequency");
    refuse("/select/0/time/0", json!(null), ".select[0].time[0]");
    refuse("/select/0/frequency", json!([1, 2, 3]), ".select[0].frequency");
    refuse("/select/0/axis", json!("Mel"), ".select[0].axis");
    refuse("/select/0/op", json!("xor"), ".select[0].op");
    refuse("/select/0/shape", json!("circle"), ".select[0].shape");
    refuse("/select/0/freq", json!([1, 2]), ".select[0]");
    refuse("/select", json!([]), ".select");
    refuse("/select", json!({"time": [1, 0]}), ".select.time");
    refuse("/select", json!(3), ".select");
    for wrong in [json!(-0.1), json!(1.5), json!(null)] {
        refuse("/strength", wrong, ".strength");
    }
    for wrong in [json!(32), json!(65536), json!(1000), json!(0)] {
        refuse("/transform/n_fft", wrong, ".transform");
    }
    for wrong in [json!(-4), json!(10.5), json!("1024")] {
        refuse("/transform/n_fft", wrong, ".transform.n_fft");
    }
    for wrong in [json!(1024), json!(32), json!(300), json!(0)] {
        refuse("/transform/hop", wrong, ".transform");
    }
    refuse("/transform/window", json!("hanning"), ".transform.window");
    refuse("/transform/kind", json!("wavelet"), ".transform.kind");
    refuse("/transform/size", json!(1024), ".transform");
    refuse("/channels", json!("left"), ".channels");
    refuse("/channels", json!([]), ".channels");
    refuse("/channels", json!([0, -1]), ".channels[1]");
    refuse("/channels", json!([0, 1.5]), ".channels[1]");
    refuse("/brushes", json!({}), "");
    let gone = json!({"version": 1, "edits": [{}]}).to_string();
    assert!(Script::parse(&gone).unwrap_err().message().starts_with("edits[0]: "));
}

#[test]
fn what_is_no_script_at_all_is_refused() {
    let message = |text: &str| {
        let error = Script::parse(text).expect_err(text);
        assert_eq!(error.kind(), ErrorKind::Script, "{text}");
        assert!(!error.message().is_empty() && !error.message().contains('\n'));
        error.message().to_owned()
    };
    // Not JSON: line and column.
    assert!(message("{\"version\": 1,\n \"edits\": [}").contains("line 2, column 12"));
    // JSON has no infinity, and a number beyond the range of f64 would become one.
    for number in ["NaN", "Infinity", "-Infinity", "1e999"] {
        let text = format!(r#"{{"version": 1, "edits": [{{"brush": {{"kind": "gain", "gain_db": {number}}}}}]}}"#);
        message(&text);
        message(&text.replace(r#""kind": "gain", "gain_db""#, r#""kind": "blur", "sigma""#));
    }
    for text in ["", "[]", "3", "null", "\u{0}", "{}", r#"{"edits": []}"#, r#"{"version": 1}"#] {
        message(text);
    }
    assert!(message(r#"{"version": 2, "edits": []}"#).starts_with("version: "));
    assert!(message(r#"{"version": "1", "edits": []}"#).starts_with("version: "));
    assert!(message(r#"{"version": 1, "edits": {}}"#).starts_with("edits: "));
    assert!(message(r#"{"version": 1, "edits": [], "edit": []}"#).contains("\"edit\""));
    assert!(message(r#"{"version": 1, "edits": [], "transform": {"hop": 3}}"#).starts_with("transform: "));
    // Deep nesting is an error, not a stack overflow.
    message(&"[".repeat(100_000));
}

#[test]
fn long_numbers_are_shown_short() {
    let reason = |brush: Value| {
        let text = json!({"version": 1, "edits": [{"brush": brush}]}).to_string();
        Script::parse(&text).unwrap_err().message().to_owned()
    };
    let wide = reason(json!({"kind": "normalise", "peak_db": 1e308}));
    assert_eq!(wide, "edits[0].brush.peak_db: 1e308 is outside -60 to 0");
    let thin = reason(json!({"kind": "normalise", "peak_db": 1e-300}));
    assert_eq!(thin, "edits[0].brush.peak_db: 1e-300 is outside -60 to 0");
    let before = json!({"sample_rate_hz": 8000, "first_sample": 0, "channels": [[0.0]]});
    assert_eq!(reason(json!({"kind": "insert", "at": -1, "clip": before})), "edits[0].brush.at: must not be negative");
}

// ------------------------------------------------------------------------------------------------ written, read again

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![-1e3..1e3f64, 0.0..1e-6f64, Just(0.1), Just(-0.0), prop::num::f64::NORMAL]
}

fn pairs(number: impl Strategy<Value = f64>) -> impl Strategy<Value = [f64; 2]> {
    prop::collection::vec(number, 2).prop_map(|v| [v[0], v[1]])
}

fn positive() -> impl Strategy<Value = f64> {
    any_number().prop_map(|x| x.abs() + f64::MIN_POSITIVE)
}

prop_compose! {
    fn filters(n: usize)(
        pass in prop::sample::select(vec![Pass::Low, Pass::High, Pass::Band, Pass::Notch]),
        cutoffs in prop::collection::vec((positive(), 1.001..9.0f64), n),
        order in 1..=8u32,
    ) -> Vec<Butterworth> {
        let two = matches!(pass, Pass::Band | Pass::Notch);
        let cutoff = |(low, ratio): &(f64, f64)| {
            let low = low.min(1e200);
            if two { vec![low, low * ratio] } else { vec![low] }
        };
        cutoffs.iter().map(|c| Butterworth { pass, cutoff: cutoff(c), order }).collect()
    }
}

fn heals() -> impl Strategy<Value = Heal> {
    let direction =
        prop::sample::select(vec![Direction::Shape, Direction::Time, Direction::Frequency, Direction::Both]);
    let sides = || pairs(0.001..=10.0f64);
    let weights = || pairs(0.001..=1.0f64);
    prop_oneof![
        (direction, sides(), pairs(0.001..=20_000.0f64), weights(), weights(), any::<bool>()).prop_map(
            |(direction, context_secs, context_hz, time_weights, frequency_weights, rebuild_phase)| {
                Heal::Attenuate(Surroundings {
                    direction,
                    context_secs,
                    context_hz,
                    time_weights,
                    frequency_weights,
                    rebuild_phase,
                })
            }
        ),
        (sides(), 1..=32u32).prop_map(|(context_secs, order)| Heal::Interpolate { context_secs, order }),
        (sides(), any::<bool>()).prop_map(|(context_secs, is_one)| Heal::Gap {
            context_secs,
            orders: if is_one { GapOrders::One } else { GapOrders::Weighed },
        }),
        (sides(), 0.001..=60.0f64).prop_map(|(context, reach_secs)| Heal::Pattern { context, reach_secs }),
    ]
}

fn brushes() -> impl Strategy<Value = Brush> {
    prop_oneof![
        (-120.0..=24.0f64).prop_map(|gain_db| Brush::Gain(Gain { gain_db })),
        Just(Brush::Erase(Erase)),
        pairs(positive()).prop_map(|sigma| Brush::Blur(Blur { sigma, sigma_axis: Axis::Linear, rebuild_phase: false })),
        filters(1).prop_map(|mut filters| Brush::BandFilter(filters.remove(0))),
        filters(1).prop_map(|filters| Brush::ModulationFilter(ModulationFilter {
            along: Along::Time,
            filters,
            rebuild_phase: false
        })),
        filters(1).prop_map(|filters| Brush::ModulationFilter(ModulationFilter {
            along: Along::Frequency,
            filters,
            rebuild_phase: false
        })),
        filters(2).prop_map(|filters| Brush::ModulationFilter(ModulationFilter {
            along: Along::Both,
            filters,
            rebuild_phase: false
        })),
        pairs(any_number()).prop_map(|shift| Brush::Warp(Warp { mode: WarpMode::Grab { shift }, peak_locking: true })),
        (pairs(positive()), 0.0..=16.0f64).prop_map(|(sigma, amount)| Brush::Sharpen(Sharpen {
            sigma,
            sigma_axis: Axis::Linear,
            amount
        })),
        (-200.0..=24.0f64, any::<u64>()).prop_map(|(level_db, seed)| Brush::Noise(Noise { level_db, seed })),
        pairs(any_number()).prop_map(|offset| Brush::Clone(CloneSource { offset })),
        heals().prop_map(Brush::Heal),
    ]
}

prop_compose! {
    fn tones()(
        level_db in -200.0..=24.0f64,
        harmonics in 1..=128u32,
        spacing in 0.0..=16.0f64,
        inharmonicity in 0.0..=1.0f64,
        slope_db in -96.0..=24.0f64,
        pan in -1.0..=1.0f64,
        fade_secs in 0.0..=Tone::MAX_FADE_SECS,
    ) -> Tone {
        Tone { level_db, harmonics, spacing, inharmonicity, slope_db, pan, fade_secs }
    }
}

prop_compose! {
    fn strokes()(
        points in prop::collection::vec((any_number(), positive(), 0.0..=1.0f64), 1..4),
        axis in prop::sample::select(Axis::ALL.to_vec()),
        radius in pairs(positive()),
        hardness in 0.0..=1.0f64,
        strength in 0.0..=1.0f64,
        build_up in prop::bool::ANY,
    ) -> Stroke {
        let points = points.into_iter().map(|(secs, hz, pressure)| Point { secs, hz, pressure }).collect();
        Stroke { points, axis, radius, hardness, strength, build_up }
    }
}

prop_compose! {
    fn shapes()(
        combine in prop::sample::select(vec![Combine::Add, Combine::Subtract, Combine::Intersect]),
        secs in prop::option::of(pairs(any_number())),
        hz in prop::option::of(pairs(any_number())),
        feather in pairs(positive()),
        axis in prop::sample::select(Axis::ALL.to_vec()),
    ) -> (Combine, Shape) {
        let ordered = |range: [f64; 2]| [range[0].min(range[1]), range[0].max(range[1])];
        (combine, Shape::Rectangle { secs: secs.map(ordered), hz: hz.map(ordered), feather, axis })
    }
}

prop_compose! {
    fn edits()(
        brush in brushes(),
        stroke in prop::option::of(strokes()),
        select in prop::option::of(prop::collection::vec(shapes(), 1..4)),
        push in 0..6,
        tone in tones(),
        consistency_steps in prop::option::of(0..=16u32),
        channels in prop_oneof![
            Just(Channels::All), Just(Channels::Mid), Just(Channels::Side),
            prop::sample::subsequence((0..32).collect::<Vec<usize>>(), 1..32).prop_map(Channels::List),
        ],
        size in 6..=15u32,
        overlap in prop::sample::select(vec![2, 4, 8, 16]),
        window in prop::sample::select(Window::ALL.to_vec()),
        strength in 0.0..=1.0f64,
    ) -> Edit {
        let transform = StftParams { n_fft: 1 << size, hop: (1 << size) / overlap, window };
        let brush = match (push, &stroke) {
            (1, Some(_)) => Brush::Warp(Warp { mode: WarpMode::Push, peak_locking: true }),
            (2, Some(_)) => Brush::Smudge(Smudge),
            (3, Some(_)) => Brush::Tone(tone),
            _ => brush,
        };
        let mut stroke = stroke;
        if let Some(stroke) = &mut stroke {
            stroke.build_up &= brush.builds_up();
        }
        // An edit with a stroke has no strength of its own.
        let strength = if stroke.is_some() { 1.0 } else { strength };
        Edit { brush, stroke, select: select.map(|shapes| Selection { shapes }), channels, transform: transform.into(), strength, consistency_steps }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Bit-exact for every number: a session replays the original strokes.
    #[test]
    fn what_is_written_is_read_again(edits in prop::collection::vec(edits(), 0..4)) {
        let script = Script::from(edits);
        let text = script.to_json();
        let again = Script::parse(&text).map_err(|e| TestCaseError::fail(format!("{e}: {text}")))?;
        prop_assert_eq!(&again, &script, "{}", text);
        prop_assert_eq!(again.to_json(), text);
    }

    /// Any text is read or refused, without a panic.
    #[test]
    fn no_text_is_too_strange(text in ".{0,200}", cut in 0..900usize, put in "[-\\[\\]{},:\"0-9e.a-z]{0,4}") {
        let _ = Script::parse(&text);
        let cut = cut.min(EXAMPLE.len());
        let _ = Script::parse(&format!("{}{put}{}", &EXAMPLE[..cut], &EXAMPLE[cut..]));
        let _ = Script::parse(&format!("{}{put}", &EXAMPLE[..cut]));
    }
}

// ------------------------------------------------------------------------------------------------ parameters as rows

/// A brush of each kind with the default of every parameter that a script may omit.
fn usual_brushes() -> Vec<Brush> {
    let all: Vec<Brush> = Brush::KINDS.iter().filter_map(|kind| Brush::omitted(kind)).collect();
    assert_eq!(
        all.len(),
        Brush::KINDS.len() - 5,
        "all but paste, insert, labels, picture and cells, which need what a script gives"
    );
    all
}

#[test]
fn parameters_of_brushes_are_read_as_they_are_written() {
    for mut brush in usual_brushes() {
        let kind = brush.kind();
        assert_eq!(brush.values().len(), brush.parameters().len(), "{kind}");
        assert_eq!(Brush::from_json(&brush.to_json()).unwrap(), brush, "{kind}");
        let first = Brush::first(kind).unwrap();
        assert_eq!(first.clone().confined(), first, "{kind} comes within its limits");
        let json: Value = serde_json::from_str(&brush.to_json()).unwrap();
        let is_pair = |value: &ParameterValue<'_>| {
            matches!(value, ParameterValue::Pair(_) | ParameterValue::MaybePair(_) | ParameterValue::Fundamental(_))
        };
        let are_pairs: Vec<bool> = brush.values().iter().map(is_pair).collect();
        for (parameter, is_pair) in brush.parameters().iter().zip(are_pairs) {
            // Sparse parameters are written only if they differ from their default, which they have here.
            assert_eq!(json.get(parameter.field).is_none(), parameter.is_sparse, "{kind}.{}", parameter.field);
            let mut without = json.clone();
            without.as_object_mut().unwrap().remove(parameter.field);
            let read = Brush::from_json(&without.to_string());
            match parameter.is_optional {
                true => assert_eq!(read.unwrap(), brush, "{kind}.{}", parameter.field),
                false => {
                    let expected = format!("brush: {} is missing", parameter.field);
                    assert_eq!(read.unwrap_err().message(), expected);
                }
            }
            if let ParameterLimits::Within(min, max) = parameter.limits {
                for outside in [min - 1.0, max + 1.0] {
                    let mut wrong = json.clone();
                    // Whole numbers are written as unsigned integers, since a negative number would be
                    // refused for another reason.
                    let is_whole = json[parameter.field].is_u64();
                    wrong[parameter.field] = match (is_whole, is_pair) {
                        (true, _) => json!(outside as u64),
                        (false, true) => json!([outside, outside]),
                        (false, false) => json!(outside),
                    };
                    let error = Brush::from_json(&wrong.to_string()).unwrap_err();
                    let at = if is_pair { "[0]" } else { "" };
                    let expected = format!("brush.{}{at}: {outside} is outside {min} to {max}", parameter.field);
                    assert_eq!(error.message(), expected, "{kind}");
                }
            }
        }
    }
}

/// `SONOBRUSH_UPDATE_SNAPSHOTS=1 cargo test --test tests script::` writes the table.
#[test]
fn the_table_of_brushes_is_up_to_date() {
    let path = support::root().join("docs/scripts.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let start = text.find("| `kind` |").unwrap();
    let end = start + text[start..].find("\n\n").unwrap() + 1;
    let table = document::brushes::script_table();
    assert_eq!(table.lines().count(), Brush::KINDS.len() + 2);
    if std::env::var_os("SONOBRUSH_UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, format!("{}{table}{}", &text[..start], &text[end..])).unwrap();
        return;
    }
    assert_eq!(text[start..end], table);
}

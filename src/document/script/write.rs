//! From edits to JSON.

use super::{Script, VERSION, samples};
use crate::document::{Channels, Edit};
use crate::dsp::brush::{Along, Butterworth, Pass, WarpMode};
use crate::dsp::find::Find;
use crate::dsp::heal::{Direction, Heal};
use crate::dsp::{
    Brush, Clip, Combine, NoiseFrom, NoiseOf, NoiseProfile, NoiseSpectrum, Selection, Shape, Stroke, Transform,
};
use serde_json::{Map, Value, json};

pub(super) fn script(script: &Script) -> Value {
    json!({"version": VERSION, "edits": script.edits.iter().map(edit).collect::<Vec<_>>()})
}

fn edit(edit: &Edit) -> Value {
    let mut object = Map::new();
    object.insert("brush".into(), brush(&edit.brush));
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
    let Transform::Stft(stft) = transform;
    json!({"kind": "stft", "n_fft": stft.n_fft, "hop": stft.hop, "window": stft.window.name()})
}

fn channels(channels: &Channels) -> Value {
    match channels {
        Channels::All => json!("all"),
        Channels::Mid => json!("mid"),
        Channels::Side => json!("side"),
        Channels::List(list) => json!(list),
    }
}

fn pass(pass: Pass) -> &'static str {
    match pass {
        Pass::Low => "low",
        Pass::High => "high",
        Pass::Band => "band",
        Pass::Notch => "notch",
    }
}

fn brush(brush: &Brush) -> Value {
    let kind = brush.kind();
    match brush {
        Brush::Gain { gain_db } => json!({"kind": kind, "gain_db": gain_db}),
        Brush::Erase => json!({"kind": kind}),
        Brush::Blur { sigma, rebuild_phase } => json!({"kind": kind, "sigma": sigma, "rebuild_phase": rebuild_phase}),
        Brush::BandFilter(filter) => {
            json!({"kind": kind, "pass": pass(filter.pass), "cutoff": filter.cutoff, "order": filter.order})
        }
        Brush::ModulationFilter { along, filters, rebuild_phase } => {
            let mut object = modulation_filter(kind, *along, filters);
            object["rebuild_phase"] = json!(rebuild_phase);
            object
        }
        Brush::Warp { mode: WarpMode::Grab { shift }, peak_locking } => {
            json!({"kind": kind, "mode": "grab", "shift": shift, "peak_locking": peak_locking})
        }
        Brush::Warp { mode: WarpMode::Push, peak_locking } => {
            json!({"kind": kind, "mode": "push", "peak_locking": peak_locking})
        }
        Brush::RebuildPhase { steps } => json!({"kind": kind, "steps": steps}),
        Brush::Sharpen { sigma, amount } => json!({"kind": kind, "sigma": sigma, "amount": amount}),
        Brush::Noise { level_db, seed } => json!({"kind": kind, "level_db": level_db, "seed": seed}),
        Brush::Clone { offset } => json!({"kind": kind, "offset": offset}),
        Brush::Tone(tone) => json!({
            "kind": kind, "level_db": tone.level_db, "harmonics": tone.harmonics, "spacing": tone.spacing,
            "inharmonicity": tone.inharmonicity, "slope_db": tone.slope_db, "pan": tone.pan,
        }),
        Brush::Smudge => json!({"kind": kind}),
        Brush::Paste(paste) => json!({
            "kind": kind, "offset": paste.offset, "axis": paste.axis.name(), "clip": clip(&paste.clip),
        }),
        Brush::Lengthen { secs } => json!({"kind": kind, "secs": secs}),
        Brush::Heal(mode) => heal(kind, mode),
        Brush::Denoise(denoise) => {
            let mut object = json!({
                "kind": kind, "reduction_db": denoise.reduction_db, "margin_db": denoise.margin_db,
                "smoothing": denoise.smoothing,
            });
            match &denoise.noise {
                NoiseFrom::Range { secs, hz: None } => object["learn"] = json!(secs),
                NoiseFrom::Range { secs, hz } => object["learn"] = json!({"time": secs, "frequency": hz}),
                NoiseFrom::Profile(profile) => object["profile"] = noise_profile(profile),
            }
            object
        }
        Brush::HarmonicPercussive(parts) => json!({
            "kind": kind, "harmonic_db": parts.harmonic_db, "percussive_db": parts.percussive_db, "reach": parts.reach,
        }),
    }
}

fn heal(kind: &str, heal: &Heal) -> Value {
    let mode = heal.mode();
    match heal {
        Heal::Attenuate(around) => {
            let direction = match around.direction {
                Direction::Shape => "shape",
                Direction::Time => "time",
                Direction::Frequency => "frequency",
                Direction::Both => "both",
            };
            json!({
                "kind": kind, "mode": mode, "direction": direction,
                "context": {"time": around.context_secs, "frequency": around.context_hz},
                "weights": {"time": around.time_weights, "frequency": around.frequency_weights},
                "rebuild_phase": around.rebuild_phase,
            })
        }
        Heal::Interpolate { context_secs, order } => {
            json!({"kind": kind, "mode": mode, "context": context_secs, "order": order})
        }
        Heal::Gap { context_secs } => json!({"kind": kind, "mode": mode, "context": context_secs}),
        Heal::Pattern { context, reach_secs } => {
            json!({"kind": kind, "mode": mode, "context": context, "reach": reach_secs})
        }
    }
}

fn clip(clip: &Clip) -> Value {
    let channels: Vec<String> = clip.channels.iter().map(|samples| samples::text_from_samples(samples)).collect();
    json!({"rate": clip.sample_rate_hz, "first_sample": clip.first_sample, "channels": channels})
}

fn noise_profile(profile: &NoiseProfile) -> Value {
    // The digits that were kept when it was learnt, not all of a number of 32 bits made one of 64.
    let rounded = |values: &[f32], parts: f64| -> Vec<f64> {
        let short = |&value: &f32| (f64::from(value) * parts).round() / parts;
        values
            .iter()
            .map(|value| if short(value) as f32 == *value { short(value) } else { f64::from(*value) })
            .collect()
    };
    let spectrum = |(of, spectrum): &(NoiseOf, NoiseSpectrum)| {
        let of = match of {
            NoiseOf::Channel(channel) => json!(channel),
            NoiseOf::Mid => json!("mid"),
            NoiseOf::Side => json!("side"),
        };
        let (levels_db, spread) = (rounded(&spectrum.levels_db, 100.0), rounded(&spectrum.spread, 1000.0));
        json!({"of": of, "levels_db": levels_db, "spread": spread})
    };
    let stft = profile.stft;
    json!({
        "n_fft": stft.n_fft, "hop": stft.hop, "window": stft.window.name(), "rate": profile.sample_rate_hz,
        "spectra": profile.spectra.iter().map(spectrum).collect::<Vec<_>>(),
    })
}

fn modulation_filter(kind: &str, along: Along, filters: &[Butterworth]) -> Value {
    let along_name = match along {
        Along::Time => "time",
        Along::Frequency => "frequency",
        Along::Both => "both",
    };
    let cutoffs: Vec<&Vec<f64>> = filters.iter().map(|filter| &filter.cutoff).collect();
    let cutoff = if along == Along::Both { json!(cutoffs) } else { json!(cutoffs.first()) };
    let (name, order) = filters.first().map_or(("low", 4), |filter| (pass(filter.pass), filter.order));
    json!({"kind": kind, "pass": name, "along": along_name, "cutoff": cutoff, "order": order})
}

fn stroke(stroke: &Stroke) -> Value {
    let points: Vec<Value> = stroke.points.iter().map(|point| json!([point.secs, point.hz, point.pressure])).collect();
    json!({
        "points": points, "axis": stroke.axis.name(), "radius": stroke.radius,
        "hardness": stroke.hardness, "strength": stroke.strength, "build_up": stroke.build_up,
    })
}

pub(super) fn selection(selection: &Selection) -> Value {
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
            let rows: Vec<&[f32]> = cells.values.chunks(cells.size[1]).collect();
            json!({"shape": "mask", "time": cells.secs, "frequency": cells.hz, "values": rows})
        }
        Shape::Group(group) => json!({"shape": "group", "shapes": selection(group)}),
    }
}

fn found(find: &Find) -> Value {
    let kind = find.kind();
    match find {
        Find::Clicks { threshold } => json!({"shape": kind, "threshold": threshold}),
        Find::Hum { f0_hz, count, width_hz, prominence_db } => json!({
            "shape": kind, "f0": f0_hz, "count": count, "width": width_hz, "prominence_db": prominence_db,
        }),
        Find::Clipping { level } => json!({"shape": kind, "level": level}),
        Find::Alike { secs, hz, similarity } => {
            let mut object = json!({"shape": kind, "time": secs, "similarity": similarity});
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

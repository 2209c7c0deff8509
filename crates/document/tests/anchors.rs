//! Anchors: an anchored edit equals the same edit with numbers, resolved for each sound.

use base::{ErrorKind, Progress, Result};
use document::labels::{Label, LabelSet};
use document::{AnchorFound, LabelledSound, NamedScript, PaintStep, PaintWatch, Script, Snapshot};
use engine::Engine;
use media::Source;
use serde_json::{Value, json};
use std::path::Path;
use support::measure::changed;
use support::signals::noise;
use support::snapshots::{bits, open, samples};
use support::wav::clip;

const RATE: u32 = 8_000;

#[derive(Default)]
struct CollectedNotes {
    notices: Vec<String>,
    anchors: Vec<AnchorFound>,
}

impl PaintWatch for CollectedNotes {
    fn step<T>(&mut self, _: PaintStep, work: impl FnOnce(&Progress) -> Result<T>) -> Result<T> {
        work(&Progress::new())
    }

    fn add_notices(&mut self, notices: Vec<String>) {
        self.notices.extend(notices);
    }

    fn anchored(&mut self, anchor: AnchorFound) {
        self.anchors.push(anchor);
    }
}

/// Two seconds of noise with three coughs, a song and a marker.
fn labelled() -> LabelledSound {
    let ranged = |secs, text: &str| Label::new(secs, text);
    let labels = vec![
        Label { confidence: Some(0.25), ..ranged([0.5, 0.625], "cough") },
        ranged([1.0, 1.25], "cough B"),
        ranged([1.5, 1.75], "cough"),
        Label { low_hz: Some(1_000.0), high_hz: Some(3_000.0), ..ranged([0.25, 0.75], "song") },
        ranged([1.9, 1.9], "mark"),
    ];
    let source = Source::from_channels(vec![noise(2 * RATE as usize, 0.1, 3)], RATE).unwrap();
    LabelledSound { snapshot: Snapshot::new(source), labels: LabelSet::of(labels).unwrap(), next_label_id: 100 }
}

fn script(edits: &[Value]) -> Script {
    let text = json!({"version": 1, "transform": {"n_fft": 256, "hop": 64}, "edits": edits}).to_string();
    Script::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn run_on(sound: LabelledSound, edits: &[Value]) -> Result<(LabelledSound, CollectedNotes)> {
    let script = script(edits);
    let mut noted = CollectedNotes::default();
    let named = NamedScript { script: &script, path: Path::new("s.json") };
    let after = named.run(sound, &Engine::cpu(), &mut noted, &mut |_| ())?;
    Ok((after, noted))
}

fn run(edits: &[Value]) -> (Snapshot, CollectedNotes) {
    let (after, noted) = run_on(labelled(), edits).unwrap();
    (after.snapshot, noted)
}

fn assert_same(anchored: &[Value], written: &[Value]) -> CollectedNotes {
    let (found, noted) = run(anchored);
    let (wanted, _) = run(written);
    assert!(bits(&samples(&found, 0)) == bits(&samples(&wanted, 0)), "{anchored:?} is not {written:?}");
    let (untouched, _) = run(&[]);
    assert!(bits(&samples(&found, 0)) != bits(&samples(&untouched, 0)), "{anchored:?} does nothing");
    noted
}

fn gain(time: [f64; 2], anchor: Option<Value>) -> Value {
    let mut edit = json!({"brush": {"kind": "gain", "gain_db": -20.0}, "select": {"time": time}});
    if let Some(anchor) = anchor {
        edit["anchor"] = anchor;
    }
    edit
}

#[test]
fn times_count_from_what_is_found() {
    let at = |anchor: Value, time: [f64; 2], whole: [f64; 2]| {
        assert_same(&[gain(time, Some(anchor))], &[gain(whole, None)]);
    };
    at(json!({"to": "start", "plus": 0.25}), [0.0, 0.5], [0.25, 0.75]);
    at(json!({"to": "end"}), [-0.5, -0.25], [1.5, 1.75]);
    at(json!({"to": "label", "text": "cough"}), [-0.125, 0.125], [0.375, 0.625]);
    at(json!({"to": "label", "text": "cough", "n": 1}), [0.0, 0.125], [1.5, 1.625]);
    at(json!({"to": "label", "text": "cough*", "n": 1, "edge": "end"}), [-0.125, 0.125], [1.125, 1.375]);
    at(json!({"to": "label", "text": "co*B", "edge": "span"}), [0.0, 0.5], [1.0, 1.125]);
    at(json!({"to": "label", "n": 1}), [0.0, 0.125], [0.5, 0.625]);
    let noted = assert_same(
        &[gain([0.0, 0.0625], Some(json!({"to": "label", "text": "cough", "n": "each"})))],
        &[gain([1.5, 1.5625], None), gain([0.5, 0.5625], None)],
    );
    let found: Vec<(usize, Option<&str>, [f64; 2], f64)> =
        noted.anchors.iter().map(|found| (found.edit, found.text.as_deref(), found.time, found.margin)).collect();
    assert_eq!(found, [(0, Some("cough"), [1.5, 1.75], 1.0), (0, Some("cough"), [0.5, 0.625], 0.25)]);
}

#[test]
fn a_band_and_strokes_and_times_of_brushes_are_laid_over_it() {
    let span = json!({"to": "label", "text": "song", "edge": "span", "band": true});
    let erase = |select: Value| json!({"brush": {"kind": "erase"}, "select": select});
    let anchored = |mut edit: Value, anchor: &Value| {
        edit["anchor"] = anchor.clone();
        edit
    };
    assert_same(
        &[anchored(erase(json!({"time": [0.0, 1.0], "frequency": [0.0, 0.5]})), &span)],
        &[erase(json!({"time": [0.25, 0.75], "frequency": [1000.0, 2000.0]}))],
    );
    let stroke = |points: Value| {
        let stroke = json!({"points": points, "radius": [0.02, 100.0]});
        json!({"brush": {"kind": "gain", "gain_db": -30.0}, "stroke": stroke})
    };
    assert_same(
        &[anchored(stroke(json!([[0.0, 0.25, 1.0], [0.5, 0.5, 1.0]])), &span)],
        &[stroke(json!([[0.25, 1500.0, 1.0], [0.5, 2000.0, 1.0]]))],
    );
    let label = json!({"to": "label", "text": "cough"});
    let denoise = |from: f64, time: [f64; 2]| {
        let learn = json!([from, from + 0.25]);
        json!({"brush": {"kind": "denoise", "learn": learn}, "select": {"time": time}})
    };
    assert_same(&[anchored(denoise(0.0, [0.5, 1.0]), &label)], &[denoise(0.5, [1.0, 1.5])]);
    let silence = |at: f64| json!({"brush": {"kind": "insert_silence", "at": at, "secs": 0.5}});
    assert_same(&[anchored(silence(0.125), &label)], &[silence(0.625)]);
    let polygon = |from: f64| {
        let points = json!([[from, 500.0], [from + 0.25, 500.0], [from + 0.125, 2000.0]]);
        erase(json!([{"shape": "polygon", "points": points, "feather": [0.01, 50.0]}]))
    };
    assert_same(&[anchored(polygon(0.0), &label)], &[polygon(0.5)]);
}

/// Each label is cut at its original place, though earlier cuts have moved it.
#[test]
fn each_label_is_cut_where_it_was_found() {
    let cut = json!({"brush": {"kind": "delete_time", "fade": 0.0}, "select": {"time": [0.0, 1.0]},
                     "anchor": {"to": "label", "text": "cough*", "n": "each", "edge": "span"}});
    let (after, _) = run_on(labelled(), &[cut]).unwrap();
    let before = samples(&labelled().snapshot, 0);
    let kept = [0..4_000, 5_000..8_000, 10_000..12_000, 14_000..16_000];
    let expected: Vec<f32> = kept.into_iter().flat_map(|run| before[run].to_vec()).collect();
    assert!(bits(&samples(&after.snapshot, 0)) == bits(&expected));
    let left: Vec<String> = after.labels.iter().map(|label| label.text.to_string()).collect();
    assert_eq!(left, ["song", "mark"]);
}

#[test]
fn an_onset_is_where_the_sound_sets_in() {
    let mut sound = vec![0.0f32; 2 * RATE as usize];
    let bursts = [6_000, 11_000];
    for (at, level) in bursts.into_iter().zip([0.5, 0.3]) {
        let tone = |k: usize| level * (std::f32::consts::TAU * 1_000.0 * k as f32 / RATE as f32).sin();
        sound[at..at + 1_000].iter_mut().enumerate().for_each(|(k, sample)| *sample = tone(k));
    }
    let source = Source::from_channels(vec![sound], RATE).unwrap();
    let onset = LabelledSound { snapshot: Snapshot::new(source), labels: LabelSet::default(), next_label_id: 1 };
    let edit = |n: usize| gain([0.0, 0.0625], Some(json!({"to": "onset", "n": n})));
    for (n, burst) in bursts.into_iter().enumerate() {
        let (_, noted) = run_on(onset.clone(), &[edit(n)]).unwrap();
        let found = noted.anchors[0].time[0] * f64::from(RATE);
        assert!((found - burst as f64).abs() <= 40.0, "onset {n} at sample {found}, not {burst}");
        assert!(noted.anchors[0].margin > 0.5, "{:?}", noted.anchors);
    }
    let error = run_on(onset, &[edit(2)]).err().unwrap();
    assert_eq!(error.message(), "edits[0]: there is no onset number 2, as there are 2, counted from 0");
}

#[test]
fn speech_and_pauses_are_anchors() {
    let spoken = samples(&open(&clip("speech_16k_mono.wav")), 0)[8_000..48_000].to_vec();
    let still = |seed| noise(24_000, 0.0005, seed);
    let source = Source::from_channels(vec![[still(1), spoken, still(2)].concat()], 16_000).unwrap();
    let sound = LabelledSound { snapshot: Snapshot::new(source), labels: LabelSet::default(), next_label_id: 1 };
    let before = samples(&sound.snapshot, 0);
    let found = |edit: Value| {
        let (after, noted) = run_on(sound.clone(), &[edit]).unwrap();
        let changed = changed(&before, &samples(&after.snapshot, 0));
        (noted.anchors, changed)
    };
    // The first changed sample is at the start of the speech.
    let (first, changes) = found(gain([0.0, 0.5], Some(json!({"to": "speech"}))));
    assert!((1.2..2.0).contains(&first[0].time[0]) && first[0].margin > 0.5 && first[0].to == "speech", "{first:?}");
    let start = first[0].time[0] * 16_000.0;
    assert!((changes[0] as f64 - start).abs() < 600.0, "{} is not {start}", changes[0]);
    // Every pause is changed over its whole length, the last one first; the speech between them stays unchanged.
    let (pauses, changes) = found(gain([0.0, 1.0], Some(json!({"to": "pause", "n": "each", "edge": "span"}))));
    let (last, first) = (pauses.first().unwrap(), pauses.last().unwrap());
    assert!(first.time[0] == 0.0 && (last.time[1] - 5.5).abs() < 1e-9 && last.margin > 0.5, "{pauses:?}");
    assert!(pauses.iter().all(|pause| pause.to == "pause" && pause.time[1] - pause.time[0] >= 0.2));
    let lies_in = |at: f64| pauses.iter().any(|pause| pause.time[0] - 0.05 <= at && at <= pause.time[1] + 0.05);
    assert!(changes.iter().all(|at| lies_in(*at as f64 / 16_000.0)) && changes.len() > 30_000, "{}", changes.len());
    let error = run_on(labelled(), &[gain([0.0, 0.1], Some(json!({"to": "speech"})))]).err().unwrap();
    assert_eq!(error.message(), "edits[0]: there is no speech");
    let low = Source::from_channels(vec![vec![0.1; 8_000]], 7_000).unwrap();
    let low = LabelledSound { snapshot: Snapshot::new(low), ..sound };
    let error = run_on(low, &[gain([0.0, 0.1], Some(json!({"to": "pause"})))]).err().unwrap();
    assert_eq!(error.message(), "edits[0]: speech isolation needs at least 8,000 samples a second");
}

#[test]
fn what_is_not_there_is_said_with_its_place_or_skipped() {
    let plain = gain([0.0, 0.1], None);
    let says = |anchor: Value, what: &str| {
        let error = run_on(labelled(), &[plain.clone(), plain.clone(), gain([0.0, 0.1], Some(anchor))]).err().unwrap();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Script, what));
        assert_eq!(error.path(), Some(Path::new("s.json")));
    };
    says(json!({"to": "label", "text": "sneeze*"}), "edits[2]: there is no label \"sneeze*\"");
    says(json!({"to": "label", "text": "sneeze", "n": "each"}), "edits[2]: there is no label \"sneeze\"");
    says(
        json!({"to": "label", "text": "cough", "n": 2}),
        "edits[2]: there is no label \"cough\" number 2, as there are 2, counted from 0",
    );
    let marker = json!({"to": "label", "text": "mark", "edge": "span"});
    says(marker, "edits[2]: the label \"mark\" is a marker, which no times can fill");
    let band = json!({"to": "label", "text": "cough", "band": true});
    says(band, "edits[2]: the label \"cough\" has no band that frequencies could fill");
    let skipped = gain([0.0, 0.1], Some(json!({"to": "label", "text": "sneeze", "optional": true})));
    let (sound, noted) = run(&[skipped]);
    assert!(bits(&samples(&sound, 0)) == bits(&samples(&labelled().snapshot, 0)));
    assert_eq!(noted.notices, ["edits[0]: skipped, as what it is anchored to is not there"]);
}

#[test]
fn anchors_are_read_and_written_and_refused_with_their_place() {
    let anchors = [
        json!({"to": "start"}),
        json!({"to": "end", "plus": -1.5}),
        json!({"to": "onset", "n": 3, "optional": true}),
        json!({"to": "speech", "edge": "end"}),
        json!({"to": "pause", "n": "each", "edge": "span"}),
        json!({"to": "label", "text": "a?*", "n": "each", "edge": "span", "plus": 0.5, "band": true}),
    ];
    let read = script(&anchors.clone().map(|anchor| gain([0.0, 1.0], Some(anchor))));
    assert_eq!(read.anchors.len(), 6);
    let written = read.to_json();
    assert_eq!(Script::parse(&written).unwrap(), read);
    let value: Value = serde_json::from_str(&written).unwrap();
    let again: Vec<&Value> = value["edits"].as_array().unwrap().iter().map(|edit| &edit["anchor"]).collect();
    assert_eq!(again, anchors.iter().collect::<Vec<_>>());
    let refused = |anchor: Value, what: &str| {
        let text = json!({"version": 1, "edits": [gain([0.0, 1.0], Some(anchor))]}).to_string();
        let error = Script::parse(&text).unwrap_err();
        assert_eq!(error.message(), format!("edits[0].anchor{what}"));
    };
    refused(json!({}), ": to is missing");
    refused(json!(3), ": must be an object");
    refused(json!({"to": "beat"}), ".to: \"beat\" is unknown; use start, end, label, onset, speech, pause");
    refused(json!({"to": "label", "n": -1}), ".n: must be a whole number, 0 or more");
    refused(json!({"to": "label", "n": "all"}), ".n: must be a whole number, 0 or more, or \"each\"");
    refused(json!({"to": "label", "edge": "middle"}), ".edge: \"middle\" is unknown; use start, end, span");
    refused(json!({"to": "start", "text": "a"}), ".text: says nothing of an anchor to start; leave it out");
    refused(json!({"to": "onset", "band": true}), ".band: says nothing of an anchor to onset; leave it out");
    refused(json!({"to": "pause", "band": true}), ".band: says nothing of an anchor to pause; leave it out");
    refused(json!({"to": "label", "txet": "a"}), ": the field \"txet\" is unknown");
    let cells =
        json!({"version": 1, "edits": [{"brush": {"kind": "cells", "file": "a.exr"}, "anchor": {"to": "end"}}]});
    let error = Script::parse(&cells.to_string()).unwrap_err();
    assert_eq!(error.message(), "edits[0].anchor: cells cannot be anchored; leave it out");
}

#[test]
fn what_an_edit_cannot_do_is_said_with_its_place() {
    let gain = json!({"brush": {"kind": "gain", "gain_db": -1}});
    for (edit, kind, what) in [
        (json!({"brush": {"kind": "delete_time"}}), ErrorKind::Script, "This would leave nothing."),
        (
            json!({"brush": {"kind": "delete_time"}, "select": {"time": [5, 6]}}),
            ErrorKind::Script,
            "Select a time range to cut.",
        ),
        (
            json!({"brush": {"kind": "insert_silence", "at": 0, "secs": 1e9}}),
            ErrorKind::Limit,
            "a file cannot hold a sound this long; add less",
        ),
        (
            json!({"brush": {"kind": "lengthen", "secs": 1e308}}),
            ErrorKind::Limit,
            "a file cannot hold a sound this long; add less",
        ),
    ] {
        let error = run_on(labelled(), &[gain.clone(), gain.clone(), edit]).map(drop).unwrap_err();
        assert_eq!((error.kind(), error.message()), (kind, &*format!("edits[2]: {what}")));
        assert_eq!(error.path(), Some(Path::new("s.json")));
    }
}

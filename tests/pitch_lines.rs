//! The pitch line: drawn over the picture where the sound has a pitch, kept up to date, and saved as a table, by the
//! window and by `sonobrush pitch`.

use crate::previews::document;
use crate::support::program::Place;
use crate::support::studio::{Bench, CTRL, Drawing, NONE, has_gpu};
use crate::support::wav::{Format, Wav};
use egui::{Key, Pos2, Shape, pos2};
use sonobrush::document::brushes::Gain;
use sonobrush::document::{Edit, Snapshot};
use sonobrush::dsp::pitch::pitch_line::VOICED;
use sonobrush::dsp::{Axis, Point};
use sonobrush::media::Source;
use sonobrush::workbench::commands::{EditCommand, FileCommand, ViewCommand};
use sonobrush::workbench::{DocumentAct, Picked, Severity, Tool};
use std::f64::consts::TAU;

/// A tone of five harmonics that glides by an octave a second, and as much silence behind it.
fn glide(secs: f64, rate: f64) -> Vec<f32> {
    let n = (secs * rate) as usize;
    let sample = |at: usize| {
        let turns = 220.0 * ((at as f64 / rate).exp2() - 1.0) / 2f64.ln();
        (1..=5).map(|k| 0.15 * (TAU * turns * f64::from(k)).sin() / f64::from(k)).sum::<f64>() as f32
    };
    (0..2 * n).map(|at| if at < n { sample(at) } else { 0.0 }).collect()
}

/// The pitch of that at a time.
fn hz(secs: f64) -> f64 {
    220.0 * secs.exp2()
}

/// Rows of a table: seconds, hertz, confidence.
fn rows(text: &str) -> Vec<[f64; 3]> {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("seconds,hertz,confidence"));
    let row = |line: &str| -> [f64; 3] {
        let numbers: Vec<f64> = line.split(',').map(|number| number.parse().unwrap()).collect();
        numbers.try_into().unwrap()
    };
    lines.map(row).collect()
}

/// Asserts that a table follows the glide, and has no pitch in the silence.
fn check(rows: &[[f64; 3]], secs: f64) {
    assert_eq!(rows.len(), (2.0 * secs / 0.016) as usize);
    for (at, [time, found_hz, confidence]) in rows.iter().enumerate() {
        assert!((time - 0.016 * at as f64).abs() < 1e-6);
        if (0.1..secs - 0.1).contains(time) {
            let cents = 1_200.0 * (found_hz / hz(*time)).log2();
            assert!(*confidence >= VOICED && cents.abs() < 30.0, "{cents} cents at {time} s, {confidence}");
        } else if *time > secs + 0.1 {
            assert_eq!(*confidence, 0.0, "at {time} s");
        }
    }
}

#[test]
fn the_command_writes_a_table() {
    let place = Place::new();
    let stored = glide(1.0, 44_100.0).iter().map(|x| (f64::from(*x) * 32_768.0).round() as i64).collect();
    Wav { format: Format::Pcm(16), rate: 44_100, channels: vec![stored] }.write(&place.path("in.wav"));
    let reported = place.done(&["pitch", "in.wav", "-o", "out.csv"]);
    assert!(reported.starts_with("in.wav: ") && reported.ends_with(" % has a pitch\n"), "{reported}");
    check(&rows(&std::fs::read_to_string(place.path("out.csv")).unwrap()), 1.0);
    for (output, part) in [("out.txt", "would contain a table"), ("none/out.csv", "none")] {
        let line = place.failed(&["pitch", "in.wav", "-o", output]);
        assert!(line.contains(part) && !place.path(output).exists(), "{line}");
    }
    let line = place.failed(&["pitch", "missing.wav", "-o", "new.csv"]);
    assert!(line.contains("missing.wav") && !place.path("new.csv").exists(), "{line}");
}

fn bench(drawing: Drawing) -> Bench {
    let mut bench = Bench::with_clip(drawing, "crow_44k_mono.flac");
    bench.show(Snapshot::new(Source::from_channels(vec![glide(1.0, 16_000.0)], 16_000).unwrap()));
    bench
}

/// The points of every line that is drawn.
fn paths(shape: &Shape) -> Vec<Vec<Pos2>> {
    match shape {
        Shape::Path(path) => vec![path.points.clone()],
        Shape::Vec(all) => all.iter().flat_map(paths).collect(),
        _ => Vec::new(),
    }
}

/// Lines of many points that lie on the glide, as the picture is seen.
fn drawn(bench: &Bench) -> usize {
    let viewport = bench.studio().viewport().unwrap();
    let is_near = |at: &Pos2| {
        let secs = viewport.secs_from_x(f64::from(at.x));
        (0.0..1.0).contains(&secs) && (viewport.y_from_hz(hz(secs)) - f64::from(at.y)).abs() < 8.0
    };
    let lines = bench.harness.output().shapes.iter().flat_map(|clipped| paths(&clipped.shape));
    lines.filter(|line| line.len() > 20 && line.iter().filter(|at| is_near(at)).count() * 10 > line.len() * 8).count()
}

#[test]
fn the_line_is_drawn_on_the_pitch_and_follows_edits() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    assert_eq!(drawn(&bench), 0);
    bench.act(ViewCommand::PitchLine);
    bench.settle();
    assert!(document(&bench).view().pitch_line && document(&bench).pitch_line().is_some());
    assert!(drawn(&bench) > 0, "it is drawn where the tone is");
    let before = document(&bench).pitch_line().cloned().unwrap();
    let transform = document(&bench).view().transform.clone();
    bench.act(DocumentAct::Edit(Box::new(Edit::of(Gain { gain_db: -60.0 }, transform))));
    bench.settle();
    let after = document(&bench).pitch_line().cloned().unwrap();
    assert!(after != before && after.points().iter().all(|point| point.confidence < VOICED), "nothing is heard");
    assert_eq!(drawn(&bench), 0);
    bench.act(EditCommand::Undo);
    bench.settle();
    assert_eq!(document(&bench).pitch_line(), Some(&before));
    bench.act(ViewCommand::PitchLine);
    bench.settle();
    assert!(document(&bench).pitch_line().is_none() && drawn(&bench) == 0);
}

/// The points of the last stroke.
fn drawn_points(bench: &Bench) -> Vec<Point> {
    let history = document(bench).history();
    let edit = history.entries()[history.position()].edit.clone().unwrap();
    edit.stroke.unwrap().points
}

#[test]
fn a_stroke_begun_near_the_line_follows_it_while_snapping_is_on() {
    if !has_gpu() {
        return;
    }
    let mut bench = bench(Drawing::Wgpu);
    bench.set_view(|view| (view.axis, view.secs, view.hz) = (Axis::Log, [0.0, 1.2], [100.0, 2_000.0]));
    bench.pick(Tool::GAIN);
    bench.act(ViewCommand::PitchLine);
    bench.settle();
    // A few points below the line and above it, in strides of 0.3 s; then off it, where the pen is.
    let place = |bench: &Bench, secs: f64, by_points: f32| {
        let viewport = bench.studio().viewport().unwrap();
        pos2(viewport.x_from_secs(secs) as f32, viewport.y_from_hz(hz(secs)) as f32 + by_points)
    };
    let course = [(0.15, 5.0), (0.45, -5.0), (0.75, 4.0), (0.85, 60.0)];
    let places: Vec<Pos2> = course.iter().map(|&(secs, by)| place(&bench, secs, by)).collect();
    let cents = |point: &Point| 1_200.0 * (point.hz / hz(point.secs)).log2().abs();
    bench.drag(&places);
    let free = drawn_points(&bench);
    assert!(free.len() <= 5 && free.iter().all(|point| cents(point) > 20.0), "off: what the pointer says: {free:?}");
    bench.key(CTRL, Key::Z);

    bench.key(NONE, Key::N);
    bench.settle();
    bench.drag(&places);
    let points = drawn_points(&bench);
    let (off, on) = points.split_last().unwrap();
    assert!(on.len() > 30 && cents(off) > 200.0, "{} points", on.len());
    let line = document(&bench).pitch_line().cloned();
    bench.key(CTRL, Key::Z);
    bench.settle();
    assert!(line.is_some() && on.iter().all(|point| cents(point) < 30.0), "{points:?}");
    assert!(on.is_sorted_by(|a, b| a.secs < b.secs), "it goes along in time");
    // Every 16 ms a point: the chord between two of the pointer's would be off.
    assert!(on.windows(2).all(|pair| pair[1].secs - pair[0].secs < 0.017));

    // Begun off the line it stays with the pointer, though it crosses the line.
    let places = [(0.15, 60.0), (0.45, 2.0), (0.75, 60.0)].map(|(secs, by)| place(&bench, secs, by));
    bench.drag(&places);
    let points = drawn_points(&bench);
    let viewport = bench.studio().viewport().unwrap();
    let under = viewport.hz_from_y(f64::from(places[1].y));
    assert!(points.len() <= 4 && (points[1].hz - under).abs() < 1e-6, "{points:?}, {under}");
    bench.key(CTRL, Key::Z);
    // With the line hidden there is nothing to follow.
    bench.act(ViewCommand::PitchLine);
    bench.settle();
    let places: Vec<Pos2> = course.iter().map(|&(secs, by)| place(&bench, secs, by)).collect();
    bench.drag(&places);
    assert_eq!(drawn_points(&bench), free);
}

#[test]
fn the_line_is_saved_as_a_table_from_the_window() {
    let mut bench = bench(Drawing::None);
    let path = bench.out("line.csv");
    bench.dialogs.answer(Picked::File(path.clone()));
    bench.act(FileCommand::SavePitch);
    bench.settle();
    assert_eq!(bench.notices().pop(), Some((Severity::Info, "Saved the pitch line as line.csv.".to_owned())));
    let text = std::fs::read_to_string(&path).unwrap();
    check(&rows(&text), 1.0);
    bench.act(ViewCommand::PitchLine);
    bench.settle();
    assert_eq!(document(&bench).pitch_line().unwrap().csv(), text, "it is the line that is drawn");
}

//! Measures a stroke on 24 rows per octave, half a second by half an octave at 1 kHz: each step while it is drawn, and
//! its release. Measured in ten seconds of sound and in an hour, which must take equally long.

use super::stopwatch::{RATE_HZ, Stopwatch};
use crate::base::{Progress, Result};
use crate::document::brushes::{Blur, Brush, Gain, Noise, Smudge, Warp};
use crate::document::{Edit, PenDown, Snapshot, StrokeSession, apply};
use crate::dsp::strokes::brush::WarpMode;
use crate::dsp::transforms::rows::RowsParams;
use crate::dsp::{Axis, Point, Selection, StftParams, Stroke, Transform};
use crate::engine::Engine;
use crate::media::Source;

const SECS: [u64; 2] = [10, 3600];
/// Number of points before the measured steps.
const N_POINTS: usize = 200;

pub(super) fn measure(stopwatch: &mut Stopwatch<'_>) -> Result<()> {
    for secs in SECS {
        let name = format!("rows_24_stroke_step_gain_{secs}s");
        if stopwatch.wants(&name)? {
            step(stopwatch, &name, &sound(secs)?)?;
        }
        for brush in released() {
            let name = format!("rows_24_stroke_commit_{}_{secs}s", brush.kind());
            if stopwatch.wants(&name)? {
                commit(stopwatch, &name, &sound(secs)?, brush)?;
            }
        }
    }
    Ok(())
}

const GAIN: Brush = Brush::Gain(Gain { gain_db: -12.0 });

/// A brush that works cell by cell, one that reads neighbouring cells, and two that move sound.
fn released() -> [Brush; 4] {
    let blur = Blur { sigma: [0.02, 0.1], sigma_axis: Axis::Log, rebuild_phase: false };
    [GAIN, blur.into(), Warp { mode: WarpMode::Push, peak_locking: true }.into(), Smudge.into()]
}

/// Silence, except for four seconds of noise.
fn sound(secs: u64) -> Result<Snapshot> {
    let silence = Snapshot::new(Source::silence(secs * RATE_HZ as u64, RATE_HZ as u32, 1)?);
    let select = Some(Selection::rectangle(Some([3.0, 7.0]), None, [0.0; 2], Axis::Linear));
    let noise = edit(Noise { level_db: -20.0, seed: 1 }.into(), None, StftParams::default());
    Ok(apply(&silence, &Edit { select, ..noise }, &Engine::cpu(), &Progress::new())?.snapshot)
}

fn edit(brush: Brush, stroke: Option<Stroke>, transform: impl Into<Transform>) -> Edit {
    Edit { stroke, ..Edit::of(brush, transform) }
}

fn stroke(points: Vec<Point>) -> Option<Stroke> {
    let radius = [0.05, 0.25];
    Some(Stroke { points, axis: Axis::Log, radius, hardness: 0.5, strength: 1.0, build_up: false })
}

fn point(secs: f64) -> Point {
    Point { secs, hz: 1000.0, pressure: 1.0 }
}

/// Measures a pointer event that adds a point; the points move back and forth within half a second.
fn step(stopwatch: &mut Stopwatch<'_>, name: &str, sound: &Snapshot) -> Result<()> {
    let engine = stopwatch.engine;
    let at = |i: usize| point(5.0 + 0.2 * (i as f64 * 0.1).sin());
    let pen_down = PenDown { snapshot: sound.clone(), pending: Vec::new(), engine: engine.clone() };
    let mut session = StrokeSession::begin(pen_down, &edit(GAIN, stroke(Vec::new()), RowsParams::music()))?;
    session.extend(&(0..N_POINTS).map(at).collect::<Vec<Point>>())?;
    stopwatch.time_on(
        name,
        &mut (session, N_POINTS),
        |_| Ok(()),
        |(session, n_given)| {
            session.extend(&[at(*n_given)])?;
            *n_given += 1;
            engine.finish();
            Ok(())
        },
    )
}

fn commit(stopwatch: &mut Stopwatch<'_>, name: &str, sound: &Snapshot, brush: Brush) -> Result<()> {
    let engine = stopwatch.engine;
    let drawn = edit(brush, stroke(vec![point(4.8), point(5.2)]), RowsParams::music());
    stopwatch.time(name, || {
        apply(sound, &drawn, engine, &Progress::new())?;
        engine.finish();
        Ok(())
    })
}

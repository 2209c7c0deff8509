//! A stroke is one session: its previews equal its release, and a step costs only what its new points affect,
//! regardless of the stroke's length.

use base::Progress;
use base::trace::{self, Lane, Recording};
use document::brushes::Brush;
use document::{
    Channels, Edit, EditReport, PenDown, Signal, Snapshot, StrokeCells, StrokeSession, apply, apply_live, grid_of,
    painted_cells,
};
use dsp::selections::mask::{StrokeMask, bounds, evaluate};
use dsp::transforms::rows::RowsParams;
use dsp::{Axis, CellRect, Grid, Point, Region, Selection, StftParams, Stroke};
use engine::{Engine, EnginePass};
use std::time::{Duration, Instant};
use support::engines::engines;
use support::random::Random;
use support::snapshots::busy as sound;
use support::strokes::{every_brush, every_edit, with_points};

fn named(edit: &Edit) -> String {
    let build_up = edit.stroke.as_ref().is_some_and(|stroke| stroke.build_up);
    format!("{}{}", edit.brush.kind(), if build_up { ", built up" } else { "" })
}

/// Repeatedly around an ellipse, also to the left of its start.
fn scribble(n: usize, pressure: impl Fn(usize) -> f64) -> Vec<Point> {
    let at = |i: usize| {
        let turn = i as f64 * 0.21;
        Point { secs: 0.7 + 0.12 * turn.sin(), hz: 1500.0 + 700.0 * (0.9 * turn).cos(), pressure: pressure(i) }
    };
    (0..n).map(at).collect()
}

fn begin(snapshot: &Snapshot, edit: &Edit, engine: &Engine) -> StrokeSession {
    let pen_down = PenDown { snapshot: snapshot.clone(), pending: Vec::new(), engine: engine.clone() };
    StrokeSession::begin(pen_down, &with_points(edit, &[])).unwrap()
}

/// The cells on screen: those at pen-down, overwritten by those that the session returned.
struct Screen {
    cells: Vec<Region>,
    is_marked: bool,
}

impl Screen {
    fn new(sound: &Snapshot, edit: &Edit, engine: &Engine) -> Screen {
        let grid = grid_of(sound, edit, engine.plans()).unwrap();
        let (all, plan) = (grid.all_cells(), engine.plans().get(grid.transform().stft().unwrap()).into());
        let of_channel = |channel| {
            let mut samples = vec![0.0; grid.n_samples_under(all.frames.len())];
            sound.read(channel, grid.first_sample_under(0), &mut samples).unwrap();
            engine.download(engine.analyse(&plan, &samples, &all).unwrap()).unwrap()
        };
        Screen { cells: (0..sound.n_channels()).map(of_channel).collect(), is_marked: false }
    }

    fn draw(&mut self, given: Option<StrokeCells>) {
        let Some(StrokeCells { signals, is_marked, engine, .. }) = given else { return };
        self.is_marked |= is_marked;
        for (screen, cells) in self.cells.iter_mut().zip(signals) {
            let cells = engine.download(cells).unwrap();
            if screen.rect.contains(&cells.rect) && !is_marked {
                screen.paste(&cells);
            }
        }
    }
}

/// The largest complex difference of two cells, relative to the largest magnitude of `b`.
fn distance(a: &Region, b: &Region) -> f64 {
    let parts = |magnitude: f32, phase: f32| {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(phase)).sin_cos();
        [f64::from(magnitude) * cos, f64::from(magnitude) * sin]
    };
    let cells = a.magnitude.iter().zip(&a.phase).zip(b.magnitude.iter().zip(&b.phase));
    let apart = cells.map(|((ma, pa), (mb, pb))| {
        let (a, b) = (parts(*ma, *pa), parts(*mb, *pb));
        (a[0] - b[0]).hypot(a[1] - b[1])
    });
    let loudest = b.magnitude.iter().fold(0.0f32, |max, m| max.max(*m));
    apart.fold(0.0, f64::max) / f64::from(loudest)
}

fn same_bits(a: &Region, b: &Region) -> bool {
    let same = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits());
    a.rect == b.rect && same(&a.magnitude, &b.magnitude) && same(&a.phase, &b.phase)
}

#[test]
fn what_is_drawn_is_what_the_release_paints() {
    let sound = sound(2, 1.5);
    for engine in engines() {
        // A software adapter is slow.
        let n_points = if engine.gpu().is_some() { 16 } else { 40 };
        for (i, edit) in every_brush().into_iter().enumerate() {
            // Constant pressure, as of a mouse, and varying pressure, as of a pen.
            let points = scribble(n_points, |at| if i % 2 == 0 { 0.8 } else { 0.5 + 0.4 * (at as f64 * 0.3).sin() });
            let name = format!("{}, {}", named(&edit), engine.name());
            let mut session = begin(&sound, &edit, engine);
            let mut screen = Screen::new(&sound, &edit, engine);
            let mut early = Screen::new(&sound, &edit, engine);
            early.draw(begin(&sound, &edit, engine).extend(&points[..n_points / 2]).unwrap());
            for group in points.chunks(7) {
                screen.draw(session.extend(group).unwrap());
            }
            screen.draw(session.finish().unwrap());
            let is_marked = matches!(edit.brush, Brush::RebuildPhase(_));
            assert_eq!(screen.is_marked, is_marked, "{name}");
            if is_marked {
                continue;
            }
            let whole = with_points(session.edit(), &points);
            let signals = [Signal::Channel(0), Signal::Channel(1)];
            let committed = painted_cells(&sound, &whole, &signals, engine, usize::MAX).unwrap().unwrap();
            for (signal, committed) in committed.into_iter().enumerate() {
                let committed = engine.download(committed).unwrap();
                let drawn = screen.cells[signal].crop(&committed.rect);
                let apart = distance(&drawn, &committed);
                match engine.gpu() {
                    None => assert!(same_bits(&drawn, &committed), "{name}: {apart}"),
                    Some(_) => assert!(apart <= 1e-6, "{name}: {apart}"),
                }
                let early = distance(&early.cells[signal].crop(&committed.rect), &committed);
                assert!(early > 1e-4, "control: half of the stroke, {name}: {early}");
            }
        }
    }
}

#[test]
fn what_is_heard_of_a_stroke_is_its_sound_so_far() {
    let sound = sound(2, 1.5);
    for engine in engines() {
        for edit in every_brush() {
            let points = scribble(30, |_| 0.8);
            let name = format!("{}, {}", named(&edit), engine.name());
            let mut session = begin(&sound, &edit, engine);
            for group in points.chunks(15) {
                session.add(group);
                session.sound(&Progress::new()).unwrap();
            }
            session.finish().unwrap();
            let heard = session.sound(&Progress::new()).unwrap();
            let whole = with_points(session.edit(), &points);
            let live = apply_live(&sound, &whole, engine, &Progress::new()).unwrap().snapshot;
            for channel in 0..2 {
                let n = sound.n_samples() as usize;
                let read = |snapshot: &Snapshot| {
                    let mut samples = vec![0.0; n];
                    snapshot.read(channel, 0, &mut samples).unwrap();
                    samples
                };
                let (heard, live, before) = (read(&heard), read(&live), read(&sound));
                let apart =
                    |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from((a - b).abs())).fold(0.0, f64::max);
                match engine.gpu() {
                    None => assert_eq!(heard, live, "{name}"),
                    Some(_) => assert!(apart(&heard, &live) <= 1e-6, "{name}: {}", apart(&heard, &live)),
                }
                assert!(apart(&live, &before) > 1e-4 || matches!(edit.brush, Brush::RebuildPhase(_)), "{name}");
            }
        }
    }
}

#[test]
fn a_step_of_a_long_stroke_costs_that_of_a_short_one() {
    // Whole rounds, so that the steps that are compared reach the same places.
    const ROUND: usize = 30;
    const SHORT: usize = 7 * ROUND;
    // Five times as long; with `scripts/test --long` fourteen times.
    let is_long = std::env::var_os("SONOBRUSH_LONG_TESTS").is_some();
    let long_points = if is_long { 100 * ROUND } else { 35 * ROUND };
    let sound = sound(1, 1.5);
    let engine = Engine::cpu();
    let transform = StftParams { n_fft: 512, hop: 128, ..StftParams::default() };
    let points: Vec<Point> = (0..long_points + ROUND)
        .map(|i| {
            let (sin, cos) = (std::f64::consts::TAU * i as f64 / ROUND as f64).sin_cos();
            Point { secs: 0.7 + 0.12 * sin, hz: 1500.0 + 700.0 * cos, pressure: 0.5 + 0.3 * cos }
        })
        .collect();
    for edit in every_brush() {
        let edit = Edit { transform: transform.into(), ..edit };
        for is_audible in [false, true] {
            let mut session = begin(&sound, &edit, &engine);
            let mut n_given = 0;
            let mut visits_from = |n: usize| {
                session.extend(&points[n_given..n]).unwrap();
                n_given = n + ROUND;
                let before = session.n_visits();
                for points in points[n..n_given].chunks(if is_audible { 10 } else { 1 }) {
                    if is_audible {
                        session.add(points);
                        session.sound(&Progress::new()).unwrap();
                    } else {
                        session.extend(points).unwrap();
                    }
                }
                session.n_visits() - before
            };
            let [short, long] = [SHORT, long_points].map(&mut visits_from);
            let heard = if is_audible { ", heard" } else { "" };
            assert!(short > 0 && long as f64 <= 1.1 * short as f64, "{}{heard}: {short}, {long}", named(&edit));
        }
    }
    // Control: rebuilding the mask from all points at each step visits more cells.
    let stroke = with_points(&every_brush()[0], &points).stroke.unwrap();
    let grid = sound.grid(transform);
    let of = |n: usize| StrokeMask::of(&grid, &Stroke { points: stroke.points[..n].to_vec(), ..stroke.clone() });
    assert!(of(long_points).n_visits() > 3 * of(SHORT).n_visits());
}

#[test]
fn the_mask_of_a_growing_stroke_has_the_bits_of_the_whole() {
    let mut random = Random::new(7);
    let transform = StftParams { n_fft: 512, hop: 128, ..StftParams::default() };
    let grid = Grid::new(transform, 16_000.0, 24_000);
    let all = CellRect::new(0..grid.n_frames(), 0..grid.n_bins());
    for trial in 0..40 {
        let axis = [Axis::Linear, Axis::Log, Axis::Mel, Axis::Bark][trial % 4];
        let is_even = trial % 3 == 0;
        let points = (0..1 + random.below(40)).map(|_| Point {
            secs: random.between(-0.1, 1.6),
            hz: random.between(20.0, 8000.0),
            pressure: if is_even { 0.7 } else { random.between(0.0, 1.0) },
        });
        let stroke = Stroke {
            points: points.collect(),
            axis,
            radius: [random.between(0.005, 0.2), if axis == Axis::Linear { 300.0 } else { 0.5 }],
            hardness: random.between(0.0, 1.0),
            strength: random.between(0.1, 1.0),
            build_up: false,
        };
        let select = Selection::rectangle(Some([0.3, 1.0]), Some([500.0, 3000.0]), [0.05, 200.0], Axis::Linear);
        let select = Some(select).filter(|_| trial % 2 == 0);
        let mut drawn = StrokeMask::new(&grid, &stroke);
        let mut rest = &stroke.points[..];
        while !rest.is_empty() {
            let (group, later) = rest.split_at(1 + random.below(rest.len()));
            drawn.extend(group);
            rest = later;
        }
        assert_eq!(drawn.bounds(), bounds(&grid, Some(&stroke), None), "trial {trial}");
        let part = CellRect::new(10..60, 3..200);
        for rect in [&all, &part] {
            let whole = evaluate(&grid, Some(&stroke), select.as_ref(), 1.0, rect);
            assert!(drawn.evaluate(select.as_ref(), rect) == whole, "trial {trial}");
        }
        // Control: without the last point, the mask differs.
        if stroke.points.len() > 3 {
            let part = Stroke { points: stroke.points[..stroke.points.len() - 1].to_vec(), ..stroke.clone() };
            let end = StrokeMask::of(&grid, &part);
            let differs = end.evaluate(None, &all) != drawn.evaluate(None, &all);
            assert!(differs || stroke.points.last().unwrap().pressure < 0.9, "trial {trial}");
        }
    }
}

#[test]
fn a_session_commits_what_apply_makes() {
    let sound = sound(1, 1.5);
    let engine = Engine::cpu();
    let edit = Edit { channels: Channels::List(vec![0]), ..every_edit()[0].clone() };
    let points = scribble(12, |_| 1.0);
    let mut session = begin(&sound, &edit, &engine);
    session.extend(&points).unwrap();
    session.finish().unwrap();
    let committed = session.commit(&Progress::new()).unwrap();
    let applied = apply(&sound, &with_points(&edit, &points), &engine, &Progress::new()).unwrap();
    let untimed = |report: &EditReport| {
        let passes = report.passes.iter().map(|pass| EnginePass { ms: None, ..pass.clone() }).collect();
        EditReport { passes, ..report.clone() }
    };
    assert_eq!(untimed(&committed.report), untimed(&applied.report));
    assert_eq!(committed.changed, applied.changed);
    let mut early = begin(&sound, &edit, &engine);
    early.extend(&points[..6]).unwrap();
    assert_ne!(early.commit(&Progress::new()).unwrap().changed, applied.changed, "control: half of the stroke");
}

/// Brushes whose kernel runs on the CPU, so that a step reads cells back and uploads them.
const KERNELS_ON_CPU: [&str; 2] = ["denoise", "denoise, built up"];

#[test]
fn a_step_is_one_submission() {
    let Some(gpu) = support::gpu::own_gpu() else { return };
    let engine = Engine::on(gpu.clone());
    let sound = sound(2, 1.5);
    let points = scribble(16, |_| 0.8);
    let louder = |cells: StrokeCells| {
        let mut signals = cells.signals.into_iter();
        let mut louder = signals.next().unwrap();
        for other in signals {
            cells.engine.keep_louder(&mut louder, &other)?;
        }
        Ok(louder)
    };
    let mut counts = Vec::new();
    let gain = every_brush().into_iter().find(|edit| matches!(edit.brush, Brush::Gain(_))).unwrap();
    let on_rows = Edit { transform: RowsParams::log(12).with_fmin_hz(200.0).into(), ..gain };
    for edit in every_brush().into_iter().chain([on_rows]) {
        let mut session = begin(&sound, &edit, &engine);
        session.step(&points[..8], false, louder).unwrap();
        for group in points[8..].chunks(4) {
            let before = gpu.submissions();
            let shown = session.step(group, false, louder).unwrap();
            let n = gpu.submissions() - before;
            counts.push((named(&edit), shown.is_some(), n));
        }
    }
    let wrong: Vec<_> = counts
        .iter()
        .filter(|(name, is_shown, n)| !KERNELS_ON_CPU.contains(&name.as_str()) && *n != u64::from(*is_shown))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(counts.iter().filter(|(_, is_shown, _)| *is_shown).count() > 10, "{counts:?}");
    // The control: without a step, each call submits.
    let before = gpu.submissions();
    let edit = &every_brush()[0];
    louder(begin(&sound, edit, &engine).extend(&points).unwrap().unwrap()).unwrap();
    assert!(gpu.submissions() - before > 1);
}

#[test]
fn later_steps_analyse_nothing() {
    let Some(gpu) = support::gpu::own_gpu().filter(|gpu| gpu.has_timestamps()) else { return };
    let engine = Engine::on(gpu.clone());
    let sound = sound(2, 1.5);
    let blur = every_brush().into_iter().find(|edit| matches!(edit.brush, Brush::Blur(_))).unwrap();
    // Marked until its release, as phases are rebuilt from the whole stroke.
    let rebuilt = every_brush().into_iter().find(|edit| edit.brush.kind() == "rebuild_phase").unwrap();
    for (edit, kernel) in [(blur, "blur"), (rebuilt, "gain")] {
        let points = scribble(40, |_| 0.8);
        let mut session = begin(&sound, &edit, &engine);
        // The passes of a step on the device, once the trace contains the kernel, which is recorded after the analysis.
        let mut passes_of = |points: &[Point]| {
            let recording = Recording::start();
            session.step(points, false, Ok).unwrap().unwrap();
            let patience = Instant::now() + Duration::from_secs(20);
            loop {
                gpu.finish();
                let trace = recording.trace();
                let own = trace.events.iter().filter(|event| event.thread == trace::thread_number());
                let passes: Vec<String> =
                    own.filter(|event| event.lane == Lane::GpuPass).map(|event| event.name.to_string()).collect();
                if passes.iter().any(|pass| pass == kernel) || Instant::now() > patience {
                    return passes;
                }
            }
        };
        let first = passes_of(&points[..30]);
        assert!(first.iter().any(|pass| pass == "stft_unpack"), "{first:?}");
        let second = passes_of(&points[30..]);
        assert!(second.iter().any(|pass| pass == kernel), "{second:?}");
        assert!(!second.iter().any(|pass| pass.starts_with("stft") || pass.starts_with("fft")), "{second:?}");
    }
}

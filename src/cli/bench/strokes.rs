//! Measures a step of a stroke while it is drawn, after 200 and after 20,000 points: its time must depend only on the
//! new points.

use super::stopwatch::{RATE_HZ, Stopwatch, noise};
use crate::base::Result;
use crate::document::brushes::Brush;
use crate::document::{Channels, Edit, PenDown, Snapshot, StrokeSession};
use crate::dsp::{Axis, Point, StftParams, Stroke};
use crate::media::Source;

/// Number of points before the measured steps.
const LENGTHS: [usize; 2] = [200, 20_000];
const SECS: usize = 6;
/// Size of the brushes' neighbourhoods, in seconds and hertz.
const SIGMA: [f64; 2] = [0.01, 60.0];

/// The point with this index of a pointer that moves in circles, in small steps.
fn point(i: usize) -> Point {
    let turn = i as f64 * 0.1;
    Point { secs: 3.0 + 0.2 * turn.sin(), hz: 2000.0 + 500.0 * turn.cos(), pressure: 1.0 }
}

pub(super) fn measure(stopwatch: &mut Stopwatch<'_>) -> Result<()> {
    let sound = Snapshot::new(Source::from_channels(vec![noise(SECS * RATE_HZ as usize)], RATE_HZ as u32)?);
    for brush in Brush::first_trials(SIGMA).into_iter().filter(Brush::is_seen_live) {
        for build_up in [false, true] {
            if build_up && !brush.builds_up() {
                continue;
            }
            let name = format!("stroke_step_{}{}", brush.kind(), if build_up { "_built_up" } else { "" });
            let names = LENGTHS.map(|n| format!("{name}_{n}"));
            let wanted = [stopwatch.wants(&names[0])?, stopwatch.wants(&names[1])?];
            if wanted.contains(&true) {
                measure_steps(stopwatch, &names, wanted, &sound, &edit(brush.clone(), build_up))?;
            }
        }
    }
    Ok(())
}

fn edit(brush: Brush, build_up: bool) -> Edit {
    let radius = [0.03, 150.0];
    let stroke = Stroke { points: Vec::new(), axis: Axis::Linear, radius, hardness: 0.5, strength: 1.0, build_up };
    Edit {
        brush,
        stroke: Some(stroke),
        select: None,
        channels: Channels::All,
        transform: StftParams::default().into(),
        strength: 1.0,
        consistency_steps: Some(0),
    }
}

fn measure_steps(
    stopwatch: &mut Stopwatch<'_>,
    names: &[String; 2],
    wanted: [bool; 2],
    sound: &Snapshot,
    edit: &Edit,
) -> Result<()> {
    let engine = stopwatch.engine;
    let pen_down = PenDown { snapshot: sound.clone(), pending: Vec::new(), engine: engine.clone() };
    let mut state = (StrokeSession::begin(pen_down, edit)?, 0);
    for ((name, n_points), _) in names.iter().zip(LENGTHS).zip(wanted).filter(|(_, wanted)| *wanted) {
        let (session, n_given) = &mut state;
        while *n_given < n_points {
            let end = n_points.min(*n_given + 500);
            session.extend(&(*n_given..end).map(point).collect::<Vec<Point>>())?;
            *n_given = end;
        }
        stopwatch.time_on(
            name,
            &mut state,
            |_| Ok(()),
            |(session, n_given)| {
                session.extend(&[point(*n_given)])?;
                *n_given += 1;
                engine.finish();
                Ok(())
            },
        )?;
    }
    Ok(())
}

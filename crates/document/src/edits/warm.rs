//! Warm-up: creates what the first step of a stroke needs (pipelines, plans, threads, code from disk) by painting a
//! fraction of a second of noise with every kernel.

use super::apply::{apply, painted_cells};
use super::wand::resolved;
use crate::base::{Progress, Result};
use crate::document::brushes::{Brush, Locality};
use crate::dsp::cells::planes;
use crate::dsp::signal::noise::noise_samples;
use crate::dsp::{Axis, Grid, Point, Stroke, Transform};
use crate::engine::Engine;
use crate::media::Source;
use crate::{Channels, Edit, Signal, Snapshot};

/// Sample rate of the noise, which is arbitrary.
const RATE_HZ: u32 = 48_000;

/// Number of windows of noise painted.
const N_WINDOWS: usize = 4;

/// Number of frames typically affected by a step of a stroke.
const N_FRAMES: usize = 256;

/// Warms up an engine for strokes on a transform. Takes some milliseconds on the CPU, and about a second where
/// pipelines must be compiled, so run it on its own thread.
///
/// # Errors
/// As [`apply`], and [`Cancelled`](crate::base::ErrorKind::Cancelled) between two brushes.
pub fn warm_up(transform: &Transform, engine: &Engine, progress: &Progress) -> Result<()> {
    engine.warm_up(transform)?;
    let Transform::Stft(params) = transform else { return Ok(()) };
    planes::ready(N_FRAMES * params.n_bins());
    let noise = noise_samples(0, 0, 0, N_WINDOWS * params.window_len(), 0.1);
    let sound = Snapshot::new(Source::from_channels(vec![noise], RATE_HZ)?);
    let grid = sound.grid(transform);
    let middle_secs = grid.duration_secs() / 2.0;
    let radius = [middle_secs / 4.0, grid.hz_from_bin(4.0)];
    let point =
        |part: f64| Point { secs: middle_secs + part * radius[0], hz: 4000.0 + part * radius[1], pressure: 1.0 };
    let stroke = Stroke {
        points: vec![point(0.0), point(0.5)],
        axis: Axis::Linear,
        radius,
        hardness: 0.5,
        strength: 1.0,
        build_up: false,
    };
    for brush in brushes(&grid, radius) {
        progress.check()?;
        let edit = Edit {
            brush,
            stroke: Some(stroke.clone()),
            select: None,
            channels: Channels::All,
            transform: transform.clone(),
            strength: 1.0,
            consistency_steps: Some(0),
        };
        let edit = resolved(&sound, &edit, engine.plans(), progress)?;
        painted_cells(&sound, &edit, &[Signal::Channel(0)], engine, usize::MAX)?;
        apply(&sound, &edit, engine, progress)?;
    }
    Ok(())
}

/// One brush of each kind.
fn brushes(grid: &Grid, radius: [f64; 2]) -> Vec<Brush> {
    // Leaves out brushes whose kernel would be too long at a short hop.
    let reaches = |brush: &Brush| brush.locality() == Locality::Whole || brush.cell_kernel(grid).is_ok();
    Brush::first_trials(radius.map(|radius| radius / 4.0)).into_iter().filter(reaches).collect()
}

//! Measures latencies of painting: from a pointer event to the texture, from a released stroke to the player's ring
//! buffer, and of undo.

use super::stopwatch::{RATE_HZ, Stopwatch, noise};
use super::tiles::draw;
use crate::base::{Error, ErrorKind, Progress, Result};
use crate::document::brushes::{Blur, Brush, Gain, Noise};
use crate::document::{Edit, History, Snapshot, apply};
use crate::dsp::selections::mask;
use crate::dsp::{Axis, CellRect, Grid, GridPlan, Point, Region, StftParams, Stroke};
use crate::gpu::Gpu;
use crate::media::Source;
use crate::playback::{Player, Recorder, RecordingOutput};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Duration of the document in seconds: three minutes of stereo are typical.
const SECS: usize = 180;
const TIMEOUT: Duration = Duration::from_secs(20);
/// Number of frames per audio callback.
const CALLBACK_FRAMES: usize = 256;

pub(super) fn measure(stopwatch: &mut Stopwatch<'_>) -> Result<()> {
    // With the CPU engine, any adapter draws the cells.
    let canvas = stopwatch.engine.gpu().cloned().or_else(|| Gpu::headless(None).ok());
    if let Some(gpu) = canvas {
        if stopwatch.wants("texture_update_512x512")? {
            texture_update(stopwatch, &gpu)?;
        }
        if stopwatch.wants("pointer_to_texture")? {
            pointer_to_texture(stopwatch, &gpu)?;
        }
    }
    if stopwatch.wants("release_to_ring")? {
        release_to_ring(stopwatch)?;
    }
    if stopwatch.wants("undo")? {
        undo(stopwatch)?;
    }
    Ok(())
}

fn stroke(points: Vec<[f64; 2]>) -> Stroke {
    let points = points.into_iter().map(|[secs, hz]| Point { secs, hz, pressure: 1.0 }).collect();
    Stroke { points, axis: Axis::Log, radius: [0.1, 0.5], hardness: 0.5, strength: 1.0, build_up: false }
}

/// A stroke of one second.
fn edit(brush: Brush) -> Edit {
    Edit {
        stroke: Some(stroke(vec![[30.0, 800.0], [30.5, 2000.0], [31.0, 1000.0]])),
        ..Edit::of(brush, StftParams::default())
    }
}

fn texture_update(stopwatch: &mut Stopwatch<'_>, gpu: &Arc<Gpu>) -> Result<()> {
    let rect = CellRect::new(0..512, 0..512);
    let planes = gpu.plane_textures(&CellRect::new(0..512, 0..1025))?;
    let magnitude = noise(rect.n_cells());
    let region = stopwatch.engine.upload(Region { rect, phase: magnitude.clone(), magnitude })?;
    stopwatch.time("texture_update_512x512", || {
        draw(gpu, &region, &planes)?;
        gpu.finish();
        Ok(())
    })
}

/// Measures a pointer event of a blur brush, 0.2 s by an octave, from the samples at pen-down to the texture.
fn pointer_to_texture(stopwatch: &mut Stopwatch<'_>, gpu: &Arc<Gpu>) -> Result<()> {
    let engine = stopwatch.engine;
    let samples = noise(4 * RATE_HZ as usize);
    let grid = Grid::new(StftParams::default(), RATE_HZ, samples.len() as u64);
    let all = grid.all_cells();
    let (plan, planes) = (GridPlan::from(engine.plans().get(grid.transform().stft()?)), gpu.plane_textures(&all)?);
    let kernel =
        Brush::Blur(Blur { sigma: [0.02, 60.0], sigma_axis: Axis::Linear, rebuild_phase: false }).cell_kernel(&grid)?;
    let [halo_frames, halo_bins] = kernel.halo();
    let mut so_far = stroke(vec![[1.0, 1000.0], [1.02, 1020.0], [1.03, 1040.0]]);
    stopwatch.time_on(
        "pointer_to_texture",
        &mut so_far,
        |_| Ok(()),
        |so_far| {
            // The pointer moves in circles, in small steps.
            let n = so_far.points.len();
            let turn = n as f64 * 0.1;
            so_far.points.push(Point { secs: 1.5 + 0.4 * turn.sin(), hz: 2000.0 + 900.0 * turn.cos(), pressure: 1.0 });
            let new = Stroke { points: so_far.points[n - 1..].to_vec(), ..so_far.clone() };
            let rect = mask::bounds(&grid, Some(&new), None);
            let mask = mask::evaluate(&grid, Some(so_far), None, 1.0, &rect);
            let read = rect.grown(halo_frames, halo_bins, &all);
            let first = grid.first_sample_under(read.frames.start);
            let at = |i: i64| usize::try_from(first + i).ok().and_then(|i| samples.get(i)).copied().unwrap_or(0.0);
            let under: Vec<f32> = (0..grid.n_samples_under(read.frames.len()) as i64).map(at).collect();
            let after = engine.in_one_submission(|engine| {
                let before = engine.analyse(&plan, &under, &read)?;
                engine.run(&kernel, &before, &mask)
            })?;
            draw(gpu, &after, &planes)?;
            gpu.finish();
            Ok(())
        },
    )
}

/// Measures from the release of a stroke, in a loop that is playing, to its first sample in the device's buffer.
fn release_to_ring(stopwatch: &mut Stopwatch<'_>) -> Result<()> {
    let engine = stopwatch.engine;
    let silence = Snapshot::new(Source::silence((SECS as f64 * RATE_HZ) as u64, RATE_HZ as u32, 2)?);
    // Added to silence, so that its first sample in the output is recognised.
    let edit = edit(Brush::Noise(Noise { level_db: -20.0, seed: 1 }));
    let (output, recorder) = RecordingOutput::new(None, 2);
    let player = Player::new(Box::new(output));
    player.load(Some(&silence));
    let at = |secs: f64| (secs * RATE_HZ) as u64;
    player.play(at(30.2), at(30.2)..at(30.8), true);
    let mut listener = Listener { recorder, n_audible: 0 };
    let unpaint = |listener: &mut Listener| {
        player.load(Some(&silence));
        listener.drain_silence()
    };
    stopwatch.time_on("release_to_ring", &mut listener, unpaint, |listener| {
        let applied = apply(&silence, &edit, engine, &Progress::new())?;
        player.load(Some(&applied.snapshot));
        listener.drain_sound()
    })
}

/// The reading end of the player's ring buffer.
struct Listener {
    recorder: Recorder,
    n_audible: usize,
}

impl Listener {
    /// Runs the next callback. Returns whether its output is silent, and its number of samples.
    fn drain(&mut self) -> Result<(bool, usize)> {
        if !self.recorder.pull_ready(CALLBACK_FRAMES, TIMEOUT) {
            return Err(Error::new(ErrorKind::Audio, "the player produced no sound to measure"));
        }
        let new = self.recorder.samples_from(self.n_audible);
        self.n_audible += new.len();
        Ok((new.iter().all(|sample| *sample == 0.0), new.len()))
    }

    fn drain_sound(&mut self) -> Result<()> {
        let deadline = Instant::now() + TIMEOUT;
        while self.drain()?.0 {
            if Instant::now() > deadline {
                return Err(Error::new(ErrorKind::Audio, "the player did not play the edit"));
            }
        }
        Ok(())
    }

    /// Reads until the output has been silent for longer than the ring buffer and a crossfade.
    fn drain_silence(&mut self) -> Result<()> {
        let mut n_left = (0.2 * RATE_HZ) as usize;
        while n_left > 0 {
            n_left = match self.drain()? {
                (true, n) => n_left.saturating_sub(n),
                (false, _) => (0.2 * RATE_HZ) as usize,
            };
        }
        Ok(())
    }
}

/// Measures a step of undo or redo, with the analysis of the changed samples.
fn undo(stopwatch: &mut Stopwatch<'_>) -> Result<()> {
    let engine = stopwatch.engine;
    let channels = vec![noise(SECS * RATE_HZ as usize); 2];
    let mut history = History::new(Snapshot::new(Source::from_channels(channels, RATE_HZ as u32)?));
    let edit = edit(Brush::Gain(Gain { gain_db: -12.0 }));
    let applied = apply(history.current(), &edit, engine, &Progress::new())?;
    history.push(edit, applied.snapshot);
    let grid = history.current().grid(StftParams::default());
    let plan = GridPlan::from(engine.plans().get(grid.transform().stft()?));
    stopwatch.time_on(
        "undo",
        &mut history,
        |_| Ok(()),
        |history| {
            let before = history.current().clone();
            if !history.undo() {
                history.redo();
            }
            let now = history.current();
            for channel in 0..now.n_channels() {
                for range in now.differing(&before, channel) {
                    let frames = grid.frames_over(&range);
                    let mut samples = vec![0.0; grid.n_samples_under(frames.len())];
                    now.read(channel, grid.first_sample_under(frames.start), &mut samples)?;
                    engine.analyse(&plan, &samples, &grid.all_bins(frames))?;
                }
            }
            engine.finish();
            Ok(())
        },
    )
}

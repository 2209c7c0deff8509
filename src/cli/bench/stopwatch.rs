//! Measures work: the median duration of many runs, and the time in GPU passes.

use super::report::Line;
use crate::base::trace::{Lane, Recording};
use crate::base::{Progress, Result};
use crate::engine::Engine;
use std::time::{Duration, Instant};

/// Sample rate of all measured sounds.
pub(super) const RATE_HZ: f64 = 44_100.0;

const MIN_RUNS: usize = 5;
const MAX_RUNS: usize = 101;
/// Time after which a measurement stops, once it has its minimum number of runs.
const TIME_PER_NAME: Duration = Duration::from_secs(1);
/// Time after which fewer than `MIN_RUNS` runs suffice.
const LONG: Duration = Duration::from_secs(6);
/// Number of runs with timestamps.
const TIMED_RUNS: usize = 5;

/// Runs the requested measurements on one engine.
pub(super) struct Stopwatch<'a> {
    pub(super) engine: &'a Engine,
    only: Option<&'a str>,
    progress: &'a Progress,
    pub(super) lines: Vec<Line>,
    n_names: u64,
}

/// Upper bound on the number of names, for the progress bar.
const N_NAMES_ESTIMATE: u64 = 133;

impl Stopwatch<'_> {
    /// A stopwatch for names that contain `only`, or for all.
    pub(super) fn new<'a>(engine: &'a Engine, only: Option<&'a str>, progress: &'a Progress) -> Stopwatch<'a> {
        Stopwatch { engine, only, progress, lines: Vec::new(), n_names: 0 }
    }

    /// Whether a benchmark is to be measured; callers prepare inputs only then. Advances the progress.
    pub(super) fn wants(&mut self, name: &str) -> Result<bool> {
        self.n_names += 1;
        self.progress.step(self.n_names.min(N_NAMES_ESTIMATE), N_NAMES_ESTIMATE)?;
        Ok(self.only.is_none_or(|only| name.contains(only)))
    }

    /// Measures repeated runs until the result is reliable.
    pub(super) fn time(&mut self, name: &str, run: impl Fn() -> Result<()>) -> Result<()> {
        self.time_on(name, &mut (), |()| Ok(()), |()| run())
    }

    /// Measures work on a state that `ready` prepares before each run, outside the measured time.
    pub(super) fn time_on<S>(
        &mut self,
        name: &str,
        state: &mut S,
        ready: impl Fn(&mut S) -> Result<()>,
        run: impl Fn(&mut S) -> Result<()>,
    ) -> Result<()> {
        let began = Instant::now();
        ready(state)?;
        run(state)?;
        let mut millis = Vec::new();
        // A long run is repeated only once after the warm-up.
        let is_long = began.elapsed() > LONG;
        let began = Instant::now();
        let goes_on = |n: usize, elapsed: Duration| match n {
            0 => true,
            1 | 2 => !is_long,
            n if n < MIN_RUNS => elapsed < LONG,
            n => n < MAX_RUNS && elapsed < TIME_PER_NAME,
        };
        while goes_on(millis.len(), began.elapsed()) {
            self.progress.check()?;
            ready(state)?;
            let started = Instant::now();
            run(state)?;
            millis.push(started.elapsed().as_secs_f64() * 1e3);
        }
        let on_device = self.on_device(began.elapsed() / millis.len() as u32, state, ready, run)?;
        let median_ms = quantile(&mut millis, 0.5);
        let mut off: Vec<f64> = millis.iter().map(|ms| (ms - median_ms).abs()).collect();
        self.lines.push(Line {
            name: name.into(),
            engine: self.engine.name().into(),
            median_ms,
            p99_ms: quantile(&mut millis, 0.99),
            mad_ms: quantile(&mut off, 0.5),
            gpu_ms: on_device.map(|[millis, _]| millis),
            pass_part: on_device.map(|[_, part]| part),
            runs: millis.len(),
        });
        Ok(())
    }

    /// Milliseconds that a run spends in GPU passes, and their fraction of the time between the start of the first pass
    /// and the end of the last; medians of several runs. `None` without timestamps.
    fn on_device<S>(
        &self,
        one: Duration,
        state: &mut S,
        ready: impl Fn(&mut S) -> Result<()>,
        run: impl Fn(&mut S) -> Result<()>,
    ) -> Result<Option<[f64; 2]>> {
        let Some(gpu) = self.engine.gpu() else { return Ok(None) };
        if !gpu.has_timestamps() {
            return Ok(None);
        }
        let (mut millis, mut parts) = (Vec::new(), Vec::new());
        for _ in 0..if one > LONG / 8 { 1 } else { TIMED_RUNS } {
            ready(state)?;
            gpu.finish();
            let recording = Recording::start();
            run(state)?;
            // Timestamps arrive with the poll after the one that finds the work complete.
            gpu.finish();
            let events = recording.trace().events;
            let passes = || events.iter().filter(|event| event.lane == Lane::GpuPass);
            let inside: u64 = passes().map(|pass| pass.nanos).sum();
            let start = passes().map(|pass| pass.start_nanos).min().unwrap_or(0);
            let end = passes().map(|pass| pass.start_nanos + pass.nanos).max().unwrap_or(0);
            millis.push(inside as f64 / 1e6);
            parts.push(inside as f64 / (end - start).max(1) as f64);
        }
        Ok(Some([quantile(&mut millis, 0.5), quantile(&mut parts, 0.5)]).filter(|[ms, _]| *ms > 0.0))
    }
}

/// The quantile at `part` (0 to 1) by nearest rank: the smallest value with at least that fraction at or below it.
fn quantile(values: &mut [f64], part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(((values.len() as f64 * part).ceil() as usize).max(1) - 1).copied().unwrap_or(0.0)
}

/// White noise between -0.5 and 0.5, the same in each call.
pub(super) fn noise(n_samples: usize) -> Vec<f32> {
    let mut state = 0x2545_f491u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as f32 / 16_777_216.0 - 0.5
    };
    (0..n_samples).map(|_| next()).collect()
}

//! `sonobrush bench`: how fast transforms, brushes and what a painter waits for are on this machine, per engine.
//!
//! Everything is repeated on ready inputs after a run that does not count. The time of a run ends when its work is
//! done, on the device too (submit to done); beside it stands what the device itself took, by its timestamps, from runs
//! of their own, since asking for timestamps takes time.

mod baseline;
mod brushes;
mod studio;
mod transforms;

use super::args::Bench;
use super::terminal::Terminal;
use super::{adapter_of, engine_for};
use crate::base::trace::{Lane, Recording};
use crate::base::{EngineChoice, Error, ErrorKind, Progress, Result, Settings, read_small_file};
use crate::engine::Engine;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

const RATE_HZ: f64 = 44_100.0;

const LEAST_RUNS: usize = 5;
const MOST_RUNS: usize = 101;
/// A measurement stops after this, once it has its least runs.
const TIME_PER_NAME: Duration = Duration::from_secs(1);
/// What takes long is run less often than the least.
const LONG: Duration = Duration::from_secs(6);
/// Runs with timestamps.
const TIMED_RUNS: usize = 5;
const MOST_BASELINE_BYTES: u64 = 16 << 20;

#[derive(Serialize, Deserialize)]
struct Report {
    machine: String,
    adapter: Option<String>,
    results: Vec<Line>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Line {
    name: String,
    engine: String,
    /// The middle run, from its start until its work was done.
    median_ms: f64,
    p99_ms: f64,
    /// Median absolute deviation.
    mad_ms: f64,
    /// The middle run's passes on the device, by timestamps.
    #[serde(default)]
    gpu_ms: Option<f64>,
    runs: usize,
}

/// Measures what is wanted on one engine.
struct Stopwatch<'a> {
    engine: &'a Engine,
    only: Option<&'a str>,
    progress: &'a Progress,
    lines: Vec<Line>,
    n_names: u64,
}

/// More than there are names, for the progress bar.
const ABOUT_NAMES: u64 = 68;

impl Stopwatch<'_> {
    /// Whether a name is to be measured: what it needs is made only then.
    fn wants(&mut self, name: &str) -> Result<bool> {
        self.n_names += 1;
        self.progress.step(self.n_names.min(ABOUT_NAMES), ABOUT_NAMES)?;
        Ok(self.only.is_none_or(|only| name.contains(only)))
    }

    /// Runs until there are enough to say something.
    fn time(&mut self, name: &str, run: impl Fn() -> Result<()>) -> Result<()> {
        self.time_on(name, &mut (), |()| Ok(()), |()| run())
    }

    /// The same of work on something that is made ready before each run, which does not count.
    fn time_on<S>(
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
        // What takes very long is run once more, and that counts.
        let is_long = began.elapsed() > LONG;
        let began = Instant::now();
        let goes_on = |n: usize, elapsed: Duration| match n {
            0 => true,
            1 | 2 => !is_long,
            n if n < LEAST_RUNS => elapsed < LONG,
            n => n < MOST_RUNS && elapsed < TIME_PER_NAME,
        };
        while goes_on(millis.len(), began.elapsed()) {
            self.progress.check()?;
            ready(state)?;
            let started = Instant::now();
            run(state)?;
            millis.push(started.elapsed().as_secs_f64() * 1e3);
        }
        let gpu_ms = self.device_ms(began.elapsed() / millis.len() as u32, state, ready, run)?;
        let median_ms = quantile(&mut millis, 0.5);
        let mut off: Vec<f64> = millis.iter().map(|ms| (ms - median_ms).abs()).collect();
        self.lines.push(Line {
            name: name.into(),
            engine: self.engine.name().into(),
            median_ms,
            p99_ms: quantile(&mut millis, 0.99),
            mad_ms: quantile(&mut off, 0.5),
            gpu_ms,
            runs: millis.len(),
        });
        Ok(())
    }

    /// What the device takes for a run; none without timestamps.
    fn device_ms<S>(
        &self,
        one: Duration,
        state: &mut S,
        ready: impl Fn(&mut S) -> Result<()>,
        run: impl Fn(&mut S) -> Result<()>,
    ) -> Result<Option<f64>> {
        let Engine::Gpu(gpu) = self.engine else { return Ok(None) };
        if !gpu.has_timestamps() {
            return Ok(None);
        }
        let mut millis = Vec::new();
        for _ in 0..if one > LONG / 8 { 1 } else { TIMED_RUNS } {
            ready(state)?;
            gpu.finish();
            let recording = Recording::start();
            run(state)?;
            // Timestamps come back with the poll after the one that found the work done.
            gpu.finish();
            let events = recording.trace().events;
            let nanos: u64 = events.iter().filter(|event| event.lane == Lane::GpuPass).map(|event| event.nanos).sum();
            millis.push(nanos as f64 / 1e6);
        }
        Ok(Some(quantile(&mut millis, 0.5)).filter(|ms| *ms > 0.0))
    }
}

/// The least value that so much of all values does not exceed.
fn quantile(values: &mut [f64], part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(((values.len() as f64 * part).ceil() as usize).max(1) - 1).copied().unwrap_or(0.0)
}

pub(super) fn run(typed: &Bench, settings: &Settings, terminal: &Terminal) -> Result<()> {
    // A baseline that cannot be read is told before minutes of work.
    let baseline = typed.baseline.as_deref().map(|path| {
        let bytes = read_small_file(path, MOST_BASELINE_BYTES)?;
        serde_json::from_slice::<Report>(&bytes)
            .map_err(|_| Error::new(ErrorKind::Malformed, "is not what sonobrush bench --json writes").at(path))
    });
    let baseline = baseline.transpose()?;
    let engines = match settings.engine {
        EngineChoice::Cpu => vec![Engine::Cpu],
        EngineChoice::Gpu => vec![engine_for(settings)?.engine],
        EngineChoice::Auto => {
            let gpu = engine_for(&Settings { engine: EngineChoice::Gpu, ..settings.clone() });
            let gpu = gpu.map(|chosen| chosen.engine).inspect_err(|error| {
                terminal.notices(&[format!("the GPU is not measured: {error}")]);
            });
            std::iter::once(Engine::Cpu).chain(gpu).collect()
        }
    };
    let adapter = engines.iter().find_map(adapter_of);
    let mut results = Vec::new();
    for engine in &engines {
        let measured = terminal.with_progress(engine.name(), |progress| {
            let only = typed.only.as_deref();
            let mut stopwatch = Stopwatch { engine, only, progress, lines: Vec::new(), n_names: 0 };
            transforms::measure(&mut stopwatch)?;
            brushes::measure(&mut stopwatch)?;
            studio::measure(&mut stopwatch)?;
            Ok(stopwatch.lines)
        })?;
        results.extend(measured);
    }
    let report = Report { machine: machine(), adapter, results };
    if typed.json {
        terminal.print_json(&report)?;
    } else {
        terminal.print(&text_of(&report))?;
    }
    match baseline {
        Some(baseline) => {
            terminal.notices(&baseline::notices(&report, &baseline));
            baseline::check(&report, &baseline)
        }
        None => Ok(()),
    }
}

fn text_of(report: &Report) -> String {
    let mut text = format!("{}\n", report.machine);
    if let Some(adapter) = &report.adapter {
        text += &format!("{adapter}\n");
    }
    for line in &report.results {
        let device = line.gpu_ms.map_or(String::new(), |ms| format!("   on the device {ms:>10.3} ms"));
        text += &format!(
            "{:<28} {:<4} {:>10.3} ms   99 % under {:>10.3} ms{device}\n",
            line.name, line.engine, line.median_ms, line.p99_ms
        );
    }
    text
}

/// The processor and its threads.
fn machine() -> String {
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let name = name.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    format!("{name}, {n_threads} threads, {}", std::env::consts::OS)
}

/// Noise between -0.5 and 0.5.
fn noise(n_samples: usize) -> Vec<f32> {
    let mut state = 0x2545_f491u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as f32 / 16_777_216.0 - 0.5
    };
    (0..n_samples).map(|_| next()).collect()
}

//! The report of `bench`.

use serde::{Deserialize, Serialize};

/// The output of `bench --json`.
#[derive(Serialize, Deserialize)]
pub struct Report {
    /// The processor and its threads.
    pub machine: String,
    /// The graphics adapter, if one was measured.
    pub adapter: Option<String>,
    /// One line per measurement and engine.
    pub results: Vec<Line>,
}

/// The figures of one measurement on one engine.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Line {
    /// Name of the measurement.
    pub name: String,
    /// Name of the engine.
    pub engine: String,
    /// Median duration of a run, in milliseconds.
    pub median_ms: f64,
    /// 99th percentile of the durations, in milliseconds.
    pub p99_ms: f64,
    /// Median absolute deviation of the durations, in milliseconds.
    pub mad_ms: f64,
    /// Median of the total duration of a run's GPU passes, by timestamps, in milliseconds.
    #[serde(default)]
    pub gpu_ms: Option<f64>,
    /// Fraction of the time between the start of the first pass and the end of the last that is spent in passes, 0 to
    /// 1.
    #[serde(default)]
    pub pass_part: Option<f64>,
    /// Number of runs.
    pub runs: usize,
}

impl Report {
    /// The report as a table.
    pub(super) fn text(&self) -> String {
        let mut text = format!("{}\n", self.machine);
        if let Some(adapter) = &self.adapter {
            text += &format!("{adapter}\n");
        }
        for line in &self.results {
            let part = line.pass_part.map_or(String::new(), |part| format!(" ({:.0} % in passes)", 100.0 * part));
            let device = line.gpu_ms.map_or(String::new(), |ms| format!("   on the device {ms:>10.3} ms{part}"));
            text += &format!(
                "{:<28} {:<4} {:>10.3} ms   99 % under {:>10.3} ms{device}\n",
                line.name, line.engine, line.median_ms, line.p99_ms
            );
        }
        text
    }
}

/// The processor and its threads.
pub(super) fn machine() -> String {
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let name = name.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    format!("{name}, {n_threads} threads, {}", std::env::consts::OS)
}

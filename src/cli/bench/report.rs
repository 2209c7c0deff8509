//! The report of `bench`.

use serde::{Deserialize, Serialize};

/// What `bench --json` prints.
#[derive(Serialize, Deserialize)]
pub(super) struct Report {
    pub(super) machine: String,
    pub(super) adapter: Option<String>,
    pub(super) results: Vec<Line>,
}

/// The figures of one name on one engine.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Line {
    pub(super) name: String,
    pub(super) engine: String,
    /// The middle run, from its start until its work was done.
    pub(super) median_ms: f64,
    pub(super) p99_ms: f64,
    /// Median absolute deviation.
    pub(super) mad_ms: f64,
    /// The middle run's passes on the device, by timestamps.
    #[serde(default)]
    pub(super) gpu_ms: Option<f64>,
    pub(super) runs: usize,
}

impl Report {
    /// As a table for people.
    pub(super) fn text(&self) -> String {
        let mut text = format!("{}\n", self.machine);
        if let Some(adapter) = &self.adapter {
            text += &format!("{adapter}\n");
        }
        for line in &self.results {
            let device = line.gpu_ms.map_or(String::new(), |ms| format!("   on the device {ms:>10.3} ms"));
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

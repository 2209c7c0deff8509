//! Writes a recording as a file for trace viewers and as a table.

use super::event::{Event, Lane};
use crate::base::{Error, Result, write_atomic};
use serde_json::json;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

/// First line of every trace file.
pub const HEAD: &str = "{\"displayTimeUnit\": \"ms\", \"traceEvents\":";
/// First words of every table.
pub const TABLE_HEAD: &str = "span                ";

/// The events of a recording.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trace {
    /// Events in the order in which they ended.
    pub events: Vec<Event>,
    /// Names of threads; index 0 is thread number 1.
    pub threads: Vec<String>,
    /// Number of events that did not fit into the recording.
    pub n_left_out: u64,
}

/// Statistics of all events of one name and lane.
#[derive(Debug, Clone, PartialEq)]
pub struct Total {
    /// Name of the span or pass.
    pub name: String,
    /// Lane of the events.
    pub lane: Lane,
    /// Number of events.
    pub n: usize,
    /// Total time in milliseconds.
    pub total_ms: f64,
    /// Total time without nested spans, in milliseconds.
    pub self_ms: f64,
    /// Median duration in milliseconds.
    pub median_ms: f64,
    /// Longest duration in milliseconds.
    pub longest_ms: f64,
}

/// Process ids in the trace, since viewers show one group per process.
const CPU_PROCESS: u32 = 1;
const GPU_PROCESS: u32 = 2;

impl Trace {
    /// Statistics per name and lane, the largest total first.
    pub fn totals(&self) -> Vec<Total> {
        let mut all: HashMap<(&str, Lane), (Vec<u64>, u64)> = HashMap::new();
        for (event, own) in self.events.iter().zip(self.own_nanos()) {
            let (times, own_sum) = all.entry((&event.name, event.lane)).or_default();
            times.push(event.nanos);
            *own_sum += own;
        }
        let ms = |nanos: u64| nanos as f64 / 1e6;
        let total = |((name, lane), (mut times, own)): ((&str, Lane), (Vec<u64>, u64))| {
            times.sort_unstable();
            Total {
                name: name.to_owned(),
                lane,
                n: times.len(),
                total_ms: ms(times.iter().sum()),
                self_ms: ms(own),
                median_ms: times.get((times.len() - 1) / 2).copied().map_or(0.0, ms),
                longest_ms: times.last().copied().map_or(0.0, ms),
            }
        };
        let mut totals: Vec<Total> = all.into_iter().map(total).collect();
        totals.sort_by(|a, b| b.total_ms.total_cmp(&a.total_ms).then_with(|| a.name.cmp(&b.name)));
        totals
    }

    /// Time of each event not covered by nested events on the same thread.
    fn own_nanos(&self) -> Vec<u64> {
        let mut order: Vec<usize> = (0..self.events.len()).filter(|&i| self.events[i].lane == Lane::Cpu).collect();
        // An enclosing event sorts before those it contains.
        order.sort_by_key(|&i| {
            let event = &self.events[i];
            (event.thread, event.start_nanos, u64::MAX - event.nanos)
        });
        let mut own: Vec<u64> = self.events.iter().map(|event| event.nanos).collect();
        let mut open: Vec<usize> = Vec::new();
        for i in order {
            let event = &self.events[i];
            let holds = |outer: &Event| {
                outer.thread == event.thread && event.start_nanos + event.nanos <= outer.start_nanos + outer.nanos
            };
            while open.last().is_some_and(|&outer| !holds(&self.events[outer])) {
                open.pop();
            }
            if let Some(&outer) = open.last() {
                own[outer] = own[outer].saturating_sub(event.nanos);
            }
            open.push(i);
        }
        own
    }

    /// The statistics as a text table.
    pub fn table(&self) -> String {
        let mut text = format!(
            "{TABLE_HEAD:<32} {:<19} {:>8} {:>12} {:>12} {:>11} {:>11}\n",
            "where", "count", "total ms", "self ms", "median ms", "max ms"
        );
        for total in self.totals() {
            let Total { name, lane, n, total_ms, self_ms, median_ms, longest_ms } = total;
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "{name:<32} {:<19} {n:>8} {total_ms:>12.3} {self_ms:>12.3} {median_ms:>11.3} {longest_ms:>11.3}",
                lane.label()
            );
        }
        if self.n_left_out > 0 {
            let _ = writeln!(text, "{} more events were dropped", self.n_left_out);
        }
        text
    }

    /// Writes the trace as Chrome's and Perfetto's JSON (Trace Event Format, "JSON Object Format"): complete events for
    /// spans and passes, and asynchronous events from submission to completion, since those overlap.
    ///
    /// # Errors
    /// [`Io`](crate::base::ErrorKind::Io); the file is then unchanged.
    pub fn write(&self, path: &Path) -> Result<()> {
        write_atomic(path, |out| self.write_to(out).map_err(|error| Error::io(&error, "written", path)))
    }

    fn write_to(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let name = |what: &str, process: u32, thread: u32, name: &str| json!({"ph": "M", "name": what, "pid": process, "tid": thread, "args": {"name": name}});
        writeln!(out, "{HEAD} [")?;
        write!(out, "{}", name("process_name", CPU_PROCESS, 0, "Sonobrush"))?;
        write!(out, ",\n{}", name("process_name", GPU_PROCESS, 0, "GPU"))?;
        write!(out, ",\n{}", name("thread_name", GPU_PROCESS, 1, "passes"))?;
        for (number, thread) in (1u32..).zip(&self.threads) {
            write!(out, ",\n{}", name("thread_name", CPU_PROCESS, number, thread))?;
        }
        for (id, event) in self.events.iter().enumerate() {
            let (start, duration) = (event.start_nanos as f64 / 1e3, event.nanos as f64 / 1e3);
            let complete = |process: u32, thread: u32, category: &str| {
                json!({"ph": "X", "name": event.name, "cat": category, "pid": process, "tid": thread, "ts": start,
                       "dur": duration})
            };
            match event.lane {
                Lane::Cpu => write!(out, ",\n{}", complete(CPU_PROCESS, event.thread, "cpu"))?,
                Lane::GpuPass => write!(out, ",\n{}", complete(GPU_PROCESS, 1, "gpu"))?,
                Lane::GpuWork => {
                    for (phase, at) in [("b", start), ("e", start + duration)] {
                        let half = json!({"ph": phase, "name": event.name, "cat": "submit to done", "id": id,
                                          "pid": GPU_PROCESS, "tid": 2, "ts": at});
                        write!(out, ",\n{half}")?;
                    }
                }
            }
        }
        writeln!(out, "\n]}}")
    }
}

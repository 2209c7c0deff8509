//! Compares the results with those of an earlier run.

use super::report::{Line, Report};
use crate::base::{Error, ErrorKind, Result};

/// Ratio of medians above which a benchmark counts as slower, if the difference also exceeds `MAX_DEVIATIONS` median
/// absolute deviations.
const MAX_RATIO: f64 = 1.1;
const MAX_DEVIATIONS: f64 = 3.0;

fn is_slower(now: &Line, then: &Line) -> bool {
    let deviation_ms = now.mad_ms.max(then.mad_ms);
    now.median_ms > MAX_RATIO * then.median_ms && now.median_ms - then.median_ms > MAX_DEVIATIONS * deviation_ms
}

fn of<'a>(baseline: &'a Report, line: &Line) -> Option<&'a Line> {
    baseline.results.iter().find(|then| (&then.name, &then.engine) == (&line.name, &line.engine))
}

/// Compares the medians of two reports.
///
/// # Errors
/// [`Limit`](ErrorKind::Limit), which names all benchmarks that are slower.
pub fn check(report: &Report, baseline: &Report) -> Result<()> {
    let pairs = report.results.iter().filter_map(|now| Some((now, of(baseline, now)?)));
    let slower: Vec<String> = pairs
        .filter(|(now, then)| is_slower(now, then))
        .map(|(now, then)| {
            let (name, engine) = (&now.name, &now.engine);
            format!("{name} on the {engine} takes {:.3} ms; the baseline took {:.3} ms", now.median_ms, then.median_ms)
        })
        .collect();
    if slower.is_empty() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Limit, format!("slower than the baseline: {}", slower.join(", "))))
}

/// Notices about limits of the comparison: another machine, or benchmarks missing in the baseline.
pub fn notices(report: &Report, baseline: &Report) -> Vec<String> {
    let mut notices = Vec::new();
    if report.machine != baseline.machine || report.adapter != baseline.adapter {
        notices.push("the baseline is from another machine or adapter".into());
    }
    let new: Vec<&str> =
        report.results.iter().filter(|line| of(baseline, line).is_none()).map(|line| line.name.as_str()).collect();
    if !new.is_empty() {
        notices.push(format!("not in the baseline: {}", new.join(", ")));
    }
    notices
}

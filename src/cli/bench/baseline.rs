//! Results against those of an earlier run.

use super::report::{Line, Report};
use crate::base::{Error, ErrorKind, Result};

/// A median is slower from here on, if it is also beyond what runs differ anyway.
const MOST_RATIO: f64 = 1.1;
const MOST_DEVIATIONS: f64 = 3.0;

fn is_slower(now: &Line, then: &Line) -> bool {
    let deviation_ms = now.mad_ms.max(then.mad_ms);
    now.median_ms > MOST_RATIO * then.median_ms && now.median_ms - then.median_ms > MOST_DEVIATIONS * deviation_ms
}

fn of<'a>(baseline: &'a Report, line: &Line) -> Option<&'a Line> {
    baseline.results.iter().find(|then| (&then.name, &then.engine) == (&line.name, &line.engine))
}

/// # Errors
/// [`Limit`](ErrorKind::Limit), with everything that is slower.
pub(super) fn check(report: &Report, baseline: &Report) -> Result<()> {
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

/// What a comparison cannot tell.
pub(super) fn notices(report: &Report, baseline: &Report) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn report(median_ms: f64, mad_ms: f64) -> Report {
        let (name, engine) = ("blur".to_owned(), "cpu".to_owned());
        let line = Line { name, engine, median_ms, p99_ms: median_ms, mad_ms, gpu_ms: None, runs: 9 };
        Report { machine: String::new(), adapter: None, results: vec![line] }
    }

    #[test]
    fn both_limits_must_be_passed() {
        for (now, then, is_told) in [
            (report(1.0, 0.0), report(1.0, 0.0), false),
            (report(1.09, 0.001), report(1.0, 0.001), false),
            (report(1.2, 0.001), report(1.0, 0.001), true),
            (report(1.2, 0.08), report(1.0, 0.001), false),
            (report(1.2, 0.001), report(1.0, 0.08), false),
            (report(1.31, 0.1), report(1.0, 0.1), true),
            (report(0.5, 0.0), report(1.0, 0.0), false),
        ] {
            assert_eq!(check(&now, &then).is_err(), is_told, "{:?} {:?}", now.results, then.results);
        }
        let other = Report { machine: "other".into(), adapter: None, results: Vec::new() };
        assert!(check(&report(9.0, 0.0), &other).is_ok() && notices(&report(9.0, 0.0), &other).len() == 2);
    }
}

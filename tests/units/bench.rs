//! `sonobrush bench`: what it measures, and what counts as slower.

use crate::support::signals::noise;
use sonobrush::base::ErrorKind;
use sonobrush::cli::bench::baseline::{check, notices};
use sonobrush::cli::bench::report::{Line, Report};
use sonobrush::cli::bench::squares;
use sonobrush::document::{Brush, Snapshot, with_step};
use sonobrush::engine::Engine;
use sonobrush::media::Source;

fn report(median_ms: f64, mad_ms: f64) -> Report {
    let (name, engine) = ("blur".to_owned(), "cpu".to_owned());
    let line = Line { name, engine, median_ms, p99_ms: median_ms, mad_ms, gpu_ms: None, pass_part: None, runs: 9 };
    Report { machine: String::new(), adapter: None, results: vec![line] }
}

#[test]
fn both_limits_must_be_passed() {
    for (now, then, is_reported) in [
        (report(1.0, 0.0), report(1.0, 0.0), false),
        (report(1.09, 0.001), report(1.0, 0.001), false),
        (report(1.2, 0.001), report(1.0, 0.001), true),
        (report(1.2, 0.08), report(1.0, 0.001), false),
        (report(1.2, 0.001), report(1.0, 0.08), false),
        (report(1.31, 0.1), report(1.0, 0.1), true),
        (report(0.5, 0.0), report(1.0, 0.0), false),
    ] {
        assert_eq!(check(&now, &then).is_err(), is_reported, "{:?} {:?}", now.results, then.results);
    }
    let other = Report { machine: "other".into(), adapter: None, results: Vec::new() };
    assert!(check(&report(9.0, 0.0), &other).is_ok() && notices(&report(9.0, 0.0), &other).len() == 2);
}

/// Every brush has its line, and each paints the cells that its name says.
#[test]
fn squares_are_what_they_are_called() {
    let rate_hz = 44_100;
    let sound = Snapshot::new(Source::from_channels(vec![noise(60 * rate_hz, 0.1, 1)], rate_hz as u32).unwrap());
    let squares = squares(512);
    // Those that paint no cells of an STFT by themselves.
    let without = [
        "paste",
        "lengthen",
        "delete_time",
        "keep_time",
        "insert_silence",
        "insert",
        "duplicate_time",
        "labels",
        "cells",
        "mel_bands",
        "fade",
        "normalise",
        "reverse",
        "remove_dc",
        "remove_hum",
        "declip",
        "isolate",
        "de_ess",
        "plosives",
        "dereverb",
        "pitch_shift",
        "stretch",
    ];
    for kind in Brush::KINDS.iter().filter(|kind| !without.contains(*kind)) {
        assert!(squares.iter().any(|(_, edit)| edit.brush.kind() == *kind), "{kind} is not measured");
    }
    for (name, edit) in &squares {
        let size = with_step(&sound, edit, &Engine::cpu(), |_, rect| Ok([rect.frames.len(), rect.bins.len()])).unwrap();
        match edit.brush.kind() {
            // Along a line: as wide as its harmonics are far apart.
            "tone" => assert_eq!(size[0], 512, "{name}"),
            // A push may move a cell beyond them.
            "warp" | "smudge" if edit.stroke.is_some() => {
                assert!(size.iter().all(|n| (512..=514).contains(n)), "{name}: {size:?}");
            }
            _ => assert_eq!(size, [512, 512], "{name}"),
        }
    }
    let short = Snapshot::new(Source::from_channels(vec![vec![0.0; 64]], rate_hz as u32).unwrap());
    let (_, erase) = squares.iter().find(|(name, _)| *name == "erase").unwrap();
    let error = with_step(&short, erase, &Engine::cpu(), |_, _| Ok(())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Script, "nothing to paint");
}

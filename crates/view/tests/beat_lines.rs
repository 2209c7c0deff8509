//! Bars and beats in views of any zoom.

use document::BeatGrid;
use dsp::Axis;
use sonobrush_view::{BeatLineKind, SNAP_POINTS, Viewport, beat_lines, beat_near, beat_step};

fn viewport(secs: [f64; 2]) -> Viewport {
    Viewport { secs, hz: [20.0, 20_000.0], axis: Axis::Log, origin: [100.0, 50.0], size: [1000.0, 500.0] }
}

/// 120 beats per minute in 3/4; the first bar starts at 0.25 s.
fn grid() -> BeatGrid {
    BeatGrid::new(120.0, 3, 0.25).unwrap()
}

#[test]
fn lines_thin_out_from_parts_of_a_beat_to_many_bars() {
    // Visible duration and expected distance between lines, in seconds. A beat lasts 0.5 s, a bar 1.5 s.
    for (visible_secs, step_secs) in
        [(1.0, 0.0625), (4.0, 0.125), (8.0, 0.25), (20.0, 0.5), (30.0, 1.5), (100.0, 3.0), (200.0, 6.0), (400.0, 12.0)]
    {
        let viewport = viewport([10.0, 10.0 + visible_secs]);
        let lines = beat_lines(&grid(), &viewport);
        let gaps: Vec<f64> = lines.windows(2).map(|pair| pair[1].secs - pair[0].secs).collect();
        assert!(gaps.iter().all(|gap| (gap - step_secs).abs() < 1e-9), "{visible_secs} s: {gaps:?}");
        assert!(gaps.iter().all(|gap| gap / viewport.secs_per_pixel() >= 24.0), "{visible_secs} s: there is room");
        assert!(lines[0].secs >= 10.0 && lines[0].secs < 10.0 + step_secs, "the first that is seen");
        let last = lines.last().unwrap().secs;
        assert!(last <= 10.0 + visible_secs && last > 10.0 + visible_secs - step_secs);
        for line in &lines {
            let beats = (line.secs - 0.25) / 0.5;
            let is_bar = (beats / 3.0 - (beats / 3.0).round()).abs() < 1e-6;
            let is_beat = (beats - beats.round()).abs() < 1e-6;
            let kind = match (is_bar, is_beat) {
                (true, _) => BeatLineKind::Bar,
                (false, true) => BeatLineKind::Beat,
                (false, false) => BeatLineKind::Part,
            };
            assert_eq!((line.kind, line.label.is_some()), (kind, is_beat), "{line:?}");
        }
    }
    // Even a view of 115 days has few lines.
    assert!(beat_lines(&BeatGrid::new(400.0, 1, 0.0).unwrap(), &viewport([0.0, 1e7])).len() < 50);
}

#[test]
fn bars_are_counted_from_the_first_and_beats_within_them() {
    let labels: Vec<String> =
        beat_lines(&grid(), &viewport([-1.8, 3.3])).into_iter().filter_map(|line| line.label).collect();
    assert_eq!(labels, ["\u{2212}1.3", "0", "0.2", "0.3", "1", "1.2", "1.3", "2", "2.2", "2.3", "3"]);
    assert_eq!(beat_lines(&grid(), &viewport([0.15, 0.24]))[0].label.as_deref(), None, "a part of the beat before");
}

#[test]
fn a_line_catches_what_is_at_most_eight_points_away() {
    let viewport = viewport([0.0, 20.0]);
    assert_eq!(beat_step(&grid(), &viewport), 1.0);
    let secs_per_point = viewport.secs_per_pixel();
    let near = |points: f64| beat_near(&grid(), &viewport, 5.25 + points * secs_per_point, SNAP_POINTS);
    for points in [-7.9, -3.0, 0.0, 7.9] {
        assert!((near(points).unwrap() - 5.25).abs() < 1e-9, "{points}");
    }
    assert_eq!((near(8.1), near(-8.1)), (None, None));
}

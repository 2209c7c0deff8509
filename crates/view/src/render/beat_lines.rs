//! Lines at bars and beats, as many as fit in a view.

use crate::Viewport;
use crate::document::BeatGrid;

/// Minimum distance between lines, in points, so that each can be snapped to separately.
const MIN_GAP: f64 = 24.0;
/// Subdivisions of a beat, shown where they fit.
const PARTS: [f64; 3] = [0.125, 0.25, 0.5];
/// Maximum number of bars between lines, as a power of two.
const MAX_LOG2_BARS: u32 = 24;

/// Kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BeatLineKind {
    /// A subdivision of a beat.
    Part,
    /// A beat within a bar.
    Beat,
    /// A bar.
    Bar,
}

/// A line across the pictures.
#[derive(Debug, Clone, PartialEq)]
pub struct BeatLine {
    /// Time in seconds.
    pub secs: f64,
    /// Whether it marks a bar, a beat or a subdivision.
    pub kind: BeatLineKind,
    /// `3` at the start of the third bar, `3.2` at its second beat; `None` at subdivisions. The bar before the first is
    /// 0.
    pub label: Option<String>,
}

/// Number of beats between the lines of a view: a fraction of a beat, a beat, a bar, or 2, 4, 8 ... bars.
pub fn beat_step(grid: &BeatGrid, viewport: &Viewport) -> f64 {
    let points_per_beat = (grid.secs_at(1.0) - grid.secs_at(0.0)) / viewport.secs_per_pixel();
    let bar = f64::from(grid.beats_a_bar());
    let bars = (0..MAX_LOG2_BARS).map(|power| bar * 2f64.powi(power as i32));
    let steps = PARTS.into_iter().chain(std::iter::once(1.0)).chain(bars);
    let max = bar * 2f64.powi(MAX_LOG2_BARS as i32);
    steps.into_iter().find(|step| step * points_per_beat >= MIN_GAP).unwrap_or(max)
}

/// The lines of a view, from left to right.
pub fn beat_lines(grid: &BeatGrid, viewport: &Viewport) -> Vec<BeatLine> {
    let step = beat_step(grid, viewport);
    let [first, last] = viewport.secs.map(|secs| grid.beats_at(secs) / step);
    let numbers = first.ceil() as i64..=last.floor() as i64;
    numbers.map(|number| line_at(grid, number as f64 * step)).collect()
}

/// The line at a number of beats after the start of the first bar.
fn line_at(grid: &BeatGrid, beats: f64) -> BeatLine {
    let secs = grid.secs_at(beats);
    if beats.fract() != 0.0 {
        return BeatLine { secs, kind: BeatLineKind::Part, label: None };
    }
    let (beat, beats_a_bar) = (beats as i64, i64::from(grid.beats_a_bar()));
    let (bar, within) = (beat.div_euclid(beats_a_bar) + 1, beat.rem_euclid(beats_a_bar) + 1);
    let sign = if bar < 0 { "\u{2212}" } else { "" };
    let bar = format!("{sign}{}", bar.unsigned_abs());
    match within {
        1 => BeatLine { secs, kind: BeatLineKind::Bar, label: Some(bar) },
        within => BeatLine { secs, kind: BeatLineKind::Beat, label: Some(format!("{bar}.{within}")) },
    }
}

/// The line nearest to a time in a view, if it is at most `reach` points away.
pub fn beat_near(grid: &BeatGrid, viewport: &Viewport, secs: f64, reach: f64) -> Option<f64> {
    let nearest = grid.nearest_secs(secs, beat_step(grid, viewport));
    ((nearest - secs).abs() <= reach * viewport.secs_per_pixel()).then_some(nearest)
}

//! The time span of a growing stroke, for brushes that sound from its first time to its last.

use crate::dsp::strokes::tone_sound::ToneSound;
use crate::dsp::{CellRect, Grid, Point};

/// The time span of a stroke, with its last point.
#[derive(Debug, Clone, Copy, Default)]
pub struct SoundSpan {
    secs: Option<[f64; 2]>,
    last_secs: f64,
}

impl SoundSpan {
    /// Adds points. Returns the cells this may change: those of the new points, or all if the stroke goes back in time,
    /// since the phase is the integral of the frequency.
    pub fn extend(&mut self, grid: &Grid, points: &[Point]) -> CellRect {
        let before = *self;
        let mut is_forward = true;
        for point in points {
            let [start, end] = self.secs.unwrap_or([point.secs; 2]);
            is_forward &= point.secs >= end;
            self.secs = Some([start.min(point.secs), end.max(point.secs)]);
            self.last_secs = point.secs;
        }
        match (before.secs, self.secs) {
            (Some([_, from]), Some([_, to])) if is_forward && before.last_secs >= from => cells(grid, [from, to]),
            _ => self.cells(grid),
        }
    }

    /// The cells of the whole stroke.
    pub fn cells(&self, grid: &Grid) -> CellRect {
        self.secs.map_or_else(CellRect::default, |secs| cells(grid, secs))
    }
}

/// Every bin of the frames that overlap a range of time, with a margin for its growth.
fn cells(grid: &Grid, [start, end]: [f64; 2]) -> CellRect {
    let unsettled_secs = ToneSound::unsettled_secs(grid.sample_rate_hz);
    let sample = |secs: f64| (secs * grid.sample_rate_hz).clamp(0.0, grid.n_samples as f64);
    let samples = sample(start - unsettled_secs).floor() as u64..sample(end + unsettled_secs).ceil() as u64;
    CellRect::new(grid.frames_over(&samples), 0..grid.n_bins())
}

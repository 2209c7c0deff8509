//! Determines the gain of a picture: measures the peak of the sound of its cells alone, and compares it with a target.

use crate::document::Signal;
use crate::dsp::strokes::picture::PictureBank;
use crate::dsp::{CellRect, DifferenceSum, Grid, GridPlan, Region};
use std::ops::Range;

/// Number of samples of a bank rendered at a time.
const MAX_SAMPLES: i64 = 1 << 16;

/// The gain with which the picture reaches its target peak, and data computed to find it.
#[derive(Debug)]
pub struct PictureLevel {
    /// Gain of the magnitudes.
    pub gain: f64,
    /// Cells of each signal before the gain, kept if they are also the cells to add.
    pub made: Vec<(Signal, Region)>,
}

impl PictureLevel {
    /// The gain from a peak to a level in dBFS; 1 for silence.
    pub fn of_peak(peak: f32, wanted_db: f64, made: Vec<(Signal, Region)>) -> PictureLevel {
        let gain = if peak > 0.0 { 10f64.powf(wanted_db / 20.0) / f64::from(peak) } else { 1.0 };
        PictureLevel { gain, made }
    }

    /// The cells kept for a signal in a rectangle, with the gain applied; `None` if they were not kept.
    pub fn made(&self, signal: Signal, rect: &CellRect) -> Option<Region> {
        let (_, made) = self.made.iter().find(|(of, made)| *of == signal && made.rect == *rect)?;
        let magnitude = made.magnitude.iter().map(|magnitude| (f64::from(*magnitude) * self.gain) as f32).collect();
        Some(Region { rect: made.rect.clone(), magnitude, phase: made.phase.clone() })
    }
}

/// Measures the peak of cells on silence, given as rectangles in order of time.
pub struct PeakMeter<'a> {
    plan: &'a GridPlan,
    sum: DifferenceSum,
    peak: f32,
}

impl<'a> PeakMeter<'a> {
    /// A meter without cells yet.
    pub fn new(plan: &'a GridPlan, grid: &Grid) -> PeakMeter<'a> {
        PeakMeter { plan, sum: plan.sum(grid), peak: 0.0 }
    }

    /// Adds cells, each scaled by its alpha; an empty `alpha` leaves them unscaled.
    pub fn add(&mut self, cells: &Region, alpha: &[f32]) {
        self.take_until(self.plan.samples_read(&cells.rect).start);
        let silence = Region::zeros(cells.rect.clone());
        let difference = if alpha.is_empty() {
            self.plan.difference(&silence, cells)
        } else {
            let magnitude = cells.magnitude.iter().zip(alpha).map(|(magnitude, alpha)| magnitude * alpha).collect();
            let cells = Region { rect: cells.rect.clone(), magnitude, phase: cells.phase.clone() };
            self.plan.difference(&silence, &cells)
        };
        self.sum.add(&difference);
    }

    /// The peak amplitude of the sound synthesised from all added cells.
    pub fn peak(mut self) -> f32 {
        self.take_until(i64::MAX);
        self.peak
    }

    fn take_until(&mut self, sample: i64) {
        for (_, run) in self.sum.until(sample) {
            self.peak = run.iter().fold(self.peak, |peak, sample| peak.max(sample.abs()));
        }
    }
}

/// The peak amplitude of a bank within a range of samples.
pub fn peak_of_bank(bank: &PictureBank<'_>, span: Range<i64>) -> f32 {
    let mut peak = 0.0f32;
    let mut first = span.start;
    while first < span.end {
        let n = (span.end - first).min(MAX_SAMPLES);
        peak = bank.samples(first, n as usize).iter().fold(peak, |peak, sample| peak.max(sample.abs()));
        first += n;
    }
    peak
}

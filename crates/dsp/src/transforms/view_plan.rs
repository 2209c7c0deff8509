//! Computes cells for display: all bins of a run of frames.

use super::rows::{DrawnRows, RowBank};
use crate::{AmplitudeScale, CellRect, Grid, Region, Stft};
use std::ops::Range;
use std::sync::Arc;

/// The plan of a transform for display, on [its grid](Grid::new). Cheap to clone.
#[derive(Debug, Clone)]
pub enum ViewPlan {
    /// A plan of an STFT.
    Stft(Arc<Stft>),
    /// A plan of rows.
    Rows(Arc<DrawnRows>),
}

impl From<Arc<Stft>> for ViewPlan {
    fn from(stft: Arc<Stft>) -> ViewPlan {
        ViewPlan::Stft(stft)
    }
}

impl ViewPlan {
    /// The plan of rows at a sample rate.
    pub fn of_rows(bank: Arc<RowBank>) -> ViewPlan {
        let grid = Grid::new(bank.params().clone(), bank.sample_rate_hz(), 0);
        ViewPlan::Rows(Arc::new(DrawnRows::new(bank, grid.samples_in_frames(1) as usize)))
    }

    /// The grid over a signal.
    pub fn grid(&self, sample_rate_hz: f64, n_samples: u64) -> Grid {
        match self {
            ViewPlan::Stft(stft) => Grid::new(stft.params(), sample_rate_hz, n_samples),
            ViewPlan::Rows(rows) => Grid::new(rows.bank().params().clone(), sample_rate_hz, n_samples),
        }
    }

    /// The factor from a magnitude to an amplitude, where 1 is a full-scale sine.
    pub fn amplitude_scale(&self) -> AmplitudeScale {
        match self {
            ViewPlan::Stft(stft) => stft.amplitude_scale(),
            ViewPlan::Rows(_) => AmplitudeScale::ONE,
        }
    }

    /// The mean square of the samples around a cell that corresponds to a magnitude of 1 in a bin (Parseval).
    pub fn power_share(&self, bin: usize) -> f64 {
        match self {
            ViewPlan::Stft(stft) => {
                let params = stft.params();
                let sides = if bin == 0 || bin + 1 == params.n_bins() { 1.0 } else { 2.0 };
                sides * (1.0 / (params.window_len() as f64 * stft.window_power()))
            }
            ViewPlan::Rows(rows) => {
                let row = &rows.bank().rows()[bin];
                row.peak.powi(2) * if row.is_real { 1.0 } else { 0.5 }
            }
        }
    }

    /// The samples on which the cells of a rectangle depend; may extend beyond the signal.
    pub fn samples_read(&self, rect: &CellRect) -> Range<i64> {
        match self {
            ViewPlan::Stft(stft) => stft.samples_under(&rect.frames),
            ViewPlan::Rows(rows) => rows.samples_read(0, rect),
        }
    }

    /// The cells of a rectangle, computed from the samples that they [depend on](ViewPlan::samples_read).
    pub fn analyse(&self, samples: &[f32], rect: &CellRect) -> Region {
        match self {
            ViewPlan::Stft(stft) => stft.analyse(samples, rect),
            ViewPlan::Rows(rows) => rows.analyse(0, rect, samples),
        }
    }

    /// Only the magnitudes of [`analyse`](ViewPlan::analyse), for all bins.
    pub fn magnitudes(&self, samples: &[f32], rect: &CellRect) -> Vec<f32> {
        match self {
            ViewPlan::Stft(stft) => stft.magnitudes(samples, rect.frames.len()),
            ViewPlan::Rows(rows) => rows.analyse(0, rect, samples).into_magnitude(),
        }
    }
}

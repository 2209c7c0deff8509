//! The rows' squared windows over frequency, and their sum: in f64 and in hertz, so that slices of any length sample
//! the same functions.

use super::scale::ScaleRows;
use std::f64::consts::{PI, TAU};
use std::ops::Range;

/// Mean of `cos^12` over its support.
const MEAN: f64 = 924.0 / 4096.0;

/// Fraction of a window's width that may fold onto its other end. Both ends multiplied are below -133 dB.
const FOLDED_WIDTH: f64 = 0.18;

/// `cos^12(pi x)` within half a unit of 0.
fn bump(x: f64) -> f64 {
    if x.abs() < 0.5 { (PI * x).cos().powi(12) } else { 0.0 }
}

/// The integral of [`bump`] up to `x`, from 0 to 1.
fn bump_integral(x: f64) -> f64 {
    /// Fourier coefficients of `cos^12`.
    const TERMS: [f64; 6] = [1584.0, 990.0, 440.0, 132.0, 24.0, 2.0];
    let x = x.clamp(-0.5, 0.5);
    let wave = |(i, c): (u32, &f64)| {
        let turns = TAU * f64::from(i);
        c * (turns * x).sin() / turns
    };
    (924.0 * (x + 0.5) + (1..).zip(&TERMS).map(wave).sum::<f64>()) / 924.0
}

/// A row's frequency, window and hop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowSpec {
    /// Centre in hertz.
    pub hz: f64,
    /// Half width of the window, outside of which it is 0.
    pub half_hz: f64,
    /// Width of the window; for DC and Nyquist, that of one slope.
    pub width_hz: f64,
    /// Whether it is DC or Nyquist, whose cells are real.
    pub is_real: bool,
    /// Samples between the row's cells.
    pub hop: usize,
    /// Value for a sine with amplitude 1 at the row's centre: `p_k`; 1 in an [outline](super::RowBank::outline).
    pub peak: f64,
    /// Factor applied to the squared window. Not used for DC and Nyquist, which are not rows of the scale.
    weight: f64,
}

/// All rows' windows: DC first, Nyquist last.
#[derive(Debug, Clone)]
pub(super) struct RowWindows {
    pub rows: Vec<RowSpec>,
    pub sample_rate_hz: f64,
    /// Per row, the highest frequency reached by it or any row below it, and the lowest reached by it or any row above
    /// it.
    reach_above_hz: Vec<f64>,
    reach_below_hz: Vec<f64>,
    /// Middle of the slope of DC's window, and of that of Nyquist's.
    low_edge_hz: f64,
    high_edge_hz: f64,
}

impl RowWindows {
    pub fn new(scale: &ScaleRows, sample_rate_hz: f64) -> RowWindows {
        let mut windows = RowWindows::without_peaks(scale, sample_rate_hz);
        let peaks: Vec<f64> = (0..windows.rows.len()).map(|k| windows.value(k, windows.rows[k].hz)).collect();
        windows.rows.iter_mut().zip(peaks).for_each(|(row, peak)| row.peak = peak);
        windows
    }

    /// All windows, without computing the rows' peaks, which takes ten times as long as everything else.
    pub fn without_peaks(scale: &ScaleRows, sample_rate_hz: f64) -> RowWindows {
        let (nyquist_hz, last) = (sample_rate_hz / 2.0, scale.hz.len() - 1);
        let low_edge_hz = scale.hz[0] - scale.spacing_hz[0] / 2.0;
        let high_edge_hz = scale.hz[last] + scale.spacing_hz[last] / 2.0;
        let row = |hz: f64, half_hz: f64, width_hz: f64, is_real: bool, weight: f64| RowSpec {
            hz,
            half_hz,
            width_hz,
            is_real,
            hop: hop(sample_rate_hz, half_hz, width_hz),
            peak: 1.0,
            weight,
        };
        let (first_width, last_width) = (scale.width_hz[0], scale.width_hz[last]);
        let mut rows = vec![row(0.0, low_edge_hz + first_width / 2.0, first_width, true, 1.0)];
        rows.extend((0..=last).map(|k| {
            let width = scale.width_hz[k];
            row(scale.hz[k], width / 2.0, width, false, scale.spacing_hz[k] / (width * MEAN))
        }));
        rows.push(row(nyquist_hz, nyquist_hz - high_edge_hz + last_width / 2.0, last_width, true, 1.0));
        let mut reach_above_hz: Vec<f64> = rows.iter().map(|row| row.hz + row.half_hz).collect();
        let mut reach_below_hz: Vec<f64> = rows.iter().map(|row| row.hz - row.half_hz).collect();
        for k in 1..rows.len() {
            reach_above_hz[k] = reach_above_hz[k].max(reach_above_hz[k - 1]);
        }
        for k in (0..rows.len() - 1).rev() {
            reach_below_hz[k] = reach_below_hz[k].min(reach_below_hz[k + 1]);
        }
        RowWindows { rows, sample_rate_hz, reach_above_hz, reach_below_hz, low_edge_hz, high_edge_hz }
    }

    /// DC and Nyquist without a scale between them.
    pub fn ends(sample_rate_hz: f64) -> Vec<RowSpec> {
        let half_hz = sample_rate_hz / 4.0;
        let end = |hz: f64| RowSpec { hz, half_hz, width_hz: half_hz, is_real: true, hop: 1, peak: 1.0, weight: 1.0 };
        vec![end(0.0), end(sample_rate_hz / 2.0)]
    }

    /// The squared window of a row at a frequency, which may be negative or above half the sample rate.
    pub fn squared(&self, row: usize, hz: f64) -> f64 {
        let RowSpec { hz: centre, width_hz, weight, .. } = self.rows[row];
        let plateau = |from_end: f64, edge: f64| {
            bump_integral((from_end + edge) / width_hz) - bump_integral((from_end - edge) / width_hz)
        };
        let value = if row == 0 {
            plateau(hz, self.low_edge_hz)
        } else if row == self.rows.len() - 1 {
            plateau(centre - hz, centre - self.high_edge_hz)
        } else {
            weight * bump((hz - centre) / width_hz)
        };
        // The difference of two integrals may round to below 0.
        value.max(0.0)
    }

    /// The window of a row at a frequency, divided by the root of the [sum](RowWindows::sum): `g_k`.
    pub fn value(&self, row: usize, hz: f64) -> f64 {
        (self.squared(row, hz) / self.sum(hz)).sqrt()
    }

    /// `d`: the sum of all squared windows at a frequency, mirror images at 0 Hz and half the sample rate included.
    pub fn sum(&self, hz: f64) -> f64 {
        let nyquist_hz = self.sample_rate_hz / 2.0;
        let hz = if hz.abs() > nyquist_hz { self.sample_rate_hz - hz.abs() } else { hz.abs() };
        let of_image = |(image, has_real): (f64, bool)| {
            let counts = |row: &RowSpec| (image - row.hz).abs() <= row.half_hz && (has_real || !row.is_real);
            self.near(image).filter(|k| counts(&self.rows[*k])).map(|k| self.squared(k, image)).sum::<f64>()
        };
        [(hz, true), (-hz, false), (self.sample_rate_hz - hz, false)].map(of_image).iter().sum()
    }

    /// A range that contains all rows whose windows include a frequency, and possibly others.
    pub fn near(&self, hz: f64) -> Range<usize> {
        let start = self.reach_above_hz.partition_point(|above| *above < hz);
        let end = self.reach_below_hz.partition_point(|below| *below <= hz);
        start..end.max(start)
    }

    /// The [sum](RowWindows::sum) at `bin * sample_rate / len` for a run of bins within `0 ..= len / 2`. Each row is
    /// evaluated only within its window, so that all bins together cost little more than the rows' windows.
    pub fn sums(&self, len: usize, bins: std::ops::RangeInclusive<i64>) -> Vec<f64> {
        let (len, step_hz) = (len as i64, self.sample_rate_hz / len as f64);
        let (low, high) = (*bins.start(), *bins.end());
        let mut sums = vec![0.0; (high - low + 1).max(0) as usize];
        for (k, row) in self.rows.iter().enumerate() {
            let (first, last) = bins_within(row, step_hz);
            // A bin, its negative, and its image at half the sample rate.
            let images: &[(i64, i64)] = if row.is_real { &[(0, 1)] } else { &[(0, 1), (0, -1), (len, -1)] };
            for (offset, sign) in images {
                let ends = [sign * (first - offset), sign * (last - offset)];
                let (from, to) = (ends[0].min(ends[1]).max(low), ends[0].max(ends[1]).min(high));
                for bin in from..=to {
                    sums[(bin - low) as usize] += self.squared(k, (offset + sign * bin) as f64 * step_hz);
                }
            }
        }
        sums
    }
}

/// The first and last bin of a row's window, signed.
pub(super) fn bins_within(row: &RowSpec, step_hz: f64) -> (i64, i64) {
    (((row.hz - row.half_hz) / step_hz).ceil() as i64, ((row.hz + row.half_hz) / step_hz).floor() as i64)
}

/// The largest power-of-two hop at which no more than `FOLDED_WIDTH` of a row's window folds onto itself.
fn hop(sample_rate_hz: f64, half_hz: f64, width_hz: f64) -> usize {
    let max = sample_rate_hz / (2.0 * half_hz - FOLDED_WIDTH * width_hz);
    // Tolerates rounding to just below a power of two.
    1 << (max.log2() + 1e-12).floor().max(0.0) as u32
}

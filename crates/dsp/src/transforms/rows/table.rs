//! The table of a transform's rows at a sample rate, without the tables that compute their cells.

use super::windows::{RowSpec, RowWindows};
use crate::dsp::Axis;
use std::ops::Range;

/// All rows of a transform at a sample rate, in order of frequency: DC, those of the scale, Nyquist.
#[derive(Debug, Clone, PartialEq)]
pub struct RowTable {
    rows: Vec<RowSpec>,
    axis: Axis,
}

impl RowTable {
    pub(super) fn new(windows: &RowWindows, axis: Axis) -> RowTable {
        RowTable { rows: windows.rows.clone(), axis }
    }

    /// DC and Nyquist alone, to show a transform that the sample rate does not allow.
    pub fn without_scale(sample_rate_hz: f64) -> RowTable {
        RowTable { rows: RowWindows::ends(sample_rate_hz), axis: Axis::Linear }
    }

    /// The rows.
    pub fn rows(&self) -> &[RowSpec] {
        &self.rows
    }

    /// The rows of the scale, among [all](RowTable::rows).
    pub fn scale_rows(&self) -> Range<usize> {
        1..self.rows.len() - 1
    }

    /// The axis on which the scale's rows are equally spaced; [`Axis::Log`] for a list.
    pub fn axis(&self) -> Axis {
        self.axis
    }

    /// Mean number of rows per unit of the [axis](RowTable::axis): per octave, mel or bark.
    pub fn rows_per_unit(&self) -> f64 {
        let ends = [1, self.rows.len() - 2].map(|row| self.axis.units_from_hz(self.rows[row].hz));
        (self.rows.len() - 3) as f64 / (ends[1] - ends[0])
    }

    /// The fractional row at a frequency, interpolated between rows of the scale in units of its
    /// [axis](RowTable::axis), below and above the scale in hertz.
    pub fn row_from_hz(&self, hz: f64) -> f64 {
        let rows = &self.rows;
        let above = rows.partition_point(|row| row.hz <= hz).clamp(1, rows.len() - 1);
        let (low, high) = (rows[above - 1].hz, rows[above].hz);
        let units = |hz: f64| if above == 1 || above == rows.len() - 1 { hz } else { self.axis.units_from_hz(hz) };
        (above - 1) as f64 + (units(hz) - units(low)) / (units(high) - units(low))
    }

    /// The frequency at a fractional row, the inverse of [`row_from_hz`](RowTable::row_from_hz).
    pub fn hz_from_row(&self, row: f64) -> f64 {
        let rows = &self.rows;
        let below = (row.floor().max(0.0) as usize).min(rows.len() - 2);
        let (low, high, part) = (rows[below].hz, rows[below + 1].hz, row - below as f64);
        if part == 0.0 {
            return low;
        }
        if below == 0 || below == rows.len() - 2 {
            return low + (high - low) * part;
        }
        let [from, to] = [low, high].map(|hz| self.axis.units_from_hz(hz));
        self.axis.hz_from_units(from + (to - from) * part)
    }
}
